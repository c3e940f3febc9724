// How sharp an image is, as one number: the mean of the squared intensity against the square of the mean intensity,
// in dB (the normalised second moment of the intensity, as autofocus uses it). 3 dB for speckle alone; points that are
// in focus raise it. Only for images of the same echoes. Any thread.
#pragma once

#include <algorithm>
#include <cmath>

#include "measure/level_image.h"

namespace echoloop {

// 0 for an empty image.
inline double sharpness_db(const LevelImage& picture) {
  double most = -HUGE_VAL, sum = 0.0, squares = 0.0, n = 0.0;
  for (const float level : picture.db) {
    if (std::isfinite(level)) most = std::max(most, static_cast<double>(level));
  }
  for (const float level : picture.db) {
    if (!std::isfinite(level)) continue;
    const double intensity = std::pow(10.0, 0.1 * (static_cast<double>(level) - most));
    sum += intensity;
    squares += intensity * intensity;
    n += 1.0;
  }
  return sum > 0.0 ? 10.0 * std::log10(squares * n / (sum * sum)) : 0.0;
}

}  // namespace echoloop
