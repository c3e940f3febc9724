#include "history/part_file.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>  // renameat2
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include "core/error.h"
#include "core/long_work.h"
#include "core/plain_text.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPartial = ".partial";
constexpr std::chrono::milliseconds kLook{50};  // between two looks at whether the program is to end

fs::path numbered(const fs::path& path, int n) {
  fs::path name = path.stem();
  name += "_" + std::to_string(n);
  name += path.extension();
  return path.parent_path() / name;
}

// While a file is written, a pipe without a reader is an error of writing, not the end of the program. Of this thread.
class BrokenPipesHeld {
 public:
  BrokenPipesHeld() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~BrokenPipesHeld() {
    const timespec now{};
    sigtimedwait(&pipe_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  BrokenPipesHeld(const BrokenPipesHeld&) = delete;
  BrokenPipesHeld& operator=(const BrokenPipesHeld&) = delete;

 private:
  sigset_t pipe_{}, before_{};
};

}  // namespace

namespace fs = std::filesystem;

std::string disk_error_text(int system_error) {
  return system_error == ENOSPC ? "the disk is full" : std::strerror(system_error);
}

fs::path link_target(fs::path file) {
  constexpr int kMostLinks = 40;  // as many as Linux follows
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return file;  // links of /proc lead there, and have no name
  for (int links = 0; fs::is_symlink(fs::symlink_status(file, error)); ++links) {
    if (links == kMostLinks) throw Error(file.string(), "a link that leads to itself", "a file name");
    file = file.parent_path() / fs::read_symlink(file, error);
  }
  return file;
}

PartFile::PartFile(const fs::path& path) : path_(path), target_(link_target(path)) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {  // written to, never replaced
    replaces_ = false;
    part_ = path;
    return;
  }
  create_part();
}

PartFile::~PartFile() {
  if (created_) std::remove(part_.c_str());
}

void PartFile::create_part() {
  constexpr int kMostTries = 1000;
  const std::string ending = ".part" + std::to_string(::getpid());
  int file = -1;
  for (int n = 1; file < 0 && n <= kMostTries; ++n) {
    part_ = target_;
    part_ += n == 1 ? ending : ending + "_" + std::to_string(n);
    file = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0 && errno != EEXIST) fail(errno);
  }
  if (file < 0) fail(EEXIST);
  ::close(file);
  created_ = true;
}

void PartFile::write(std::span<const std::byte> bytes) const {
  const int file = replaces_ ? ::open(part_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW) : open_in_place();
  if (file < 0) fail(errno);
  const BrokenPipesHeld held;
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      await_room(file);
      continue;
    }
    if (written <= 0) {
      const int error = written < 0 ? errno : ENOSPC;
      ::close(file);
      fail(error);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  if (::close(file) != 0 && errno != EINTR) fail(errno);  // where a network's file system reports what it could not do
}

// A pipe waits for its reader as long as the program runs on.
int PartFile::open_in_place() const {
  for (bool said = false;; said = true) {
    const int file = ::open(part_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0 || errno != ENXIO || !fs::is_fifo(part_)) return file;
    if (long_work_ended()) fail("no program reads this pipe");
    if (!said) std::fprintf(stderr, "Waiting for a program that reads %s\n", plain_text(path_.string()).c_str());
    std::this_thread::sleep_for(kLook);
  }
}

// Until a pipe takes more, or is broken; once the program is to end, for a second.
void PartFile::await_room(int file) const {
  constexpr int kLooksAtTheEnd = 20;
  pollfd pipe{.fd = file, .events = POLLOUT, .revents = 0};
  for (int looks = 0; ::poll(&pipe, 1, static_cast<int>(kLook.count())) <= 0;) {
    if (long_work_ended() && ++looks == kLooksAtTheEnd) fail("the program that reads this pipe takes no more");
  }
}

void PartFile::commit() {
  if (!created_) return;
  std::error_code error;
  fs::rename(part_, target_, error);
  if (error) fail(error.value());
  created_ = false;
}

void PartFile::fail(int system_error) const { fail(disk_error_text(system_error)); }

void PartFile::fail(const std::string& why) const {
  throw Fault(path_.string(), "cannot be written: " + why,
              replaces_ ? "a writable folder with enough free space" : "a device with room, or a pipe with a reader");
}

fs::path rename_to_free_name(const fs::path& from, const fs::path& to) {
  constexpr int kMostTries = 10'000;
  fs::path name = to;
  for (int n = 2; n < kMostTries; ++n) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) == 0) return name;
    if (errno == EINVAL && !fs::exists(name)) {  // a file system that knows no such flag
      fs::rename(from, name);
      return name;
    }
    if (errno != EEXIST && errno != EINVAL) throw std::system_error(errno, std::generic_category());
    name = numbered(to, n);
  }
  throw std::runtime_error("no free name beside " + to.string());
}

fs::path partial_name(const fs::path& file, int n) {
  fs::path partial = file;
  partial += kPartial;
  if (n > 1) partial += std::to_string(n);
  return partial;
}

bool is_partial_name(const fs::path& file) {
  const std::string ending = file.extension().string();
  return ending.starts_with(kPartial) && std::all_of(ending.begin() + kPartial.size(), ending.end(), [](char c) {
           return std::isdigit(static_cast<unsigned char>(c)) != 0;
         });
}

fs::path name_of_partial(const fs::path& partial) {
  return is_partial_name(partial) ? partial.parent_path() / partial.stem() : partial;
}

}  // namespace echoloop
