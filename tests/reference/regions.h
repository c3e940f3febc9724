// Differences of regions, for the shapes of reference figures.
#pragma once

#include <algorithm>
#include <iterator>

#include "measure/region.h"

namespace echoloop::testing {

// For a Cartesian grid, with equal weights.
inline RegionPixels without(const RegionPixels& all, const RegionPixels& hole) {
  RegionPixels rest;
  std::set_difference(all.index.begin(), all.index.end(), hole.index.begin(), hole.index.end(),
                      std::back_inserter(rest.index));
  return rest;
}

inline RegionPixels disk(const Grid& grid, PlanePoint centre, double radius_m) {
  return pixels_in({RegionShape::circle, {centre, {centre.x_m + radius_m, centre.z_m}}}, grid);
}

}  // namespace echoloop::testing
