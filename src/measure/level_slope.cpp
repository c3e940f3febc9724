#include "measure/level_slope.h"

#include <limits>

namespace echoloop {

LevelSlope level_slope(const LevelImage& of, const LevelImage& against, const RegionPixels& region) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  LevelSlope made{kNone, kNone, kNone, 0};
  double n = 0.0, mean_x = 0.0, mean_y = 0.0, xx = 0.0, xy = 0.0, yy = 0.0;
  for (std::size_t k = 0; k < region.index.size(); ++k) {
    const std::size_t i = region.index[k];
    const double x = static_cast<double>(against.db[i]);
    const double y = static_cast<double>(of.db[i]);
    if (!(x > kNoEcho_db) || !(y > kNoEcho_db)) continue;
    const double weight = region.weight.empty() ? 1.0 : static_cast<double>(region.weight[k]);
    n += weight;
    ++made.pixels;
    const double dx = x - mean_x, dy = y - mean_y;
    mean_x += weight / n * dx;
    mean_y += weight / n * dy;
    xx += weight * dx * (x - mean_x);
    xy += weight * dx * (y - mean_y);
    yy += weight * dy * (y - mean_y);
  }
  if (made.pixels < 3 || !(xx > 0.0)) return made;
  made.slope = xy / xx;
  made.intercept_db = mean_y - made.slope * mean_x;
  made.r_squared = yy > 0.0 ? xy * xy / (xx * yy) : 1.0;
  return made;
}

}  // namespace echoloop
