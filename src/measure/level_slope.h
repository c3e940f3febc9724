// The slope of one image's levels against another's over a region: how much an adaptive method stretches the dynamic
// range (1: linear), after Rindal et al., IEEE TUFFC 66:1198, 2019. Any thread.
#pragma once

#include <cstddef>

#include "measure/level_image.h"
#include "measure/region.h"

namespace echoloop {

struct LevelSlope {
  double slope = 0.0;  // dB of `of` for each dB of `against`, least squares; not a number with fewer than 3 pixels
  double intercept_db = 0.0;  // of the line where `against` is 0 dB
  double r_squared = 0.0;     // share of the variance that the line explains
  std::size_t pixels = 0;     // with an echo in both
};

// The images have the same grid.
LevelSlope level_slope(const LevelImage& of, const LevelImage& against, const RegionPixels& region);

}  // namespace echoloop
