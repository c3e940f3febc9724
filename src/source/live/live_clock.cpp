#include "source/live/live_clock.h"

#include <algorithm>
#include <utility>

namespace echoloop {

double LiveClock::time_s(std::uint64_t ticks, double ticks_per_s, std::int64_t now_ns) {
  const double by_host_s =
      last_ns_ == 0 ? 0.0 : static_cast<double>(std::max<std::int64_t>(now_ns - last_ns_, 0)) * 1e-9;
  const auto passed = static_cast<std::int64_t>(ticks - std::exchange(last_ticks_, ticks));  // modulo 2^64
  const double by_clock_s = static_cast<double>(passed) / ticks_per_s;
  const bool follows = std::exchange(begun_, true) && by_clock_s >= 0.0 && by_clock_s <= kLongest_s;
  last_ns_ = now_ns;
  last_s_ += follows ? by_clock_s : by_host_s;
  return last_s_;
}

}  // namespace echoloop
