// Sub-pixel position of the brightest spot in a part of an image.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/grid.h"
#include "support/streaming.h"

namespace echoloop::testing {

struct Peak {
  double x_m = 0.0;
  double z_m = 0.0;
  float db = -1000.0f;
};

// Returns the vertex of the parabola through three values around the maximum, in steps (-1/2 .. 1/2).
inline double vertex(double before, double peak, double after) {
  const double curvature = before - 2.0 * peak + after;
  return curvature < 0.0 ? 0.5 * (before - after) / curvature : 0.0;
}

// Returns the brightest pixel within dx, dz of (x, z), refined by a parabola in dB along each axis.
inline Peak find_peak(const Picture& p, double x_m, double z_m, double dx_m, double dz_m) {
  Peak peak;
  int best_x = -1, best_z = -1;
  for (int iz = 1; iz + 1 < p.grid.nz; ++iz) {
    if (std::abs(p.grid.z_m(iz) - z_m) > dz_m) continue;
    for (int ix = 1; ix + 1 < p.grid.nx; ++ix) {
      if (std::abs(p.grid.x_m(ix) - x_m) > dx_m || !(p.at(ix, iz) > peak.db)) continue;
      peak.db = p.at(ix, iz);
      best_x = ix;
      best_z = iz;
    }
  }
  if (best_x < 0) return peak;
  const auto at = [&](int ix, int iz) { return static_cast<double>(p.at(ix, iz)); };
  const double shift_x = vertex(at(best_x - 1, best_z), at(best_x, best_z), at(best_x + 1, best_z));
  const double shift_z = vertex(at(best_x, best_z - 1), at(best_x, best_z), at(best_x, best_z + 1));
  peak.x_m = p.grid.x_m(best_x) + shift_x * p.grid.dx_m();
  peak.z_m = p.grid.z_m(best_z) + shift_z * p.grid.dz_m();
  return peak;
}

// Expects each point within 0.05 mm of its place, and none 12 dB below the brightest. Returns the largest distance
// along an axis, m.
inline double expect_points(const Picture& picture, std::span<const PlanePoint> points) {
  double worst_m = 0.0;
  for (const PlanePoint& p : points) {
    const Peak peak = find_peak(picture, p.x_m, p.z_m, 1.5e-3, 1.5e-3);
    worst_m = std::max({worst_m, std::abs(peak.x_m - p.x_m), std::abs(peak.z_m - p.z_m)});
    EXPECT_NEAR(peak.x_m, p.x_m, 0.05e-3);
    EXPECT_NEAR(peak.z_m, p.z_m, 0.05e-3);
    EXPECT_GT(peak.db, -12.0F);
  }
  return worst_m;
}

// Expects the same of the image of the first frame, with pixels of 0.1 x 0.05 mm over this part of the plane.
inline double expect_points(const std::shared_ptr<Source>& source, double half_width_m, double z0_m, double z1_m,
                            std::span<const PlanePoint> points) {
  ImagingParams p = default_params(*source->acquisition());
  p.formation.grid_kind = GridChoice::cartesian;
  p.formation.lateral_min_m = -half_width_m;
  p.formation.lateral_max_m = half_width_m;
  p.formation.grid_nx = static_cast<int>(std::lround(2.0 * half_width_m / 0.1e-3)) + 1;
  p.formation.depth_min_m = z0_m;
  p.formation.depth_max_m = z1_m;
  p.formation.grid_nz = static_cast<int>(std::lround((z1_m - z0_m) / 0.05e-3)) + 1;
  return expect_points(process({.source = source, .params = p}).at(0), points);
}

}  // namespace echoloop::testing
