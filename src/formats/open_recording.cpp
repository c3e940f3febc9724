// The viewer's side of opening a file: maps it, and has the reader process look inside.
#include "formats/open_recording.h"

#include <spawn.h>
#include <sys/wait.h>

#include <utility>

#include "core/error.h"
#include "formats/own_descriptions.h"
#include "formats/sandbox/reader_process.h"
#include "formats/sandbox/reader_settings.h"

namespace echoloop {

namespace {

Recording open_with(const std::filesystem::path& path, const std::string* description, const OpenProgress& progress,
                    std::stop_token stop) {
  OpenRequest request = request_for(path, progress, std::move(stop));
  request.advance(0.0);
  request.sidecars = sidecars_of(request.path, request.bytes());
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
    require_readable(request.bytes());  // empty pages are the reason for whatever was wrong
    throw;
  }
}

}  // namespace

Recording open_recording(const std::filesystem::path& path, const OpenProgress& progress, std::stop_token stop) {
  return open_with(path, nullptr, progress, std::move(stop));
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

void allow_reading_unsandboxed() { reader_settings().unsandboxed = true; }

std::string sandbox_text() {
  const std::string program = reader_program().string(), question = kSandboxQuestion;
  char* const words[] = {const_cast<char*>(program.c_str()), const_cast<char*>(question.c_str()), nullptr};
  char* const no_environment[] = {nullptr};
  pid_t pid = -1;
  int status = 0;
  if (::posix_spawn(&pid, program.c_str(), nullptr, nullptr, words, no_environment) != 0 ||
      ::waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || (WEXITSTATUS(status) & kSandboxAnswer) == 0) {
    return "no reader program: " + program;
  }
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

}  // namespace echoloop
