// Levels of a picture in dB: how often each occurs (counts of pixels, each once, on a polar grid too), and which say
// nothing.
#pragma once

#include <cstdint>
#include <vector>

namespace echoloop {

// Pixels at or below it received nothing at all.
inline constexpr double kNoEcho_db = -300.0;

struct LevelHistogram {
  double first_db = 0.0;  // lower edge of the first bin
  double step_db = 1.0;
  std::vector<std::uint32_t> counts = {};
  std::uint64_t below = 0;    // the first bin, those without any echo included
  std::uint64_t above = 0;    // the last bin
  std::uint64_t without = 0;  // not a number
};

}  // namespace echoloop
