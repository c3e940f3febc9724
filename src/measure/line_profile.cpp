#include "measure/line_profile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/units.h"
#include "measure/region.h"

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

std::vector<float> component_spectrum_db(std::span<const std::complex<float>> temporal_vector, int bins,
                                         double floor_db) {
  if (temporal_vector.empty() || bins < 2) return {};
  const auto n = static_cast<double>(temporal_vector.size());
  std::vector<double> power;
  for (int bin = 0; bin < bins; ++bin) {
    const double turn = -kPi * (2.0 * bin / (bins - 1) - 1.0);  // per frame
    const std::complex<double> step(std::cos(turn), std::sin(turn));
    std::complex<double> phase = 1.0, sum = 0.0;
    for (std::size_t t = 0; t < temporal_vector.size(); ++t) {
      const double window = 0.5 - 0.5 * std::cos(2.0 * kPi * (static_cast<double>(t) + 0.5) / n);
      sum += window * phase * std::complex<double>(temporal_vector[t]);
      phase *= step;
    }
    power.push_back(std::norm(sum));
  }
  const double most = *std::ranges::max_element(power);
  std::vector<float> levels_db;
  for (const double p : power) {
    const double share = most > 0.0 ? p / most : 0.0;
    levels_db.push_back(static_cast<float>(share > 0.0 ? std::max(10.0 * std::log10(share), floor_db) : floor_db));
  }
  return levels_db;
}

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
