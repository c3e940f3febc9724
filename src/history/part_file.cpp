#include "history/part_file.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>  // renameat2
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPartial = ".partial";
constexpr std::chrono::milliseconds kLook{50};  // polling interval for the program's end

fs::path numbered(const fs::path& path, int n) {
  fs::path name = path.stem();
  name += "_" + std::to_string(n);
  name += path.extension();
  return path.parent_path() / name;
}

// Blocks SIGPIPE in this thread while a file is written, so that a pipe without a reader is a write error.
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
  constexpr int kMostLinks = 40;  // limit of Linux
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return file;  // links of /proc have targets without a name
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
  if (::close(file) != 0 && errno != EINTR) fail(errno);  // network file systems may report write errors here
}

// Opens in place; waits for a pipe's reader until the program ends.
int PartFile::open_in_place() const {
  for (bool said = false;; said = true) {
    const int file = ::open(part_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0 || errno != ENXIO || !fs::is_fifo(part_)) return file;
    if (long_work_ended()) fail("no program reads this pipe");
    if (!said) std::fprintf(stderr, "Waiting for a program that reads %s\n", plain_text(path_.string()).c_str());
    std::this_thread::sleep_for(kLook);
  }
}

// Waits until a pipe accepts more or is broken; at the program's end for a second.
void PartFile::await_room(int file) const {
  constexpr int kLooksAtTheEnd = 20;
  pollfd pipe{.fd = file, .events = POLLOUT, .revents = 0};
  for (int looks = 0; ::poll(&pipe, 1, static_cast<int>(kLook.count())) <= 0;)
    if (long_work_ended() && ++looks == kLooksAtTheEnd) fail("the program that reads this pipe takes no more");
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
    if (errno == EINVAL && !fs::exists(name)) {  // file system without this flag
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

namespace {

constexpr std::uint64_t kStep = std::uint64_t{64} << 20;  // reserved at a time, if available

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

std::unique_ptr<DiskRoom> DiskRoom::create(const std::filesystem::path& file) {
  const int opened = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (opened < 0 && errno == EEXIST) return nullptr;
  if (opened < 0) throw std::system_error(errno, std::generic_category());
  struct flock whole = whole_file();
  ::fcntl(opened, F_OFD_SETLK, &whole);
  return std::unique_ptr<DiskRoom>(new DiskRoom(opened));
}

DiskRoom::~DiskRoom() { ::close(file_); }

bool is_growing(const std::filesystem::path& file) {
  const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (opened < 0) return false;
  struct flock whole = whole_file();
  const bool locked = ::fcntl(opened, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
  ::close(opened);
  return locked;
}

std::string DiskRoom::take(std::size_t bytes) {
  struct stat status {};
  if (::fstat(file_, &status) != 0) return {};  // write() will report it
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const std::uint64_t end = size + bytes + kMargin;
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && end > limit.rlim_cur)
    return disk_error_text(EFBIG);
  if (end <= taken_) return {};
  if (reserve(size, end + kStep).empty()) return {};
  return reserve(size, end);
}

// Reserves blocks beyond the file's end, without changing its size.
std::string DiskRoom::reserve(std::uint64_t size, std::uint64_t end) {
  const std::uint64_t begin = std::max(size, taken_);
  if (::fallocate(file_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin), static_cast<off_t>(end - begin)) == 0) {
    taken_ = end;
    return {};
  }
  if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL) return disk_error_text(errno);
  struct statvfs disk {};  // file system without reservation: checks the free space
  if (::fstatvfs(file_, &disk) != 0) return {};
  const std::uint64_t free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
  return end - size > free ? disk_error_text(ENOSPC) : std::string();
}

void DiskRoom::give_back() {
  struct stat status {};
  if (taken_ == 0 || ::fstat(file_, &status) != 0) return;
  if (::ftruncate(file_, status.st_size) == 0) taken_ = 0;  // same length: frees the blocks beyond it
}

std::string DiskRoom::sync() const {
  if (::fsync(file_) == 0 || errno == EINVAL) return {};  // EINVAL: not supported by the file system
  return disk_error_text(errno);
}

DiskSync::DiskSync(int file) : thread_([this, file] { run(file); }) {}

DiskSync::~DiskSync() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void DiskSync::request() {
  {
    const std::scoped_lock lock(mutex_);
    wanted_ = true;
  }
  changed_.notify_one();
}

std::string DiskSync::problem() const {
  const std::scoped_lock lock(mutex_);
  return error_ == 0 ? std::string() : disk_error_text(error_);
}

void DiskSync::run(int file) {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    changed_.wait(lock, [this] { return wanted_ || ended_; });
    if (ended_) return;
    wanted_ = false;
    lock.unlock();
    const bool failed = ::fdatasync(file) != 0 && errno != EINVAL;  // EINVAL: not supported by the file system
    const int error = failed ? errno : 0;
    lock.lock();
    if (failed) error_ = error;
    changed_.wait_for(lock, kEvery, [this] { return ended_; });
  }
}

namespace fs = std::filesystem;

void refuse_growing_file(const fs::path& file, const std::string& why) {
  throw Fault(file.string(), "cannot be recorded: " + why, "a writable folder with enough free space");
}

GrowingFile make_growing_file(const fs::path& file) {
  std::error_code unreadable;
  const fs::file_status there = fs::status(file, unreadable);
  if (fs::is_directory(there)) throw Error(file.string(), "the target is a folder", "a file name");
  if (fs::exists(there) && !fs::is_regular_file(there))
    throw Error(file.string(), "the target is a device or a pipe", "a file name");
  constexpr int kMostTries = 10'000;
  GrowingFile made;
  try {
    for (int n = 1; made.room == nullptr && n <= kMostTries; ++n) {
      made.partial = partial_name(file, n);
      made.room = DiskRoom::create(made.partial);
    }
  } catch (const std::system_error& error) {
    refuse_growing_file(file, disk_error_text(error.code().value()));
  }
  if (made.room == nullptr) refuse_growing_file(file, "no free name beside " + made.partial.string());
  return made;
}

fs::path end_growing_file(const GrowingFile& file, const fs::path& to, std::uint64_t frames) {
  file.room->give_back();
  if (frames == 0) {
    fs::remove(file.partial);
    return to;
  }
  if (const std::string why = file.room->sync(); !why.empty()) throw std::runtime_error(why);
  return rename_to_free_name(file.partial, to);
}

std::string growing_file_remains(const fs::path& partial, const std::string& why) {
  return "the file could not be completed and remains as " + partial.string() + " (" + why + ")";
}

}  // namespace echoloop
