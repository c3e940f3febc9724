#include "app/window_times.h"

#include "core/timing_trace.h"

namespace echoloop {

void WindowTimes::Values::add(double value) {
  if (values_.empty()) values_.reserve(kMost);
  if (values_.size() < kMost) {
    values_.push_back(value);
  } else {
    values_[next_] = value;
  }
  next_ = (next_ + 1) % kMost;
}

nlohmann::json WindowTimes::Values::summary() const {
  std::vector<double> sorted = values_;
  const StageSummary s = summarize(sorted);
  return {{"p50", s.p50_ms}, {"p99", s.p99_ms}, {"p999", s.p999_ms}, {"max", s.max_ms}, {"count", s.count}};
}

void WindowTimes::add(const Viewer::FrameTimes& times) {
  constexpr double kMs = 1e-6;
  frame_ms_.add(static_cast<double>(times.draw_end - times.draw_start) * kMs);
  if (times.texture_ns > 0) texture_ms_.add(static_cast<double>(times.texture_ns) * kMs);
  device_wait_ms_.add(static_cast<double>(times.device_wait_ns) * kMs);
  if (last_shown_ns_ != 0) interval_ms_.add(static_cast<double>(times.shown - last_shown_ns_) * kMs);
  last_shown_ns_ = times.shown;
}

nlohmann::json WindowTimes::report() const {
  return {{"frame_ms", frame_ms_.summary()},
          {"texture_ms", texture_ms_.summary()},
          {"device_wait_ms", device_wait_ms_.summary()},
          {"interval_ms", interval_ms_.summary()},
          {"review_frames", review_frames_.summary()}};
}

}  // namespace echoloop
