#include "history/film.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>
#include <string_view>

#include "core/error.h"
#include "core/units.h"
#include "history/part_file.h"

namespace echoloop {
namespace {

struct Container {
  std::string_view extension;
  const char* format;                   // ffmpeg's name
  std::array<const char*, 4> encoders;  // in order of preference
};

constexpr std::array<Container, 3> kContainers = {
    {{".mp4", "mp4", {"libx264", "libopenh264", "libvpx-vp9", "mpeg4"}},
     {".webm", "webm", {"libvpx-vp9", "libvpx", "libaom-av1", "libsvtav1"}},
     {".mkv", "matroska", {"libx264", "libopenh264", "libvpx-vp9", "mpeg4"}}}};

const Container& container_of(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  for (const Container& c : kContainers)
    if (c.extension == extension) return c;
  throw Error(path.string(), extension.empty() ? "no file extension" : "file extension '" + extension + "'",
              ".mp4, .webm or .mkv");
}

}  // namespace

void check_film_name(const std::filesystem::path& path) {
  (void)container_of(path);
  if (const std::string why = why_no_films(); !why.empty()) throw Error(path.string(), why, "--png or --screenshot");
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    throw Error(path.string(), "the target is a device or a pipe", "a file name");
}

namespace {

constexpr const char* kProgram = "ffmpeg";

// Lists the encoders of the installed ffmpeg, " V....D libx264   libx264 H.264 / AVC ..." per line.
std::set<std::string> installed_encoders() {
  ChildProgram program({kProgram, "-hide_banner", "-encoders"});
  program.finish();
  std::set<std::string> names;
  std::istringstream lines(program.printed());
  for (std::string line, flags, name; std::getline(lines, line);) {
    std::istringstream words(line);
    if (words >> flags >> name && flags.size() == 6 && flags.front() == 'V') names.insert(name);
  }
  return names;
}

const char* encoder_for(const Container& container) {
  static const std::set<std::string> installed = installed_encoders();
  for (const char* name : container.encoders)
    if (installed.contains(name)) return name;
  return nullptr;
}

using Arguments = std::vector<std::string>;

// Returns nearly lossless settings: a quantiser that keeps speckle's grays within one or two of 255.
Arguments quality_of(std::string_view encoder, const FilmFormat& format) {
  if (encoder == "libx264") return {"-preset", "veryfast", "-crf", "10"};
  if (encoder == "libvpx-vp9" || encoder == "libaom-av1")
    return {"-crf", "12", "-b:v", "0", "-deadline", "realtime", "-cpu-used", "5", "-row-mt", "1"};
  if (encoder == "libvpx") return {"-crf", "4", "-b:v", "100M", "-qmin", "0", "-deadline", "realtime"};
  if (encoder == "libsvtav1") return {"-crf", "12"};
  if (encoder == "mpeg4") return {"-q:v", "2"};
  return {"-b:v", fmt::format("{:.0f}", 4.0 * format.width * format.height * format.rate_hz)};  // 4 bits per pixel
}

Arguments arguments_for(const FilmFormat& format, const Container& container, const char* encoder,
                        const std::string& path) {
  Arguments all = {kProgram, "-hide_banner", "-v", "error", "-xerror", "-f", "rawvideo", "-pix_fmt", "rgb24"};
  const auto add = [&all](const Arguments& more) { all.insert(all.end(), more.begin(), more.end()); };
  add({"-video_size", fmt::format("{}x{}", format.width, format.height)});
  add({"-framerate", fmt::format("{:.6f}", format.rate_hz), "-i", "pipe:0"});
  add({"-vf", "scale=flags=bilinear+accurate_rnd+full_chroma_inp:out_color_matrix=bt709:out_range=tv"});
  add({"-pix_fmt", "yuv420p", "-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709"});
  add({"-color_trc", "bt709", "-c:v", encoder});
  add(quality_of(encoder, format));
  add({"-g", std::to_string(std::clamp(static_cast<int>(format.rate_hz), 1, 60))});  // one second, for seeking
  for (const auto& [key, value] : format.about) add({"-metadata", key + "=" + plain_text(value)});
  add({"-f", container.format, "-y", "file:" + path});
  return all;
}

// Copies the images with a comment, which is known only at the end.
Arguments arguments_to_copy(const std::string& from, const Container& container, const std::string& comment,
                            const std::string& to) {
  Arguments all = {kProgram, "-hide_banner", "-v", "error", "-xerror", "-i", "file:" + from, "-c", "copy"};
  if (!comment.empty()) all.insert(all.end(), {"-metadata", "comment=" + plain_text(comment)});
  if (std::string_view(container.format) == "mp4") all.insert(all.end(), {"-movflags", "+faststart"});
  all.insert(all.end(), {"-f", container.format, "-y", "file:" + to});
  return all;
}

// Returns the last line printed by ffmpeg, or the usual message of a full disk.
std::string cause_in(const std::string& printed, int status) {
  if (printed.find("No space left on device") != std::string::npos) return disk_error_text(ENOSPC);
  std::istringstream lines(printed);
  std::string last;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) last = line;
  return last.empty() ? fmt::format("ffmpeg ended with status {}", status) : "ffmpeg: " + last;
}

}  // namespace

