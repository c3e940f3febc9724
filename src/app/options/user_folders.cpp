#include "app/options/user_folders.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>

#include "core/plain_text.h"
#include "gui/state/stream_text.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

fs::path home_folder() {
  if (const std::string home = environment("HOME"); !home.empty()) return home;
  const passwd* user = ::getpwuid(::getuid());
  return user != nullptr && user->pw_dir != nullptr ? fs::path(user->pw_dir) : fs::path();
}

// The value in user-dirs.dirs: XDG_PICTURES_DIR="$HOME/Pictures". Empty: none.
fs::path desktop_folder(const std::string& key) {
  if (const std::string set = environment(key.c_str()); !set.empty()) return set;
  const std::string config = environment("XDG_CONFIG_HOME");
  std::ifstream in((config.empty() ? home_folder() / ".config" : fs::path(config)) / "user-dirs.dirs");
  const std::string begin = key + "=\"", home = "$HOME/";
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(begin) || !line.ends_with('"')) continue;
    const std::string value = line.substr(begin.size(), line.size() - begin.size() - 1);
    return value.starts_with(home) ? home_folder() / value.substr(home.size()) : fs::path(value);
  }
  return {};
}

int time_decimals(double rate_hz) { return rate_hz <= 100.0 ? 2 : rate_hz <= 1000.0 ? 3 : 5; }

}  // namespace

fs::path user_folder(UserFolder kind) {
  constexpr std::array<const char*, 3> kKeys = {"XDG_PICTURES_DIR", "XDG_VIDEOS_DIR", "XDG_DOCUMENTS_DIR"};
  for (const fs::path& folder : {desktop_folder(kKeys[static_cast<std::size_t>(kind)]), home_folder()}) {
    if (folder.is_absolute() && why_not_writable(folder).empty()) return folder;
  }
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  return error ? fs::path("/tmp") : temporary;
}

fs::path with_home(const std::string& text) {
  if (text == "~") return home_folder();
  return text.starts_with("~/") ? home_folder() / text.substr(2) : fs::path(text);
}

std::string why_not_writable(const fs::path& folder) {
  std::error_code error;
  if (!folder.is_absolute()) return "The folder " + folder.string() + " is not a full path.";
  if (!fs::exists(folder, error)) return "The folder " + folder.string() + " does not exist.";
  if (!fs::is_directory(folder, error)) return folder.string() + " is not a folder.";
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return "The folder " + folder.string() + " is read-only.";
  return {};
}

std::string file_stem(const SourceInfo& source) {
  const std::string from = source.phantom.empty() ? fs::path(source.name).stem().string() : source.name;
  std::string stem;
  for (const char c : from) {
    const auto letter = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(letter) != 0 || c == '-' || c == '_' || c == '.' || letter >= 0x80;
    stem += !plain ? '_' : c;
  }
  if (!source.phantom.empty()) stem = lower_case(std::move(stem));
  return stem.empty() ? "echoloop" : stem;
}

std::string file_stem(const SourceInfo& source, const FrameStamp& stamp) {
  const double rate_hz = source.acquisition != nullptr ? source.acquisition->frame_rate_hz : 0.0;
  std::string stem = fmt::format("{}_f{}", file_stem(source), numbers_of(source).of(stamp));
  if (rate_hz > 0.0) stem += fmt::format("_{:.{}f}s", stamp.time_s, time_decimals(rate_hz));
  return stem;
}

fs::path save_folder(const SaveChoice& choice, UserFolder kind) {
  return choice.folder.empty() ? user_folder(kind) : with_home(choice.folder);
}

SavePlace describe_place(const SaveChoice& choice, const SourceInfo& source, const FrameStamp& stamp) {
  constexpr std::array<const char*, 4> kEndings = {".png", ".svg", ".pdf", ".png"};
  const fs::path folder = save_folder(choice, UserFolder::pictures);
  SavePlace place{.folder = folder.string(), .name = file_stem(source, stamp)};
  place.problem = why_not_writable(folder);
  if (!place.problem.empty()) place.offer = user_folder(UserFolder::pictures).string();
  const std::string name = choice.name.empty() ? place.name : choice.name;
  const std::string file = name + kEndings[static_cast<std::size_t>(choice.format)];
  std::error_code ignored;
  if (place.problem.empty() && fs::exists(folder / file, ignored)) place.exists = file;
  return place;
}

}  // namespace echoloop
