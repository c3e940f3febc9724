// The acquisition's clock: the one time for strips, playing, films, M-mode and read-outs. It counts frames of the
// source, so that it is the same on a slow machine; the host's stamp (FrameStamp::acquired_ns) is for latency only.
#pragma once

#include "core/acquisition.h"
#include "core/frame.h"
#include "core/results/image.h"

namespace echoloop {

// Seconds of acquisition since the stream's first frame. Unlike FrameStamp::time_s they go on where a recording begins
// again. A scanner with a clock of its own has that clock. A source with neither has the host's clock instead: its
// frames are as far apart as they came.
[[nodiscard]] inline double stream_time_s(const FrameStamp& stamp, double frame_rate_hz) {
  constexpr double kSecondsPerNanosecond = 1e-9;
  if (stamp.clock == FrameClock::device) return stamp.time_s;
  return frame_rate_hz > 0.0 ? static_cast<double>(stamp.sequence) / frame_rate_hz
                             : static_cast<double>(stamp.acquired_ns) * kSecondsPerNanosecond;
}

[[nodiscard]] inline double stream_time_s(const FrameStamp& stamp, const AcquisitionPtr& acquisition) {
  return stream_time_s(stamp, acquisition != nullptr ? acquisition->frame_rate_hz : 0.0);
}

[[nodiscard]] inline double stream_time_s(const Image& image) { return stream_time_s(image.stamp, image.acquisition); }

}  // namespace echoloop
