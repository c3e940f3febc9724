#include "app/pace_watch.h"

#include <cmath>

#include "core/sequence.h"

namespace echoloop {
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
