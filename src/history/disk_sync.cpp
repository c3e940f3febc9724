#include "history/disk_sync.h"

#include <unistd.h>

#include <cerrno>

#include "history/part_file.h"

namespace echoloop {

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

}  // namespace echoloop
