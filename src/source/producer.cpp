#include "source/producer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <utility>

#include "core/units.h"

namespace echoloop {
namespace {

// Returns "frame 24689 arrived while slot 3 of 8 was still being copied: frame 24681 in the slot is 8.3 ms old (stop on
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
  // A recording at 10 kHz would end too quickly to be seen; 50 images per second show every frame of a short loop. One
  // at a frame per hour would show nothing for an hour.
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

// Waits until the next frame is due; returns false if the thread must end.
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

// Returns true at the source's end when looping; otherwise the stream ends until looping is turned on.
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

// Puts the frame, with injected faults: omitted, or twice. Returns false when the stream has ended.
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

// Returns nullopt when the stream has ended.
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
      // A refused frame is consumed.
      if (goes_on || state_ == ProducerState::refused) next_sequence_ = arrival->stamp.sequence + 1;
      if (!goes_on) break;
    }
    if (state_ == ProducerState::running) state_ = ProducerState::ended;
  } catch (const std::exception& error) {
    if (stop_.stop_requested())  // a wait for a frame was ended
      state_ = ProducerState::ended;
    else
      end(ProducerState::failed, error.what());
  }
}

namespace {

// Delay at which the schedule restarts: after a pause or a long wait for a slot, frames are not caught up in a burst.
constexpr std::int64_t kLateLimitNs = 100'000'000;

std::int64_t ns_of_ms(double ms) { return static_cast<std::int64_t>(ms * 1e6); }

bool is_paced(double rate_hz) { return std::isfinite(rate_hz) && rate_hz > 0.0; }

// Returns a period that can be added to the clock's time: a file may have any rate above 0.
std::int64_t period_ns(double rate_hz, int frames = 1) {
  constexpr double kLongestNs = 1e17;  // three years
  return static_cast<std::int64_t>(std::min(1e9 * frames / rate_hz, kLongestNs));
}

}  // namespace

void FrameSchedule::restart(std::int64_t now) { schedule_ns_ = due_ns_ = now; }

void FrameSchedule::change(double rate_hz, double pace_ms, std::int64_t now) {
  due_ns_ = std::min(due_ns_, now + (is_paced(rate_hz) ? period_ns(rate_hz) : 0));
  schedule_ns_ = std::min(schedule_ns_, due_ns_);
  rested_ns_ = std::min(rested_ns_, now + ns_of_ms(pace_ms));
}

void FrameSchedule::take(double rate_hz, const Injection& inject, std::int64_t now) {
  const bool paced = is_paced(rate_hz);
  if (!paced || now - schedule_ns_ > kLateLimitNs + ns_of_ms(inject.jitter_ms)) schedule_ns_ = now;
  if (paced) {
    // A burst uses the time of its frames at once; they then follow without a wait.
    const int burst = std::max(1, static_cast<int>(inject.burst_frames));
    if (--left_in_burst_ <= 0 || left_in_burst_ >= burst) {
      left_in_burst_ = burst;
      schedule_ns_ += period_ns(rate_hz, burst);
    }
  }
  if (inject.stall_ms > 0.0 && now >= stall_ns_) {
    if (stall_ns_ != 0) schedule_ns_ = std::max(schedule_ns_, now + ns_of_ms(inject.stall_ms));
    stall_ns_ = now + static_cast<std::int64_t>((inject.stall_ms * 1e-3 + inject.stall_every_s) * 1e9);
  }
  due_ns_ = schedule_ns_ + ns_of_ms(inject.jitter_ms * std::uniform_real_distribution<double>()(random_));
}

void FrameSchedule::rest(double pace_ms, std::int64_t now) { rested_ns_ = now + ns_of_ms(pace_ms); }

std::int64_t FrameSchedule::due() const { return std::max(due_ns_, rested_ns_); }

}  // namespace echoloop
