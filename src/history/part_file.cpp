#include "history/part_file.h"

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
  part_ = target_;
  part_ += ".part" + std::to_string(::getpid());
}

PartFile::~PartFile() {
  if (replaces_ && !committed_) std::remove(part_.c_str());
}

void PartFile::commit() {
  committed_ = true;
  if (!replaces_) return;
  std::error_code error;
  fs::rename(part_, target_, error);
  if (!error) return;
  std::remove(part_.c_str());
  fail(error.value());
}

void PartFile::fail(int system_error) const { fail(disk_error_text(system_error)); }

void PartFile::fail(const std::string& why) const {
  throw Error(path_.string(), "cannot be written: " + why, "a writable folder with enough free space");
}

}  // namespace echoloop
