// The scale of the interface: the steps that can be chosen, and how much of it a window has room for. Pure. Any thread.
#pragma once

#include <algorithm>
#include <array>

namespace echoloop {

inline constexpr std::array<float, 9> kUiScales = {0.75F, 1.0F, 1.25F, 1.5F, 1.75F, 2.0F, 2.25F, 2.5F, 3.0F};

// The step above `now` (by = 1) or below it (-1); at the ends `now` itself.
inline float next_scale(float now, int by) {
  constexpr float kNear = 0.01F;
  if (by > 0) {
    for (const float step : kUiScales) {
      if (step > now + kNear) return step;
    }
    return now;
  }
  float below = now;
  for (const float step : kUiScales) {
    if (step < now - kNear) below = step;
  }
  return below;
}

// What of `wanted` leaves both columns' controls and an image in a window of so many pixels; at least 1.
inline float fitting_scale(float wanted, float width, float height) {
  constexpr float kLeastWidth = 720, kLeastHeight = 450;  // at scale 1
  return std::min(wanted, std::max(1.0F, std::min(width / kLeastWidth, height / kLeastHeight)));
}

}  // namespace echoloop
