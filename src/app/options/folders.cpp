#include "app/options/folders.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/units.h"
#include "gui/state/stream_text.h"
#include "history/film.h"

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

// Returns the value in user-dirs.dirs: XDG_PICTURES_DIR="$HOME/Pictures"; empty: none.
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

std::string read_small_file(const std::filesystem::path& path, std::size_t most_mb, const std::string& accepted) {
  const std::string what = path.string();
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) throw Error(what, "the path is a folder", accepted);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw Error(what, "not a regular file", accepted);  // reading a pipe would wait forever
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(what, "cannot be opened", accepted);
  const std::size_t most_bytes = most_mb * 1'000'000;
  std::string text(most_bytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > most_bytes) throw Error(what, "more than " + std::to_string(most_mb) + " MB", accepted);
  return text;
}

namespace fs = std::filesystem;

fs::path manual_page() {
  const fs::path installed = share_folder() / "assets" / "manual";
  std::error_code ignored;
  for (const fs::path& folder : {installed, program_file().parent_path() / "assets" / "manual"}) {
    if (fs::exists(folder / "README.html", ignored)) return folder / "README.html";
  }
  return installed / "README.md";
}

std::string open_manual() {
  const fs::path page = manual_page();
  std::error_code ignored;
  if (!fs::exists(page, ignored)) return "The manual is not installed: " + page.string() + " does not exist.";
  const std::string folder = " The manual is in the folder " + page.parent_path().string() + ".";
  if (!is_on_path("xdg-open")) return "xdg-open is not installed." + folder;
  // xdg-open may run as long as the viewer of the page; setsid returns at once.
  const bool started =
      is_on_path("setsid") && ChildProgram({"setsid", "--fork", "xdg-open", page.string()}).finish() == 0;
  return started ? "Opening the manual: " + page.string() : "xdg-open cannot be started." + folder;
}

}  // namespace echoloop
