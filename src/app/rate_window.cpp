#include "app/rate_window.h"

#include <algorithm>

namespace echoloop {

RateWindow::Rates RateWindow::update(const Sample& sample) {
  const bool goes_on = !samples_.empty() && sample.processed >= samples_.back().processed &&
                       sample.dropped >= samples_.back().dropped && sample.shown >= samples_.back().shown &&
                       sample.waited_ns >= samples_.back().waited_ns;
  if (!goes_on) samples_.clear();
  samples_.push_back(sample);
  while (samples_.size() > 2 && sample.now_ns - samples_[1].now_ns >= kLongest_ns) samples_.pop_front();
  const auto older = std::ranges::find_if(samples_.rbegin(), samples_.rend(),
                                          [&](const Sample& one) { return sample.now_ns - one.now_ns >= kWindow_ns; });
  const bool enough = older != samples_.rend() && sample.processed - older->processed >= kFrames;
  const Sample& first = enough ? *older : samples_.front();
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
