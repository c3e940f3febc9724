#include "measure/line_profile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "measure/plane_geometry.h"

namespace echoloop {

double level_at(const LevelImage& picture, PlanePoint p) {
  const Grid& g = picture.grid;
  const GridPlace at = g.place(p.x_m, p.z_m);
  constexpr double kRounding = 1e-6;  // pixels
  if (picture.db.empty() || !g.contains(at, kRounding)) return std::numeric_limits<double>::quiet_NaN();
  const int ix = std::clamp(static_cast<int>(at.column), 0, std::max(0, g.nx - 2));
  const int iz = std::clamp(static_cast<int>(at.row), 0, std::max(0, g.nz - 2));
  const double right = std::clamp(at.column - ix, 0.0, 1.0), down = std::clamp(at.row - iz, 0.0, 1.0);
  const auto amplitude = [&](int dx, int dz) {
    return std::pow(10.0,
                    0.05 * static_cast<double>(picture.at(std::min(ix + dx, g.nx - 1), std::min(iz + dz, g.nz - 1))));
  };
  const auto row = [&](int dz) { return (1.0 - right) * amplitude(0, dz) + right * amplitude(1, dz); };
  return 20.0 * std::log10((1.0 - down) * row(0) + down * row(1));
}

LineProfile line_profile(const LevelImage& picture, PlanePoint from, PlanePoint to) {
  constexpr int kMost = 2048;
  const Grid& g = picture.grid;
  LineProfile profile;
  if (picture.db.empty()) return profile;
  const double length_m = distance_m(from, to);
  const double pixel_x_m = (g.x1_m - g.x0_m) / std::max(1, g.nx - 1);
  const double pixel_z_m = g.polar() ? (g.sector.r1_m - g.sector.r0_m) / std::max(1, g.nz - 1) : g.dz_m();
  const double steps = 2.0 * length_m / std::max(std::min(pixel_x_m, pixel_z_m), 1e-9);
  const int n = std::clamp(static_cast<int>(std::ceil(steps - 1e-6)) + 1, 2, kMost);
  for (int i = 0; i < n; ++i) {
    const double share = static_cast<double>(i) / (n - 1);
    profile.at_m.push_back(share * length_m);
    profile.level_db.push_back(static_cast<float>(
        level_at(picture, {from.x_m + share * (to.x_m - from.x_m), from.z_m + share * (to.z_m - from.z_m)})));
  }
  return profile;
}

}  // namespace echoloop
