#include "app/rate_window.h"

#include <algorithm>

namespace echoloop {

RateWindow::Rates RateWindow::update(const Sample& sample) {
  const bool goes_on = !samples_.empty() && sample.processed >= samples_.back().processed &&
                       sample.dropped >= samples_.back().dropped && sample.shown >= samples_.back().shown &&
                       sample.waited_ns >= samples_.back().waited_ns;
  if (!goes_on) samples_.clear();
  samples_.push_back(sample);
  // The second sample may begin the window, too.
  const auto covers = [&](const Sample& first) {
    const std::int64_t age_ns = sample.now_ns - first.now_ns;
    return age_ns >= kLongest_ns || (age_ns >= kWindow_ns && sample.processed - first.processed >= kFrames);
  };
  while (samples_.size() > 2 && covers(samples_[1])) samples_.pop_front();
  const Sample& first = samples_.front();
  const double seconds = static_cast<double>(sample.now_ns - first.now_ns) * 1e-9;
  if (seconds <= 0.0) return {.from_ns = first.now_ns};
  const auto processed = static_cast<double>(sample.processed - first.processed);
  const auto dropped = static_cast<double>(sample.dropped - first.dropped);
  const double waited_s = static_cast<double>(sample.waited_ns - first.waited_ns) * 1e-9;
  return {.processed_hz = processed / seconds,
          .shown_hz = static_cast<double>(sample.shown - first.shown) / seconds,
          .waited_share = std::clamp(waited_s / seconds, 0.0, 1.0),
          .dropped_share = processed + dropped > 0.0 ? dropped / (processed + dropped) : 0.0,
          .from_ns = first.now_ns};
}

}  // namespace echoloop
