// Levels between the pixels, and along a line. Any thread.
#pragma once

#include <vector>

#include "measure/level_image.h"

namespace echoloop {

// Bilinear in the linear amplitude between the four pixels around the point (on a polar grid: in angle and distance),
// as sectors are shown. Not a number outside the outermost pixel centres.
double level_at(const LevelImage& picture, PlanePoint p);

struct LineProfile {
  std::vector<double> at_m;     // from the line's first point, in equal steps
  std::vector<float> level_db;  // not a number outside the image
};
// Two points a pixel, the line's ends included; never more than 2048.
LineProfile line_profile(const LevelImage& picture, PlanePoint from, PlanePoint to);

}  // namespace echoloop
