#include "history/part_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/error.h"

namespace echoloop {

namespace fs = std::filesystem;

std::string disk_error_text(int system_error) {
  return system_error == ENOSPC ? "the disk is full" : std::strerror(system_error);
}

PartFile::PartFile(const fs::path& path) : path_(path), target_(path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {  // written to, never replaced
    replaces_ = false;
    part_ = path;
    return;
  }
  if (fs::is_symlink(fs::symlink_status(path, error))) {
    target_ = fs::weakly_canonical(path, error);
    if (error) fail(error.message());
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
  const int file = ::open(part_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | (replaces_ ? O_NOFOLLOW : 0));
  if (file < 0) fail(errno);
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int error = written < 0 ? errno : ENOSPC;
      ::close(file);
      fail(error);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  if (::close(file) != 0 && errno != EINTR) fail(errno);  // where a network's file system reports what it could not do
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
  throw Error(path_.string(), "cannot be written: " + why, "a writable folder with enough free space");
}

}  // namespace echoloop
