// Levels between the pixels, along a line, and how often each level occurs. Any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "measure/level_picture.h"

namespace echoloop {

// Bilinear in the linear amplitude between the four pixels around the point (on a polar grid: in angle and distance),
// as sectors are shown. Not a number outside the outermost pixel centres.
double level_at(const LevelPicture& picture, PlanePoint p);

struct LineProfile {
  std::vector<double> at_m;     // from the line's first point, in equal steps
  std::vector<float> level_db;  // not a number outside the picture
};
// Two points a pixel, the line's ends included; never more than 2048.
LineProfile line_profile(const LevelPicture& picture, PlanePoint from, PlanePoint to);

// Counts of pixels, each once, on a polar grid too.
struct LevelHistogram {
  double first_db = 0.0;  // lower edge of the first bin
  double step_db = 1.0;
  std::vector<std::uint32_t> counts = {};
  std::uint64_t below = 0;    // the first bin, those without any echo included
  std::uint64_t above = 0;    // the last bin
  std::uint64_t without = 0;  // not a number
};
LevelHistogram level_histogram(const LevelPicture& picture, double first_db, double step_db, int bins);

}  // namespace echoloop
