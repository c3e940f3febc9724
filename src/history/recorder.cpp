#include "history/recorder.h"

#include <chrono>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

// A killed program loses at most what came since the last flush.
constexpr std::int64_t kFlushNs = 250'000'000;
// What waits is lost with it: when the source can wait, frames do not, longer than this.
constexpr std::int64_t kLongestWaitNs = 400'000'000;

}  // namespace

void Recorder::start(const std::filesystem::path& file, AcquisitionPtr acquisition, const RecordingAbout& about) {
  finish();
  writer_ = std::make_unique<UffWriter>(file, std::move(acquisition), about);
  {
    const std::scoped_lock lock(mutex_);
    status_ = {.state = RecorderState::recording, .path = file, .problem = {}};
    began_ns_ = now_ns();
    stopping_ = false;
    counting_ = true;
  }
  thread_ = std::thread([this] { run(); });
}

void Recorder::stop() {
  {
    const std::scoped_lock lock(mutex_);
    counting_ = false;
    stopping_ = true;
    if (status_.state == RecorderState::recording) status_.state = RecorderState::finishing;
  }
  changed_.notify_one();
}

void Recorder::finish() {
  stop();
  if (thread_.joinable()) thread_.join();
}

bool Recorder::has_room() const {
  if (!counting_) return true;
  if (waiting_bytes_ >= options_.queue_bytes) return false;
  if (policy_ != RingPolicy::block) return true;
  const std::int64_t since_ns = waiting_since_ns_;
  const bool waits_long = since_ns != 0 && now_ns() - since_ns > kLongestWaitNs;
  return !waits_long && will_wait_ns_ <= kLongestWaitNs;
}

void Recorder::begin(HistoryFeed feed) {
  std::shared_ptr<const void> lender = feed.lend != nullptr ? feed.lend(0).owner : nullptr;
  const std::scoped_lock lock(mutex_);
  feed_ = std::move(feed);
  lender_ = std::move(lender);
  spare_.clear();
}

void Recorder::end() {
  const std::scoped_lock lock(mutex_);
  feed_ = {};
  lender_.reset();
  spare_.clear();
}

FrameMemory Recorder::keep(const RfFrame& frame, FrameMemory memory) {
  const auto pass_on = [&](FrameMemory own) { return next_ != nullptr ? next_->keep(frame, std::move(own)) : own; };
  const std::scoped_lock lock(mutex_);
  if (!counting_) return pass_on(std::move(memory));
  const bool drops_oldest = policy_ == RingPolicy::drop_oldest && !queue_.empty();
  const bool drops = drops_oldest || policy_ == RingPolicy::drop_oldest || policy_ == RingPolicy::drop_newest;
  const bool full = drops && !has_room();
  if (status_.state != RecorderState::recording || (full && !drops_oldest)) {
    ++status_.not_recorded;
    return pass_on(std::move(memory));
  }
  if (full) drop_front();
  if (lender_ != nullptr) {
    put({.frame = frame, .since_ns = now_ns(), .memory = {.bytes = {}, .owner = lender_}});
    return pass_on(std::move(memory));
  }
  const FrameMemory held = memory;
  FrameMemory other = pass_on(std::move(memory));
  const bool left_to_us = other.bytes.data() == held.bytes.data();
  if (left_to_us) {
    other = other_memory(held.bytes.size());
    if (other.bytes.empty()) {
      ++status_.not_recorded;
      fail("there is no memory for frames that wait for the disk");
      return held;
    }
  }
  put({.frame = frame, .since_ns = now_ns(), .memory = held, .taken_over = left_to_us});
  return other;
}

// For the ring; empty when there is none. Under mutex_.
FrameMemory Recorder::other_memory(std::size_t bytes) {
  if (!spare_.empty()) {
    FrameMemory other = std::move(spare_.back());
    spare_.pop_back();
    return other;
  }
  try {
    return feed_.allocate != nullptr ? feed_.allocate(bytes) : FrameMemory{};
  } catch (const std::exception&) {
    return {};
  }
}

