// Viewer's side of opening a file: maps it, and starts the reader process to parse it.
#include "formats/open_recording.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "formats/sandbox/reader_child.h"
#include "formats/sandbox/reader_main.h"

namespace echoloop {

namespace {

Recording open_with(const std::filesystem::path& path, const std::string* description, const OpenProgress& progress,
                    std::stop_token stop, const Facts& facts = {}) {
  OpenRequest request = request_for(path, progress, std::move(stop));
  request.properties = reading_properties(facts);
  request.advance(0.0);
  add_descriptions(request);
  if (description != nullptr) {
    request.few_frames = true;
    std::filesystem::path name = request.path;
    request.sidecars.insert(request.sidecars.begin(), sidecar_of_text(name.replace_extension(".json"), *description));
  }
  try {
    Recording recording = open_in_reader_process(request);
    require_readable(request.bytes());
    return recording;
  } catch (const Error&) {
    require_readable(request.bytes());  // unreadable pages explain any other error
    throw;
  }
}

}  // namespace

Recording open_recording(const std::filesystem::path& path, const OpenProgress& progress, std::stop_token stop,
                         const Facts& facts) {
  return open_with(path, nullptr, progress, std::move(stop), facts);
}

Recording open_recording_as(const std::filesystem::path& path, const std::string& description,
                            const OpenProgress& progress, std::stop_token stop) {
  return open_with(path, &description, progress, std::move(stop));
}

Recording open_recording_alone(const std::filesystem::path& path) {
  OpenRequest request = request_for(path, {}, {});
  request.few_frames = true;
  Recording recording = open_in_reader_process(request);
  require_readable(request.bytes());
  return recording;
}

std::vector<std::string> tracks_of(const std::filesystem::path& path) {
  OpenRequest request = request_for(path, {}, {});
  request.few_frames = true;
  std::vector<std::string> labels;
  for (const RecordedTrack& track : open_in_reader_process(request).tracks)
    if (track.why_not.empty()) labels.push_back(track.label);
  return labels;
}

MapValues read_map(const std::filesystem::path& path, const MapRequest& wanted, std::stop_token stop) {
  return map_in_reader_process(request_for(path, {}, std::move(stop)), wanted);
}

PipelineSettings read_pipeline(const std::filesystem::path& file) {
  const std::string ending = file.extension();
  if (ending != ".yaml" && ending != ".yml") throw Error(file.string(), "another ending", "a pipeline.yaml of zea");
  const Json json = Json::parse(outline_in_reader_process(request_for(file)), nullptr, false);
  PipelineSettings settings;
  const auto take = [&](const char* key, std::vector<std::string>& into) {
    if (!json.is_object() || !json.contains(key) || !json[key].is_array()) return;
    for (const Json& one : json[key])
      if (one.is_string()) into.push_back(plain_text(one.get<std::string>()).substr(0, 200));
  };
  take("set", settings.set);
  take("not_available", settings.not_available);
  return settings;
}

void allow_reading_unsandboxed() { reader_settings().unsandboxed = true; }
void read_nothing_ahead() { reader_settings().read_ahead = false; }

std::string sandbox_text() {
  const std::string program = reader_program().string(), question = kSandboxQuestion;
  char* const words[] = {const_cast<char*>(program.c_str()), const_cast<char*>(question.c_str()), nullptr};
  char* const no_environment[] = {nullptr};
  pid_t pid = -1;
  int status = 0;
  if (::posix_spawn(&pid, program.c_str(), nullptr, nullptr, words, no_environment) != 0 ||
      ::waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || (WEXITSTATUS(status) & kSandboxAnswer) == 0)
    return "no reader program: " + program;
  std::string text = (WEXITSTATUS(status) & kIsStaticProgram) != 0 ? "static reader" : "reader";
  const char* separator = ": ";
  for (const auto& [bit, name] : {std::pair{kHasSeccomp, "seccomp"}, std::pair{kHasLandlock, "Landlock"},
                                  std::pair{kHasNamespaces, "namespaces"}, std::pair{kHasProcesses, "pid namespace"}}) {
    if ((WEXITSTATUS(status) & bit) == 0) continue;
    text += separator + std::string(name);
    separator = ", ";
  }
  return text == "reader" || text == "static reader" ? text + ": not sandboxed" : text;
}

void stop_reading_when(std::function<bool()> ending) { reader_settings().ending = std::move(ending); }

namespace {

constexpr std::size_t kHashedBytes = 65'536;  // at each end

struct Used {
  std::mutex mutex;
  std::map<std::string, std::string> texts;  // key: absolute path; under mutex
};

Used& used() {
  static Used all;
  return all;
}

std::filesystem::path& own_folder() {
  static std::filesystem::path folder;
  return folder;
}

bool has_own_folder() {
  std::error_code error;
  return !own_folder().empty() && std::filesystem::is_directory(own_folder(), error);
}

std::string key_of(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(file, error);
  return error ? file.string() : whole.string();
}

std::uint64_t hash_on(std::uint64_t hash, std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace

void keep_descriptions_in(const std::filesystem::path& folder) { own_folder() = folder; }

std::string content_name(std::span<const std::byte> file) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  if (file.size() <= 2 * kHashedBytes)
    hash = hash_on(hash, file);
  else
    hash = hash_on(hash_on(hash, file.first(kHashedBytes)), file.last(kHashedBytes));
  char text[64];
  std::snprintf(text, sizeof text, "%zu-%016llx.json", file.size(), static_cast<unsigned long long>(hash));
  return text;
}

void use_description(const std::filesystem::path& file, const std::string& json) {
  Used& all = used();
  const std::scoped_lock lock(all.mutex);
  if (json.empty())
    all.texts.erase(key_of(file));
  else
    all.texts[key_of(file)] = json;
}

void require_description(const std::string& what, const std::string& json) {
  static_cast<void>(parse_description(what, std::as_bytes(std::span(json))));
}

SidecarFile sidecar_of_text(const std::filesystem::path& name, const std::string& json) {
  const int fd = ::memfd_create("description", MFD_CLOEXEC);
  if (fd < 0) throw Error(name.string(), std::generic_category().message(errno), "memory for a description");
  std::size_t written = 0;
  while (written < json.size()) {
    const ssize_t n = ::write(fd, json.data() + written, json.size() - written);
    if (n <= 0) {
      ::close(fd);
      throw Error(name.string(), std::generic_category().message(errno), "memory for a description");
    }
    written += static_cast<std::size_t>(n);
  }
  return {name, MappedFile::adopt(fd, name.string())};
}

bool describes_file(const std::string& json, const std::string& file_name, SidecarKind kind) {
  Json description;
  try {
    description = parse_description(file_name, std::as_bytes(std::span(json)));
  } catch (const Error&) {
    return false;
  }
  return describes(description, file_name, kind);
}

std::optional<SidecarFile> used_description(const std::filesystem::path& file) {
  std::string text;
  {
    Used& all = used();
    const std::scoped_lock lock(all.mutex);
    if (all.texts.empty()) return std::nullopt;
    const auto found = all.texts.find(key_of(file));
    if (found == all.texts.end()) return std::nullopt;
    text = found->second;
  }
  std::filesystem::path name = file;
  return sidecar_of_text(name.replace_extension(".json"), text);
}

std::optional<SidecarFile> kept_description(std::span<const std::byte> content) {
  if (!has_own_folder() || content.empty()) return std::nullopt;
  std::error_code error;
  const std::filesystem::path path = own_folder() / content_name(content);
  if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) == 0)
    return std::nullopt;
  return SidecarFile{path, MappedFile::open(path)};
}

