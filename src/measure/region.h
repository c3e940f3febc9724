// Parts of the image plane that a user drew, and the pixels that lie in them.
// A pixel belongs to a region when its centre lies inside or on the edge (within a nanometre). Any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/grid.h"

namespace echoloop {

enum class RegionShape { rectangle, circle, ellipse, outline };

struct Region {
  RegionShape shape = RegionShape::rectangle;
  // rectangle: opposite corners; circle: centre, a point of the rim; ellipse: the ends of one axis and a point that
  // the other half axis reaches out to; outline: at least 3, closed, even-odd where it crosses itself.
  std::vector<PlanePoint> points;
  friend bool operator==(const Region&, const Region&) = default;
};

// Weights: a mean over tissue counts equal areas equally. Pixels of a Cartesian grid are equal; those of a polar grid
// are as large as their distance from the apex: r dr dangle.
struct RegionPixels {
  std::vector<std::uint32_t> index = {};  // into [nz][nx], rising
  std::vector<float> weight = {};         // relative area of each; empty = all equal
  double area_m2 = 0.0;                   // of these pixels together
};
// Those whose centres lie in the region; none when it has too few points.
RegionPixels pixels_in(const Region& region, const Grid& grid);

}  // namespace echoloop
