#include "app/preset.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <fstream>
#include <iterator>

#include "core/error.h"

namespace echoloop {
namespace {

constexpr const char* kRule = "a preset: TOML with KEY = VALUE lines, up to 1 MB";
constexpr std::size_t kMaxBytes = 1'000'000;

}  // namespace

std::vector<std::string> preset_settings(const std::string& what, std::string_view toml) {
  toml::table file;
  try {
    file = toml::parse(toml, what);
  } catch (const toml::parse_error& error) {
    throw Error(what, fmt::format("{} (line {})", error.description(), error.source().begin.line), kRule);
  }
  std::vector<std::string> settings;
  const toml::table* table = file["parameters"].as_table();
  for (const auto& [key, node] : table != nullptr ? *table : file) {
    const std::string name(key.str());
    if (const auto number = node.value<double>()) {
      settings.push_back(fmt::format("{}={:.17g}", name, *number));
    } else if (const auto text = node.value<std::string>()) {
      settings.push_back(name + "=" + *text);
    } else {
      throw Error(what, "found '" + name + "' that is neither number nor text", "KEY = VALUE lines");
    }
  }
  return settings;
}

std::vector<std::string> read_preset(const std::filesystem::path& path) {
  const std::string what = path.string();
  if (std::filesystem::is_directory(path)) throw Error(what, "is a folder", kRule);
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(what, "cannot be opened", kRule);
  std::string text(kMaxBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMaxBytes) throw Error(what, "more than 1 MB", kRule);
  return preset_settings(what, text);
}

}  // namespace echoloop
