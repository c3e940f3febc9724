// Conversions between SI, which is used everywhere inside, and the units shown to people.
#pragma once

#include <chrono>
#include <cstdint>
#include <numbers>

namespace echoloop {

inline constexpr double kPi = std::numbers::pi;
inline constexpr double kMetresPerMillimetre = 1e-3;
inline constexpr double kHertzPerMegahertz = 1e6;
inline constexpr double kRadiansPerDegree = kPi / 180.0;

// Monotonic time in nanoseconds; the clock of every stamp and span in the program. [any thread]
inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace echoloop
