// The recorder's thread: writes what waits, flushes so that it is safe, ends the file.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/mapped_files.h"
#include "history/recorder.h"

namespace echoloop {
namespace {

// Frames are made safe when they are so old, those that wait for the disk with them.
constexpr std::int64_t kFlushNs = 100'000'000;

}  // namespace

// Samples that stay as they are. Throws Error when they were lost with their file.
std::span<const std::byte> Recorder::stable(std::span<const std::byte> samples) {
  if (!in_mapped_file(samples)) return samples;
  copy_.assign(samples.begin(), samples.end());
  require_readable(samples);
  return copy_;
}

void Recorder::write(UffWriter& writer, Waiting item) {
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
  write_ns_ += (options_.clock_ns() - begin_ns - write_ns_) / 4;
  settle(item, &RecorderStatus::frames);
}

// Under mutex_.
std::chrono::nanoseconds Recorder::until_flush() const {
  if (unflushed_since_ns_ == 0) return std::chrono::nanoseconds(kFlushNs);
  return std::chrono::nanoseconds(std::max<std::int64_t>(unflushed_since_ns_ + kFlushNs - options_.clock_ns(), 0));
}

// While frames wait, flushes are at least kFlushNs apart. Under mutex_.
bool Recorder::flush_is_due() const {
  const bool may_be = queue_.empty() || options_.clock_ns() - flushed_ns_ >= kFlushNs;
  return may_be && until_flush().count() == 0;
}

// What has been written is safe after it.
void Recorder::flush(UffWriter& writer) {
  if (options_.before_flush) options_.before_flush();
  writer.count_not_recorded(status().not_recorded);
  writer.flush();
  if (options_.flushed) options_.flushed(writer.frames());
  const std::scoped_lock lock(mutex_);
  count_safe();
}

// All that has been written is. Under mutex_.
void Recorder::count_safe() {
  flushed_ns_ = options_.clock_ns();
  const std::int64_t since_ns = std::exchange(unflushed_since_ns_, 0);
  reckon();
  if (since_ns == 0) return;
  status_.most_behind_s = std::max(status_.most_behind_s, static_cast<double>(flushed_ns_ - since_ns) * 1e-9);
}

void Recorder::write_all(UffWriter& writer) {
  for (;;) {
    std::optional<Waiting> item;
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, until_flush(), [this] { return !queue_.empty() || stopping_; });
      if (queue_.empty() && stopping_) return;
      if (!queue_.empty()) {
        item = std::move(queue_.front());
        queue_.pop_front();
        if (unflushed_since_ns_ == 0) unflushed_since_ns_ = item->frame.stamp.acquired_ns;
      }
    }
    if (item.has_value()) write(writer, std::move(*item));
    std::unique_lock lock(mutex_);
    if (!flush_is_due()) continue;
    lock.unlock();
    flush(writer);
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
  status_.path = writer.path();
  if (!status_.problem.empty() && !problem.empty()) status_.problem += "; ";
  status_.problem += problem;
  count_safe();
  ended_ns_ = options_.clock_ns();
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

}  // namespace echoloop
