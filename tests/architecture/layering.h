// The layering of src/, as rules on include lines and file sizes: who may include whom, and which library's headers
// may be seen where. The rules are the table in layering.cpp; the tests feed it real files and made-up bad ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace echoloop::architecture {

// What is wrong with a file of src/: one line a violation, "path:line: what, and the rule". `path` is relative to
// src/ with forward slashes ("gui/panels/stream.cpp"), `text` is the file's content.
std::vector<std::string> violations(std::string_view path, std::string_view text);

}  // namespace echoloop::architecture
