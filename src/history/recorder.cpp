#include "history/recorder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/process_memory.h"

namespace echoloop {
namespace {

// Initial estimates: time of a frame in the ring, and on a slow disk.
constexpr std::int64_t kSlowKeepNs = 100'000'000;
constexpr std::int64_t kSlowWriteNs = 1'000'000;
constexpr std::int64_t kSlowByteNs = 10;

std::int64_t older(std::int64_t a_ns, std::int64_t b_ns) {
  return a_ns == 0 || b_ns == 0 ? std::max(a_ns, b_ns) : std::min(a_ns, b_ns);
}

// Age at which frames are flushed, with all that wait for the disk.
constexpr std::int64_t kFlushNs = 100'000'000;

}  // namespace

void Recorder::start(std::unique_ptr<FrameFile> file, std::size_t frame_bytes) {
  finish();
  writer_ = std::move(file);
  {
    const std::scoped_lock lock(mutex_);
    status_ = {.state = RecorderState::recording, .path = writer_->path(), .problem = {}};
    times_.began_ns = times_.flushed_ns = options_.clock_ns();
    times_.write_ns = kSlowWriteNs + static_cast<std::int64_t>(frame_bytes) * kSlowByteNs;
    estimates_.keep_ns = kSlowKeepNs;
    times_.kept_ns = times_.began_ns;
    times_.unflushed_since_ns = 0;
    update_estimates();
    stopping_ = false;
    counting_ = recording_ = true;
  }
  thread_ = std::thread([this] { run(); });
}

void Recorder::stop() {
  {
    const std::scoped_lock lock(mutex_);
    counting_ = recording_ = false;
    stopping_ = true;
    if (status_.state == RecorderState::recording) status_.state = RecorderState::finishing;
  }
  changed_.notify_one();
}

void Recorder::finish() {
  stop();
  if (thread_.joinable()) thread_.join();
}

bool Recorder::ready(const RingLoad& ring) const {
  if (next_ != nullptr && !next_->ready(ring)) return false;
  if (!recording_) return true;
  if (estimates_.waiting_bytes >= options_.queue_bytes) return false;
  if (policy_ != RingPolicy::block) return true;
  // Checks the ring first: a frame that leaves it meanwhile is already here.
  const std::int64_t since_ns = older(ring.oldest_ns, estimates_.unsafe_since_ns);
  if (since_ns != 0 && ring.now_ns - since_ns > kUnsafeNs) return false;
  // Also limits the age that frames acquired now will reach. One frame may always wait for processing.
  return ring.frames * estimates_.keep_ns + estimates_.will_wait_ns <= kUnsafeNs ||
         (ring.frames <= 1 && estimates_.waiting_bytes == 0);
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

FrameMemory Recorder::offer(const RfFrame& frame, FrameMemory memory) {
  const auto pass_on = [&](FrameMemory own) { return next_ != nullptr ? next_->offer(frame, std::move(own)) : own; };
  const std::scoped_lock lock(mutex_);
  if (!counting_) return pass_on(std::move(memory));
  const bool drops_oldest = policy_ == RingPolicy::drop_oldest && !queue_.empty();
  const bool drops = drops_oldest || policy_ == RingPolicy::drop_oldest || policy_ == RingPolicy::drop_newest;
  const bool full = drops && estimates_.waiting_bytes >= options_.queue_bytes;
  const std::int64_t now = options_.clock_ns();
  const std::int64_t took_ns = now - std::max(std::exchange(times_.kept_ns, now), frame.stamp.acquired_ns);
  estimates_.keep_ns += (took_ns - estimates_.keep_ns) / 4;
  if (status_.state != RecorderState::recording || (full && !drops_oldest)) {
    ++status_.not_recorded;
    return pass_on(std::move(memory));
  }
  if (full) drop_front();
  if (lender_ != nullptr) {
    put({.frame = frame, .memory = {.bytes = {}, .owner = lender_}});
    return pass_on(std::move(memory));
  }
  const FrameMemory held = memory;
  FrameMemory other = pass_on(std::move(memory));
  const bool left_to_us = other.bytes.data() == held.bytes.data();
  if (left_to_us) {
    other = other_memory(held.bytes.size());
    if (other.bytes.empty()) {
      ++status_.not_recorded;
      fail("not enough memory for frames waiting for the disk");
      return held;
    }
  }
  put({.frame = frame, .memory = held, .taken_over = left_to_us});
  return other;
}

// Returns memory for the ring; empty: none. Under mutex_.
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
  estimates_.waiting_bytes += item.frame.samples.size();
  queue_.push_back(std::move(item));
  update_estimates();
  changed_.notify_one();
}

// Updates the start of unsafe frames and the wait of the last one. Under mutex_.
void Recorder::update_estimates() {
  const std::int64_t waiting_since_ns = queue_.empty() ? 0 : queue_.front().frame.stamp.acquired_ns;
  estimates_.unsafe_since_ns = older(times_.unflushed_since_ns, waiting_since_ns);
  estimates_.will_wait_ns = static_cast<std::int64_t>(queue_.size()) * times_.write_ns;
}

// Removes a frame: counts it and releases its memory; memory of the running stream is reused. Under mutex_.
void Recorder::settle(Waiting& item, std::uint64_t RecorderStatus::*count) {
  ++(status_.*count);
  estimates_.waiting_bytes -= item.frame.samples.size();
  update_estimates();
  const bool fits = item.memory.kind == feed_.kind && item.memory.bytes.size() == feed_.frame_bytes;
  const bool alone = item.memory.owner.use_count() == 1;  // an earlier sink may still write it
  if (item.taken_over && fits && alone && feed_.allocate != nullptr) spare_.push_back(std::move(item.memory));
}

void Recorder::drop_front() {
  Waiting item = std::move(queue_.front());
  queue_.pop_front();
  settle(item, &RecorderStatus::not_recorded);
}

// Ends the recording with the frames in the file. Under mutex_.
void Recorder::fail(const std::string& why) {
  status_.state = RecorderState::finishing;
  status_.problem = why;
  stopping_ = true;
  recording_ = false;
  while (!queue_.empty()) drop_front();
  changed_.notify_one();
}

RecorderStatus Recorder::status() const {
  const std::scoped_lock lock(mutex_);
  RecorderStatus status = status_;
  status.waiting = queue_.size();
  if (status.state == RecorderState::ended)
    status.seconds = static_cast<double>(times_.ended_ns - times_.began_ns) * 1e-9;
  if (status.state == RecorderState::recording || status.state == RecorderState::finishing)
    status.seconds = static_cast<double>(options_.clock_ns() - times_.began_ns) * 1e-9;
  return status;
}

// Recorder's thread: writes waiting frames, flushes them, completes the file.

// Returns samples that do not change. Throws Error if they were lost with their file.
std::span<const std::byte> Recorder::stable(std::span<const std::byte> samples) {
  if (!in_mapped_file(samples)) return samples;
  copy_.assign(samples.begin(), samples.end());
  require_readable(samples);
  return copy_;
}

void Recorder::write(FrameFile& writer, Waiting item) {
  const std::int64_t begin_ns = options_.clock_ns();
  try {
    if (options_.before_write) options_.before_write(item.frame);
    writer.append({.stamp = item.frame.stamp, .samples = stable(item.frame.samples)});
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    settle(item, &RecorderStatus::not_recorded);
    throw;
  }
  const std::scoped_lock lock(mutex_);
  status_.bytes += item.frame.samples.size();
  times_.write_ns += (options_.clock_ns() - begin_ns - times_.write_ns) / 4;
  settle(item, &RecorderStatus::frames);
}

// Under mutex_.
std::chrono::nanoseconds Recorder::until_flush() const {
  if (times_.unflushed_since_ns == 0) return std::chrono::nanoseconds(kFlushNs);
  return std::chrono::nanoseconds(
      std::max<std::int64_t>(times_.unflushed_since_ns + kFlushNs - options_.clock_ns(), 0));
}

// Flushes are at least kFlushNs apart while frames wait. Under mutex_.
bool Recorder::flush_is_due() const {
  const bool may_be = queue_.empty() || options_.clock_ns() - times_.flushed_ns >= kFlushNs;
  return may_be && until_flush().count() == 0;
}

// Makes all written frames safe.
void Recorder::flush(FrameFile& writer) {
  if (options_.before_flush) options_.before_flush();
  writer.count_not_recorded(status().not_recorded);
  writer.flush();
  if (options_.flushed) options_.flushed(writer.frames());
  const std::scoped_lock lock(mutex_);
  count_safe();
}

// Marks all written frames as safe. Under mutex_.
void Recorder::count_safe() {
  times_.flushed_ns = options_.clock_ns();
  const std::int64_t since_ns = std::exchange(times_.unflushed_since_ns, 0);
  update_estimates();
  if (since_ns == 0) return;
  status_.most_behind_s = std::max(status_.most_behind_s, static_cast<double>(times_.flushed_ns - since_ns) * 1e-9);
}

void Recorder::write_all(FrameFile& writer) {
  for (;;) {
    std::optional<Waiting> item;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, until_flush(), [this] { return !queue_.empty() || stopping_; });
      if (queue_.empty() && stopping_) return;
      if (!queue_.empty()) {
        item = std::move(queue_.front());
        queue_.pop_front();
        if (times_.unflushed_since_ns == 0) times_.unflushed_since_ns = item->frame.stamp.acquired_ns;
      }
    }
    if (item.has_value()) write(writer, std::move(*item));
    std::unique_lock lock(mutex_);
    if (!flush_is_due()) continue;
    lock.unlock();
    flush(writer);
  }
}

void Recorder::end_file(FrameFile& writer) {
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
  status_.path = writer.path();
  if (!status_.problem.empty() && !problem.empty()) status_.problem += "; ";
  status_.problem += problem;
  count_safe();
  times_.ended_ns = options_.clock_ns();
  status_.state = RecorderState::ended;
}

void Recorder::run() {
  const std::unique_ptr<FrameFile> writer = std::move(writer_);
  try {
    write_all(*writer);
  } catch (const std::exception& error) {
    const std::scoped_lock lock(mutex_);
    fail(error.what());
  }
  end_file(*writer);
}

}  // namespace echoloop