void Recorder::put(Waiting item) {
  waiting_bytes_ += item.frame.samples.size();
  queue_.push_back(std::move(item));
  reckon();
  changed_.notify_one();
}

// How long frames have waited, and the last of them will. Under mutex_.
void Recorder::reckon() {
  waiting_since_ns_ = queue_.empty() ? 0 : queue_.front().since_ns;
  will_wait_ns_ = static_cast<std::int64_t>(queue_.size()) * write_ns_;
}

// A frame leaves: counted, its memory given back. Memory of the stream that runs serves again. Under mutex_.
void Recorder::settle(Waiting& item, std::uint64_t RecorderStatus::*count) {
  ++(status_.*count);
  waiting_bytes_ -= item.frame.samples.size();
  reckon();
  const bool fits = item.memory.kind == feed_.kind && item.memory.bytes.size() == feed_.frame_bytes;
  if (item.taken_over && fits && feed_.allocate != nullptr) spare_.push_back(std::move(item.memory));
}

void Recorder::drop_front() {
  Waiting item = std::move(queue_.front());
  queue_.pop_front();
  settle(item, &RecorderStatus::not_recorded);
}

// The recording ends here, with what is in the file. Under mutex_.
void Recorder::fail(const std::string& why) {
  status_.state = RecorderState::finishing;
  status_.problem = why;
  stopping_ = true;
  while (!queue_.empty()) drop_front();
  changed_.notify_one();
}

void Recorder::write(UffWriter& writer, Waiting item) {
  const std::int64_t begin_ns = now_ns();
  try {
    if (options_.before_write) options_.before_write(item.frame);
    writer.append(item.frame);
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    settle(item, &RecorderStatus::not_recorded);
    throw;
  }
  const std::scoped_lock lock(mutex_);
  status_.bytes += item.frame.samples.size();
  const std::int64_t took_ns = now_ns() - begin_ns;
  write_ns_ = write_ns_ == 0 ? took_ns : write_ns_ + (took_ns - write_ns_) / 4;
  settle(item, &RecorderStatus::frames);
}

void Recorder::write_all(UffWriter& writer) {
  std::int64_t flushed_ns = now_ns();
  for (;;) {
    std::optional<Waiting> item;
    std::uint64_t not_recorded = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, std::chrono::nanoseconds(kFlushNs), [this] { return !queue_.empty() || stopping_; });
      if (queue_.empty() && stopping_) return;
      if (!queue_.empty()) {
        item = std::move(queue_.front());
        queue_.pop_front();
      }
      not_recorded = status_.not_recorded;
    }
    if (item.has_value()) write(writer, std::move(*item));
    if (now_ns() - flushed_ns < kFlushNs) continue;
    writer.count_not_recorded(not_recorded);
    writer.flush();
    flushed_ns = now_ns();
  }
}

void Recorder::end_file(UffWriter& writer) {
  const std::uint64_t not_recorded = status().not_recorded;
  std::string problem;
  try {
    writer.count_not_recorded(not_recorded);
    writer.finish();
    if (writer.frames() == 0) problem = "no frame was recorded";
  } catch (const std::exception& error) {
    problem = error.what();
  }
  const std::scoped_lock lock(mutex_);
  if (!status_.problem.empty() && !problem.empty()) status_.problem += "; ";
  status_.problem += problem;
  ended_ns_ = now_ns();
  status_.state = RecorderState::ended;
}

void Recorder::run() {
  const std::unique_ptr<UffWriter> writer = std::move(writer_);
  try {
    write_all(*writer);
  } catch (const std::exception& error) {
    const std::scoped_lock lock(mutex_);
    fail(error.what());
  }
  end_file(*writer);
}

RecorderStatus Recorder::status() const {
  const std::scoped_lock lock(mutex_);
  RecorderStatus status = status_;
  status.waiting = queue_.size();
  if (status.state == RecorderState::ended) status.seconds = static_cast<double>(ended_ns_ - began_ns_) * 1e-9;
  if (status.state == RecorderState::recording || status.state == RecorderState::finishing) {
    status.seconds = static_cast<double>(now_ns() - began_ns_) * 1e-9;
  }
  return status;
}

}  // namespace echoloop
