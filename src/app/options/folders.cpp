#include "app/options/folders.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "core/error.h"

namespace echoloop {

namespace fs = std::filesystem;

fs::path share_folder() {
  std::vector<fs::path> candidates;
  if (const char* named = std::getenv("ECHOLOOP_SHARE")) candidates.emplace_back(named);
  const fs::path& program = program_file();
  if (!program.empty()) candidates.push_back(program.parent_path().parent_path() / "share" / "echoloop");
  candidates.emplace_back(ECHO_SOURCE_DIR);
  for (const fs::path& folder : candidates) {
    if (fs::exists(folder / "shaders" / "image.frag")) return folder;
  }
  throw Error("shaders", "not found near " + program.string(), "an installed program, a build tree, or ECHOLOOP_SHARE");
}

fs::path& program_file() {
  static std::error_code error;
  static fs::path file = fs::read_symlink("/proc/self/exe", error);
  return file;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
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

fs::path token_file() {
  const fs::path settings = settings_file();
  return settings.empty() ? settings : settings.parent_path() / "scanner_token";
}

void make_token_file(const fs::path& file) {
  std::error_code ignored;
  if (fs::exists(file, ignored)) return;
  fs::create_directories(file.parent_path(), ignored);
  std::array<unsigned char, 16> chance{};
  const bool random = ::getrandom(chance.data(), chance.size(), 0) == static_cast<ssize_t>(chance.size());
  std::string word;
  for (const unsigned char byte : chance) word += fmt::format("{:02x}", byte);
  word += '\n';
  const int made = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool written =
      random && made >= 0 && ::write(made, word.data(), word.size()) == static_cast<ssize_t>(word.size());
  const std::string why = std::strerror(errno);
  if (made >= 0) ::close(made);
  if (written) return;
  if (made >= 0) fs::remove(file, ignored);
  throw Error(file.string(), why, "a token file that can be written");
}

fs::path own_descriptions_folder() {
  const fs::path settings = settings_file();
  return settings.empty() ? settings : settings.parent_path() / "descriptions";
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
