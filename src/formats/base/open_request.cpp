#include "formats/base/open_request.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <map>
#include <system_error>

#include "core/error.h"
#include "core/source_properties.h"
#include "core/units.h"
#include "formats/base/format_table.h"

namespace echoloop {

void OpenRequest::check_stop() const {
  if (stop.stop_requested()) throw Error(what(), "opening was stopped", "a complete read");
}

void OpenRequest::advance(double fraction) const {
  check_stop();
  if (progress) progress(fraction);
}

namespace {

void add_dump_parts(OpenRequest& request) {
  for (std::size_t k = 1; k <= kMostDumpParts; ++k) {
    const std::filesystem::path part = request.path_to_open.parent_path() / dump_part(k);
    std::error_code ignored;
    if (std::filesystem::is_regular_file(part, ignored) && std::filesystem::file_size(part, ignored) > 0)
      request.sidecars.push_back({part, MappedFile::open(part)});
  }
}

}  // namespace

OpenRequest request_for(const std::filesystem::path& path, const OpenProgress& progress, std::stop_token stop) {
  OpenRequest request{
      .path = path, .file = nullptr, .path_to_open = path, .sidecars = {}, .progress = progress, .stop = stop};
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    if (!path.has_filename()) request.path = path.parent_path();  // trailing slash
    if (!request.path.has_filename() || request.path.filename() == "." || request.path.filename() == "..")
      request.path = std::filesystem::weakly_canonical(path, ignored);
    if (std::filesystem::is_regular_file(request.path / kDumpList, ignored)) {
      request.path_to_open = request.path / kDumpList;
    } else {
      request.folder = open_folder(request.path);
      request.path_to_open = request.folder->files.front().path;
    }
  }
  request.file = MappedFile::open(request.path_to_open);
  if (request.path_to_open.filename() == kDumpList) add_dump_parts(request);
  return request;
}

std::string dump_part(std::size_t number) { return "RF_data_" + std::to_string(number) + ".bin"; }

bool is_dump_part(const std::filesystem::path& file) {
  std::error_code ignored;
  return file.filename().string().starts_with("RF_data_") && file.extension() == ".bin" &&
         std::filesystem::is_regular_file(file.parent_path() / kDumpList, ignored);
}

namespace {

namespace fs = std::filesystem;

constexpr const char* kOneEnding = "files of one ending, one a frame, a transmit or a line";

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Raises the limit of open files: two descriptors per file are open while the reader process starts.
void allow_open_files(std::size_t n) {
  rlimit now{};
  if (::getrlimit(RLIMIT_NOFILE, &now) != 0 || now.rlim_cur >= n) return;
  now.rlim_cur = std::min<rlim_t>(now.rlim_max, n);
  ::setrlimit(RLIMIT_NOFILE, &now);
}

std::string lower_ending(const fs::path& path) { return lower_case(path.extension().string()); }

// Checks the name: extension of a recording, not hidden, not .json.
bool is_folder_file(const fs::path& file) {
  static const std::vector<std::string_view> known = recording_endings();
  const std::string ending = lower_ending(file);
  return !file.filename().string().starts_with('.') && ending != ".json" &&
         std::ranges::find(known, ending) != known.end();
}

std::vector<fs::path> recorded_files(const fs::path& folder) {
  std::map<std::string, std::vector<fs::path>> by_ending;
  std::error_code error;
  std::size_t n_files = 0;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (!is_folder_file(it->path()) || !it->is_regular_file(ignored)) continue;
    if (++n_files > kMostFolderFiles)
      throw Error(folder.string(), "a folder of more than " + std::to_string(kMostFolderFiles) + " recordings",
                  kOneEnding, "join them in one .npy or .h5 file");
    by_ending[lower_ending(it->path())].push_back(it->path());
  }
  if (error) throw Error(folder.string(), error.message(), "a folder that can be read");
  if (by_ending.empty()) throw Error(folder.string(), "a folder without recordings", accepted_files());
  if (by_ending.size() == 1) return std::move(by_ending.begin()->second);
  std::string found;
  for (const auto& [ending, files] : by_ending)
    found += (found.empty() ? "a folder with " : " and ") + std::to_string(files.size()) + " " + ending;
  throw Error(folder.string(), found + " files", kOneEnding, "open one of the files");
}

}  // namespace

bool in_natural_order(std::string_view first, std::string_view second) {
  std::size_t a = 0, b = 0;
  while (a < first.size() && b < second.size()) {
    if (!is_digit(first[a]) || !is_digit(second[b])) {
      if (first[a] != second[b]) return first[a] < second[b];
      ++a, ++b;
      continue;
    }
    const auto number = [](std::string_view text, std::size_t& at) {  // skips leading zeros
      while (at + 1 < text.size() && text[at] == '0' && is_digit(text[at + 1])) ++at;
      const std::size_t from = at;
      while (at < text.size() && is_digit(text[at])) ++at;
      return text.substr(from, at - from);
    };
    const std::string_view x = number(first, a), y = number(second, b);
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
  }
  const std::size_t left = first.size() - a, right = second.size() - b;
  return left != right ? left < right : first < second;
}

std::shared_ptr<const RecordedFolder> open_folder(const fs::path& folder) {
  std::vector<fs::path> paths = recorded_files(folder);
  std::ranges::sort(paths, [](const fs::path& a, const fs::path& b) {
    return in_natural_order(a.filename().string(), b.filename().string());
  });
  allow_open_files(2 * paths.size() + 256);
  auto opened = std::make_shared<RecordedFolder>();
  for (const fs::path& path : paths) {
    // O_NONBLOCK: never waits, even if a pipe has replaced the file.
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) throw Error(path.string(), std::strerror(errno), "a file that can be read");
    opened->files.push_back({.path = path, .descriptor = std::move(file), .path_to_open = path});
  }
  return opened;
}

std::optional<std::string> OpenRequest::word(const std::string& property) const {
  const auto found = properties.find(property);
  return found == properties.end() ? std::nullopt : std::optional(found->second.text);
}

std::optional<double> OpenRequest::number(const std::string& property) const {
  const auto text = word(property);
  return text ? finite_number(*text) : std::nullopt;
}

Facts reading_properties(const Facts& facts) {
  Facts properties = facts;
  std::erase_if(properties, [](const auto& fact) { return find_source_property(fact.first) == nullptr; });
  return properties;
}

std::string property_lines(const Facts& properties) {
  std::string lines;
  for (const auto& [name, value] : properties) lines += name + "=" + value.text + "\n";
  return lines;
}

Facts properties_of_lines(std::string_view lines) {
  std::vector<std::string> settings;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    settings.emplace_back(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return reading_properties(take_facts(settings));
}

}  // namespace echoloop
