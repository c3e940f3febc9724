// When a producer takes its next frame: rate, pace, and what injection (core/injection.h) makes of both. Times are
// given, nothing here waits or looks at a clock; nanoseconds.
#pragma once

#include <cstdint>
#include <random>

#include "core/injection.h"

namespace echoloop {

class FrameSchedule {
 public:
  // `rate_hz`: kRateMax or a positive rate.
  void restart(std::int64_t now);                                        // the next frame is due now
  void change(double rate_hz, double pace_ms, std::int64_t now);         // an old, slower schedule is not waited for
  void take(double rate_hz, const Injection& inject, std::int64_t now);  // a frame is taken: the next gets its time
  void rest(double pace_ms, std::int64_t now);                           // a frame has been put

  [[nodiscard]] std::int64_t due() const;  // the next frame, not before

 private:
  std::int64_t schedule_ns_ = 0;  // when the next frame is due, without jitter
  std::int64_t due_ns_ = 0;       // with it
  std::int64_t rested_ns_ = 0;    // the rest after the last frame ends
  std::int64_t stall_ns_ = 0;     // when the next stall begins
  int left_in_burst_ = 0;
  std::minstd_rand random_;  // jitter; the same from run to run
};

}  // namespace echoloop
