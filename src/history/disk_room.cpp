#include "history/disk_room.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "core/error.h"
#include "history/part_file.h"

namespace echoloop {
namespace {

constexpr std::uint64_t kStep = std::uint64_t{64} << 20;  // taken at a time, where there is so much

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
  if (::fstat(file_, &status) != 0) return {};  // then the writing itself will tell
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const std::uint64_t end = size + bytes + kMargin;
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && end > limit.rlim_cur) {
    return disk_error_text(EFBIG);
  }
  if (end <= taken_) return {};
  if (reserve(size, end + kStep).empty()) return {};
  return reserve(size, end);
}

// Blocks beyond the file's end, without making it longer.
std::string DiskRoom::reserve(std::uint64_t size, std::uint64_t end) {
  const std::uint64_t begin = std::max(size, taken_);
  if (::fallocate(file_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin), static_cast<off_t>(end - begin)) == 0) {
    taken_ = end;
    return {};
  }
  if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL) return disk_error_text(errno);
  struct statvfs disk {};  // a file system that cannot reserve: at least what is free now
  if (::fstatvfs(file_, &disk) != 0) return {};
  const std::uint64_t free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
  return end - size > free ? disk_error_text(ENOSPC) : std::string();
}

void DiskRoom::give_back() {
  struct stat status {};
  if (taken_ == 0 || ::fstat(file_, &status) != 0) return;
  if (::ftruncate(file_, status.st_size) == 0) taken_ = 0;  // to the same length: frees what lies beyond it
}

std::string DiskRoom::sync() const {
  if (::fsync(file_) == 0 || errno == EINVAL) return {};  // EINVAL: a file system without it
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
    const bool failed = ::fdatasync(file) != 0 && errno != EINVAL;  // EINVAL: a file system without it
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
