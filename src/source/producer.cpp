#include "source/producer.h"

#include <chrono>
#include <cmath>
#include <exception>

#include "core/units.h"

namespace echoloop {
namespace {

// After a pause or a long wait for a slot, frames are not made up for in a burst: a schedule this late starts anew.
constexpr std::int64_t kLateLimitNs = 100'000'000;

}  // namespace

Producer::Producer(Source& source, FrameRing& ring, TimingTrace& trace, const ProducerOptions& options)
    : source_(source),
      ring_(ring),
      trace_(trace),
      rate_hz_(options.rate_hz),
      loop_(options.loop),
      paused_(options.paused),
      next_sequence_(options.first_sequence) {
  thread_ = std::thread([this] { run(); });
}

Producer::~Producer() {
  stop();
  thread_.join();
}

void Producer::set_rate(double rate_hz) {
  {
    const std::scoped_lock lock(mutex_);
    rate_hz_ = rate_hz;
  }
  changed_.notify_all();
}

void Producer::set_loop(bool loop) {
  {
    const std::scoped_lock lock(mutex_);
    loop_ = loop;
  }
  changed_.notify_all();
}

void Producer::set_paused(bool paused) {
  {
    const std::scoped_lock lock(mutex_);
    paused_ = paused;
  }
  changed_.notify_all();
}

void Producer::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
}

std::string Producer::report() const {
  const std::scoped_lock lock(mutex_);
  return report_;
}

void Producer::end(ProducerState state, const std::string& report) {
  {
    const std::scoped_lock lock(mutex_);
    report_ = report;
  }
  state_ = state;
}

// Waits until the next frame is due; false when the thread shall end.
bool Producer::wait_for_turn() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (stop_) return false;
    if (paused_) {
      changed_.wait(lock);
      due_ns_ = now_ns();
      continue;
    }
    const std::int64_t now = now_ns();
    if (!std::isfinite(rate_hz_) || rate_hz_ <= 0.0) {
      due_ns_ = now;
      return true;
    }
    if (due_ns_ <= now) {
      if (now - due_ns_ > kLateLimitNs) due_ns_ = now;
      due_ns_ += static_cast<std::int64_t>(1e9 / rate_hz_);
      return true;
    }
    changed_.wait_for(lock, std::chrono::nanoseconds(due_ns_ - now));
  }
}

// At a recording's end: at once when it loops; otherwise the stream has ended until somebody turns the loop on.
bool Producer::may_begin_again() {
  std::unique_lock lock(mutex_);
  if (!loop_) {
    state_ = ProducerState::ended;
    changed_.wait(lock, [this] { return stop_ || loop_; });
    due_ns_ = now_ns();
  }
  if (!stop_) state_ = ProducerState::running;
  return !stop_;
}

ProducerState Producer::put_frame(std::uint64_t sequence) {
  const std::uint64_t count = source_.frame_count();
  const std::uint64_t index = count > 0 ? sequence % count : sequence;
  FrameRing::WriteLease lease = ring_.begin_write();
  switch (lease.outcome()) {
    case FrameRing::WriteLease::Outcome::closed:
      return ProducerState::ended;
    case FrameRing::WriteLease::Outcome::dropped:
      return ProducerState::running;
    case FrameRing::WriteLease::Outcome::refused:
      end(ProducerState::refused, "frame " + std::to_string(sequence) + " found all " +
                                      std::to_string(ring_.counts().slots) +
                                      " slots in use (error on override): processing is slower than the source");
      return ProducerState::refused;
    case FrameRing::WriteLease::Outcome::slot:
      break;
  }
  const std::int64_t begin = now_ns();
  const std::span<const std::byte> samples = source_.produce(index, lease.memory());
  const double rate_hz = source_.acquisition()->frame_rate_hz;
  lease.publish({.sequence = sequence,
                 .source_index = index,
                 .acquired_ns = 0,
                 .time_s = rate_hz > 0.0 ? static_cast<double>(index) / rate_hz : 0.0},
                samples);
  trace_.add({.frame = sequence, .stage = Stage::produce, .lane = 0, .start_ns = begin, .end_ns = now_ns()});
  return ProducerState::running;
}

void Producer::run() {
  due_ns_ = now_ns();
  const std::uint64_t count = source_.frame_count();
  try {
    while (wait_for_turn()) {
      const std::uint64_t sequence = next_sequence_;
      if (count > 0 && sequence > 0 && sequence % count == 0 && !may_begin_again()) break;
      if (put_frame(sequence) != ProducerState::running) break;
      next_sequence_ = sequence + 1;
    }
    if (state_ == ProducerState::running) state_ = ProducerState::ended;
  } catch (const std::exception& error) {
    end(ProducerState::failed, error.what());
  }
}

}  // namespace echoloop
