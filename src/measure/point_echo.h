// Whether an echo lies where the point tool was set: a local maximum that stands out of its surroundings. Speckle,
// noise and side lobes have local maxima too, whose widths say nothing about the image's resolution. Any thread.
#pragma once

#include <optional>
#include <string>

#include "measure/point_spread.h"

namespace echoloop {

inline constexpr double kPointReach_m = 1.5e-3;  // from the point that was set to the echo
inline constexpr double kLeastAbove_db = 12.0;   // peak against the median level within 3 mm; speckle reaches 10 to 12
inline constexpr double kMostBelow_db = 30.0;    // peak against the highest level within 10 mm; side lobes are lower

enum class PeakVerdict { peak, no_echo, no_maximum, too_far, faint, beside_stronger };

struct PointEcho {
  PeakVerdict verdict = PeakVerdict::no_echo;
  std::optional<PointSpread> spread;  // verdict peak only
  double above_db = 0.0;              // peak against the median level around
  double below_db = 0.0;              // peak below the highest level around
};
PointEcho find_point_echo(const LevelPicture& picture, PlanePoint at);

// "No peak here: ..." in one line; empty where there is one.
std::string why_no_peak(const PointEcho& echo);

}  // namespace echoloop
