#include "source/frame_schedule.h"

#include <algorithm>
#include <cmath>

namespace echoloop {
namespace {

// After a pause or a long wait for a slot, frames are not made up for in a burst: a schedule this late restarts.
constexpr std::int64_t kLateLimitNs = 100'000'000;

std::int64_t ns_of_ms(double ms) { return static_cast<std::int64_t>(ms * 1e6); }

bool is_paced(double rate_hz) { return std::isfinite(rate_hz) && rate_hz > 0.0; }

// A file may say any rate above 0: the time stays a number that can be added to the clock's.
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
    // A burst takes the time of its frames at once, then they follow each other without a wait.
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
