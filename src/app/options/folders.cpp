#include "app/options/folders.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "core/error.h"

namespace echoloop {

namespace fs = std::filesystem;

fs::path share_folder() {
  std::vector<fs::path> candidates;
  if (const char* named = std::getenv("ECHOLOOP_SHARE")) candidates.emplace_back(named);
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) candidates.push_back(program.parent_path().parent_path() / "share" / "echoloop");
  candidates.emplace_back(ECHO_SOURCE_DIR);
  for (const fs::path& folder : candidates) {
    if (fs::exists(folder / "shaders" / "image.frag")) return folder;
  }
  throw Error("shaders", "not found near " + program.string(), "an installed program, a build tree, or ECHOLOOP_SHARE");
}

fs::path settings_file() {
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config != '\0') {
    return fs::path(config) / "echoloop" / "window";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return fs::path(home) / ".config" / "echoloop" / "window";
  }
  return {};
}

fs::path own_presets_folder() {
  const fs::path settings = settings_file();
  return settings.empty() ? settings : settings.parent_path() / "presets";
}

fs::path new_file(const fs::path& folder, const std::string& name, const std::string& ending) {
  std::error_code ignored;
  const auto taken = [&](const std::string& stem) {
    return fs::exists(folder / (stem + ending), ignored) || fs::exists(folder / (stem + ".json"), ignored);
  };
  std::string stem = name;
  for (int i = 2; taken(stem); ++i) stem = fmt::format("{}-{}", name, i);
  return folder / (stem + ending);
}

}  // namespace echoloop
