// A preset: a flat TOML table of parameter keys, or one that has them under [parameters].
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace echoloop {

// The settings of TOML text as KEY=VALUE, in the file's order. `what` names it in messages. Throws Error.
std::vector<std::string> preset_settings(const std::string& what, std::string_view toml);

std::vector<std::string> read_preset(const std::filesystem::path& path);

}  // namespace echoloop
