#include "source/producer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <utility>

#include "core/profile_range.h"
#include "core/units.h"

namespace echoloop {
namespace {

// "frame 24689 arrived while slot 3 of 8 was still being copied: frame 24681 in the slot is 8.3 ms old (stop on
// overrun). ..."
std::string refusal_text(const RingRefusal& r) {
  char text[320];
  if (r.keeper_full) {
    std::snprintf(text, sizeof text,
                  "frame %llu arrived while earlier frames were still waiting for the disk (stop on overrun). All "
                  "earlier frames will be recorded. To continue: choose another policy, a faster disk or a lower rate",
                  static_cast<unsigned long long>(r.sequence));
    return text;
  }
  std::snprintf(text, sizeof text,
                "frame %llu arrived while slot %d of %d was still %s: frame %llu in the slot is %.1f ms old (stop on "
                "overrun). Nothing was overwritten. To continue: choose another policy, more slots or a lower rate",
                static_cast<unsigned long long>(r.sequence), r.slot + 1, r.counts.slots,
                r.copying ? "being copied" : "waiting", static_cast<unsigned long long>(r.holds),
                static_cast<double>(r.age_ns) * 1e-6);
  return text;
}

}  // namespace

double default_rate_hz(const Acquisition& acquisition) {
  // A recording at 10 kHz would end too quickly to be seen; 50 images a second show every frame of a short loop. One at
  // a frame an hour would show nothing for an hour.
  constexpr double kFallbackHz = 50.0, kLeastHz = 0.2;
  return acquisition.frame_rate_hz > 0.0 ? std::clamp(acquisition.frame_rate_hz, kLeastHz, kFallbackHz) : kFallbackHz;
}

Producer::Producer(Source& source, FrameRing& ring, TimingTrace& trace, const ProducerOptions& options)
    : source_(source), ring_(ring), trace_(trace), options_(options), next_sequence_(options.first_sequence) {
  source_.set_taking(options.paused ? Taking::paused : Taking::on);
  source_.resume(options.first_sequence);
  thread_ = std::thread([this] { run(); });
}

Producer::~Producer() {
  stop();
  thread_.join();
}

void Producer::set(const ProducerOptions& options) {
  source_.set_taking(options.paused ? Taking::paused : Taking::on);
  {
    const std::scoped_lock lock(mutex_);
    options_ = options;
    changed_options_ = true;
  }
  changed_.notify_all();
}

void Producer::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stop_.request_stop();
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
    if (stop_.stop_requested()) return false;
    if (options_.paused) {
      changed_.wait(lock);
      schedule_.restart(now_ns());
      continue;
    }
    const std::int64_t now = now_ns();
    if (std::exchange(changed_options_, false)) schedule_.change(options_.rate_hz, options_.pace_ms, now);
    if (schedule_.due() <= now) {
      schedule_.take(options_.rate_hz, options_.inject, now);
      return true;
    }
    changed_.wait_for(lock, std::chrono::nanoseconds(schedule_.due() - now));
  }
}

// At the source's end: true when looping; otherwise the stream ends until looping is turned on.
bool Producer::may_begin_again() {
  std::unique_lock lock(mutex_);
  if (!options_.loop) {
    state_ = ProducerState::ended;
    changed_.wait(lock, [this] { return stop_.stop_requested() || options_.loop; });
    schedule_.restart(now_ns());
  }
  if (stop_.stop_requested()) return false;
  state_ = ProducerState::running;
  return true;
}

ProducerState Producer::put_frame(const FrameStamp& stamp) {
  FrameRing::WriteLease lease = ring_.begin_write(stamp.sequence, stamp.gap);
  switch (lease.outcome()) {
    case FrameRing::WriteLease::Outcome::closed:
      return ProducerState::ended;
    case FrameRing::WriteLease::Outcome::dropped:
      return ProducerState::running;
    case FrameRing::WriteLease::Outcome::refused:
      end(ProducerState::refused, refusal_text(ring_.refusal().value_or(RingRefusal{})));
      source_.refused(report());
      return ProducerState::refused;
    case FrameRing::WriteLease::Outcome::slot:
      break;
  }
  const ProfileRange range(Stage::produce);
  const std::int64_t begin = now_ns();
  const std::span<const std::byte> samples = source_.fetch(lease.frame_memory(), stop_.get_token());
  lease.publish(stamp, samples);
  trace_.add({.frame = stamp.sequence, .stage = Stage::produce, .lane = 0, .start_ns = begin, .end_ns = now_ns()});
  return ProducerState::running;
}

// The frame, with what is injected: not at all, or twice. False when the stream has ended.
bool Producer::put_frames(const FrameStamp& stamp) {
  std::uint64_t missing = 0;
  std::uint64_t duplicate = 0;
  double pace_ms = 0.0;
  {
    const std::scoped_lock lock(mutex_);
    missing = static_cast<std::uint64_t>(options_.inject.missing_every);
    duplicate = static_cast<std::uint64_t>(options_.inject.duplicate_every);
    pace_ms = options_.pace_ms;
  }
  const auto falls_on = [&stamp](std::uint64_t every) { return every > 0 && stamp.sequence % every == every - 1; };
  if (falls_on(missing)) return true;
  if (put_frame(stamp) != ProducerState::running) return false;
  if (falls_on(duplicate) && put_frame(stamp) != ProducerState::running) return false;
  schedule_.rest(pace_ms, now_ns());
  return true;
}

// Nothing when the stream has ended.
std::optional<Arrival> Producer::next_arrival() {
  std::optional<Arrival> arrival = source_.next(stop_.get_token());
  if (!arrival && may_begin_again()) arrival = source_.next(stop_.get_token());
  if (!arrival || arrival->acquisition == nullptr) return arrival;
  end(ProducerState::changed, "the acquisition changed at frame " + std::to_string(arrival->stamp.sequence) +
                                  ". To continue: open the source again");
  return std::nullopt;
}

void Producer::run() {
  schedule_.restart(now_ns());
  try {
    while (wait_for_turn()) {
      const std::optional<Arrival> arrival = next_arrival();
      if (!arrival) break;
      if (arrival->dropped) {
        ring_.count_dropped(arrival->stamp.sequence, arrival->stamp.gap);
        next_sequence_ = arrival->stamp.sequence + 1;
        continue;
      }
      const bool goes_on = put_frames(arrival->stamp);
      // A refused frame has been.
      if (goes_on || state_ == ProducerState::refused) next_sequence_ = arrival->stamp.sequence + 1;
      if (!goes_on) break;
    }
    if (state_ == ProducerState::running) state_ = ProducerState::ended;
  } catch (const std::exception& error) {
    if (stop_.stop_requested()) {  // a wait for the frame was ended
      state_ = ProducerState::ended;
    } else {
      end(ProducerState::failed, error.what());
    }
  }
}

}  // namespace echoloop