std::vector<std::filesystem::path> description_places(const std::filesystem::path& array_file) {
  std::filesystem::path whole = array_file, own = array_file;
  whole += ".json";
  own.replace_extension(".json");
  std::vector<std::filesystem::path> places{whole, own, array_file.parent_path() / "params.json"};
  if (std::error_code ignored; std::filesystem::is_directory(array_file, ignored))
    for (const char* const name : {"params.json", "meta.json", "metadata.json"}) places.push_back(array_file / name);
  if (array_file.extension() == ".raw")
    for (const char* const ending : {".yml", ".yaml"}) places.push_back(own.replace_extension(ending));
  return places;
}

std::vector<SidecarFile> sidecars_of(const std::filesystem::path& array_file, std::span<const std::byte> content) {
  std::vector<SidecarFile> found;
  if (auto used = used_description(array_file)) found.push_back(std::move(*used));
  for (const std::filesystem::path& path : description_places(array_file)) {
    std::error_code ignored;
    if (path == array_file || !std::filesystem::is_regular_file(path, ignored)) continue;
    if (std::filesystem::file_size(path, ignored) > 0) found.push_back({path, MappedFile::open(path)});
  }
  if (auto kept = kept_description(content)) found.push_back(std::move(*kept));
  return found;
}

void add_descriptions(OpenRequest& request) {
  std::vector<SidecarFile> found = sidecars_of(request.path, request.bytes());
  request.sidecars.insert(request.sidecars.begin(), found.begin(), found.end());
}

std::string description_from_elsewhere(const std::filesystem::path& file) {
  const auto one_line = [](const SidecarFile& sidecar) {
    return json_dump(parse_description(sidecar.path.string(), sidecar.file->bytes()));
  };
  if (const auto used = used_description(file)) return one_line(*used);
  if (!has_own_folder()) return "";
  const OpenRequest request = request_for(file);
  const auto kept = kept_description(request.bytes());
  if (!kept) return "";
  for (const SidecarFile& beside : sidecars_of(request.path, request.bytes())) {
    if (beside.path == kept->path) break;
    const auto bytes = beside.file->bytes();
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (describes_file(text, request.path.filename().string(), sidecar_kind(request, beside))) return "";
  }
  return one_line(*kept);
}

}  // namespace echoloop
