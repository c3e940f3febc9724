// Regions with others taken out, for the shapes that reference figures were made with.
#pragma once

#include <algorithm>
#include <iterator>

#include "measure/region.h"

namespace echoloop::testing {

// Of a Cartesian grid, where all pixels weigh the same.
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
