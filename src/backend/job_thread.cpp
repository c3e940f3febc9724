#include "backend/job_thread.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace echoloop {

JobThread::JobThread(Work work) : work_(std::move(work)), thread_([this] { run(); }) {}

JobThread::~JobThread() {
  {
    const std::scoped_lock lock(mutex_);
    quit_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void JobThread::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_ < 0 && in_work_ < 0; });
}

bool JobThread::busy() const {
  const std::scoped_lock lock(mutex_);
  return waiting_ >= 0 || in_work_ >= 0;
}

std::string JobThread::take_fault() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(fault_, {});
}

template <class Step>
void JobThread::attempt(Step&& step) {
  try {
    step();
  } catch (const std::exception& error) {
    const std::scoped_lock lock(mutex_);
    fault_ = error.what();
    failed_ = true;
  }
}

void JobThread::run() {
  if (work_.begin) attempt(work_.begin);
  while (true) {
    int slot = 0;
    {
      std::unique_lock lock(mutex_);
      const auto due = [this] { return waiting_ >= 0 || quit_; };
      if (work_.look_every.count() > 0) {
        changed_.wait_for(lock, work_.look_every, due);
      } else {
        changed_.wait(lock, due);
      }
      if (quit_) return;
      slot = in_work_ = std::max(std::exchange(waiting_, -1), 0);
    }
    if (!failed_) attempt([&] { work_.job(slot); });
    {
      const std::scoped_lock lock(mutex_);
      in_work_ = -1;
    }
    changed_.notify_all();
  }
}

}  // namespace echoloop
