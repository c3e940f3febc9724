// Files that users write and the program reads whole: presets, marks, sessions. Any thread.
#pragma once

#include <filesystem>
#include <string>

namespace echoloop {

// The content. Throws Error with `accepted` for what is no file of at most `most_mb` MB.
std::string read_small_file(const std::filesystem::path& path, std::size_t most_mb, const std::string& accepted);

}  // namespace echoloop
