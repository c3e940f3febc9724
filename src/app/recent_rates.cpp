#include "app/recent_rates.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/sequence.h"

namespace echoloop {
namespace {

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();
constexpr auto kBinCount = static_cast<std::int64_t>(ClockHistory::kBins);

std::size_t place(std::int64_t bin) { return static_cast<std::size_t>(bin % kBinCount); }

}  // namespace

ClockHistory::ClockHistory(BetweenValues between) : between_(between), last_(kNothing) { bins_.fill(kNothing); }

void ClockHistory::advance(std::int64_t now_ns) {
  const std::int64_t bin = now_ns / kBin_ns;
  const float between = between_ == BetweenValues::last_value ? last_ : kNothing;
  for (std::int64_t b = std::max(newest_ + 1, bin - kBinCount + 1); b <= bin; ++b) bins_[place(b)] = between;
  newest_ = std::max(newest_, bin);
}

void ClockHistory::add(std::int64_t now_ns, double value) {
  advance(now_ns);
  last_ = static_cast<float>(value);
  float& bin = bins_[place(newest_)];
  bin = std::isnan(bin) ? last_ : std::max(bin, last_);
}

std::vector<float> ClockHistory::values(std::int64_t now_ns) {
  advance(now_ns);
  std::vector<float> list;
  list.reserve(kBins);
  for (std::int64_t b = newest_ - kBinCount + 1; b <= newest_; ++b) {
    list.push_back(bins_[place(std::max<std::int64_t>(b, 0))]);
  }
  return list;
}

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

namespace {

// A badge comes below 95 % and goes above 97 %: on the limit it does not flicker.
constexpr double kBegins = 0.95, kEnds = 0.97;

// A frame more might have come just after the window: a slow source is not behind for it.
bool is_behind(double frames, double expected, bool before) {
  return frames + 1.0 < (before ? kEnds : kBegins) * expected;
}

}  // namespace

StreamPace PaceWatch::update(const Sample& sample) {
  const bool goes_on = !samples_.empty() && sample.rate_hz == samples_.back().rate_hz &&
                       !is_before(sample.next_sequence, samples_.back().next_sequence);
  if (!sample.runs || !goes_on) {
    samples_.clear();
    pace_ = {};
  }
  if (!sample.runs) return pace_;
  samples_.push_back(sample);
  while (samples_.size() > 2 && sample.now_ns - samples_[1].now_ns >= kWindow_ns) samples_.pop_front();
  const Sample& first = samples_.front();
  if (sample.now_ns - first.now_ns < kWindow_ns) return pace_;
  const double seconds = static_cast<double>(sample.now_ns - first.now_ns) * 1e-9;
  const auto frames = static_cast<double>(sample.next_sequence - first.next_sequence);
  const double waited_share = static_cast<double>(sample.waited_ns - first.waited_ns) * 1e-9 / seconds;
  pace_.made_hz = frames / seconds;
  pace_.rate_hz = sample.live && !std::isfinite(sample.rate_hz) ? sample.frame_rate_hz : sample.rate_hz;
  const bool paced = std::isfinite(pace_.rate_hz) && pace_.rate_hz > 0.0;
  const bool behind = paced && is_behind(frames, pace_.rate_hz * seconds, pace_.held_back != HeldBack::no);
  const double missing_share = behind ? 1.0 - pace_.made_hz / pace_.rate_hz : 0.0;
  pace_.held_back = !behind                              ? HeldBack::no
                    : waited_share > 0.5 * missing_share ? HeldBack::by_processing
                    : sample.live                        ? HeldBack::no
                                                         : HeldBack::by_source;
  pace_.slower =
      !sample.live && sample.frame_rate_hz > 0.0 && is_behind(frames, sample.frame_rate_hz * seconds, pace_.slower);
  pace_.speed = pace_.slower ? pace_.made_hz / sample.frame_rate_hz : 1.0;
  return pace_;
}

}  // namespace echoloop