struct Film::Impl {
  explicit Impl(const FilmFormat& f) : format(f), file(std::in_place, f.path) {}
  void open(const Container& container);
  void end();  // waits for the program
  [[noreturn]] void fail() {
    const int status = program->finish();
    file->fail(cause_in(program->printed(), status));
  }

  FilmFormat format;
  std::optional<PartFile> file;           // the images
  std::unique_ptr<ChildProgram> program;  // killed before `file` removes its output
  std::string encoder;
};

void Film::Impl::open(const Container& container) {
  const char* const name = encoder_for(container);
  if (name == nullptr) file->fail("the installed ffmpeg has no encoder for " + std::string(container.extension));
  encoder = name;
  program = std::make_unique<ChildProgram>(arguments_for(format, container, name, file->part().string()));
}

Film::Film(const FilmFormat& format) : impl_(std::make_unique<Impl>(format)) {
  check_film_name(format.path);
  impl_->open(container_of(format.path));
}

Film::~Film() = default;

void Film::add(std::span<const std::uint8_t> rgb) {
  if (!impl_->program->write(rgb)) impl_->fail();
}

void Film::Impl::end() {
  const int status = program->finish();
  const std::string printed = program->printed();  // an error of the last write does not change the exit status
  if (status != 0 || !printed.empty()) file->fail(cause_in(printed, status));
}

void Film::finish(const std::string& comment) {
  impl_->end();
  PartFile whole(impl_->format.path);
  impl_->program = std::make_unique<ChildProgram>(arguments_to_copy(
      impl_->file->part().string(), container_of(impl_->format.path), comment, whole.part().string()));
  impl_->end();
  impl_->file.reset();
  whole.commit();
}

const std::string& Film::codec() const { return impl_->encoder; }

std::string why_no_films() {
  return is_on_path(kProgram) ? "" : "the program ffmpeg was not found (Debian's package is ffmpeg)";
}

}  // namespace echoloop

extern char** environ;

namespace echoloop {
namespace {

constexpr timeval kSendLimit{.tv_sec = 60, .tv_usec = 0};

int status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

}  // namespace

ChildProgram::ChildProgram(const std::vector<std::string>& arguments) {
  const auto cannot = [&](const char* doing) {
    throw Error(arguments.front(), std::string(doing) + ": " + std::strerror(errno),
                "a system that can start another program");
  };
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) cannot("no socket");
  input_ = FileDescriptor(ends[0]);
  const FileDescriptor theirs(ends[1]);
  ::setsockopt(input_.get(), SOL_SOCKET, SO_SNDTIMEO, &kSendLimit, sizeof kSendLimit);
  printed_ = FileDescriptor(::memfd_create("printed", MFD_CLOEXEC));
  if (printed_.get() < 0) cannot("no memory file");

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, theirs.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, printed_.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, printed_.get(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);  // independent of this thread's mask
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const int failed = posix_spawnp(&pid_, words.front(), &files, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failed == 0) return;
  pid_ = -1;
  errno = failed;
  cannot("cannot be started");
}

ChildProgram::~ChildProgram() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool ChildProgram::write(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(input_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

void ChildProgram::interrupt() {
  if (pid_ >= 0) ::kill(pid_, SIGTERM);
}

std::optional<int> ChildProgram::ended() {
  int status = 0;
  if (pid_ < 0 || ::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  pid_ = -1;
  return status_of(status);
}

int ChildProgram::finish() {
  ::shutdown(input_.get(), SHUT_WR);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status_of(status);
}

std::string ChildProgram::printed() const {
  std::string text(static_cast<std::size_t>(std::max<off_t>(0, ::lseek(printed_.get(), 0, SEEK_END))), '\0');
  const ssize_t got = ::pread(printed_.get(), text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  return text;
}

bool is_on_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace echoloop
