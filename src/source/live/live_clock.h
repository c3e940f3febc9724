// Acquisition time of a scanner's frames: from its own clock where the description says how fast that ticks, else from
// the host's stamps. Starts at 0 and never goes back: a clock that jumps, or another sender, continues where the last
// frame was. Pure.
#pragma once

#include <cstdint>

namespace echoloop {

class LiveClock {
 public:
  void begin_epoch() { begun_ = false; }
  // `ticks` of a clock of `ticks_per_s`; `now_ns`: the host's clock, for the time between two epochs.
  double time_s(std::uint64_t ticks, double ticks_per_s, std::int64_t now_ns);

 private:
  static constexpr double kLongest_s = 3600.0;  // between two frames; more is a jump of the clock

  bool begun_ = false;
  std::uint64_t last_ticks_ = 0;
  std::int64_t last_ns_ = 0;  // 0: no frame yet
  double last_s_ = 0.0;
};

}  // namespace echoloop
