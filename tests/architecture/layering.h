// Layering of src/, as rules on include lines and file sizes: permitted includes, and permitted headers of libraries.
// The rules are the table in layering.cpp; the tests apply it to real files and to invalid examples.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace echoloop::architecture {

// Returns the violations of a file of src/, one line each, "path:line: what, and the rule". `path` is relative to src/
// with forward slashes ("gui/panels/stream.cpp"), `text` is the file's content.
std::vector<std::string> violations(std::string_view path, std::string_view text);

}  // namespace echoloop::architecture
