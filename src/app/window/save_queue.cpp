#include "app/window/save_queue.h"

#include <exception>
#include <utility>

namespace echoloop {

SaveQueue::SaveQueue() : thread_([this] { run(); }) {}

SaveQueue::~SaveQueue() {
  {
    const std::scoped_lock lock(mutex_);
    quit_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void SaveQueue::add(Write write) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(std::move(write));
  }
  changed_.notify_all();
}

std::optional<SaveQueue::Result> SaveQueue::take() {
  const std::scoped_lock lock(mutex_);
  if (written_.empty()) return std::nullopt;
  Result result = std::move(written_.front());
  written_.pop_front();
  return result;
}

bool SaveQueue::busy() const {
  const std::scoped_lock lock(mutex_);
  return writing_ || !waiting_.empty() || !written_.empty();
}

void SaveQueue::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && !writing_; });
}

void SaveQueue::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return quit_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Write write = std::move(waiting_.front());
    waiting_.pop_front();
    writing_ = true;
    lock.unlock();
    Result result;
    try {
      result.text = write();
    } catch (const std::exception& error) {
      result = {.text = error.what(), .failed = true};
    }
    lock.lock();
    writing_ = false;
    written_.push_back(std::move(result));
    changed_.notify_all();
  }
}

}  // namespace echoloop
