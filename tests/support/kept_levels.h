// Levels of complex pixels by the manual's definition, independent of the program's own steps.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "backend/backend.h"

namespace echoloop::testing {

// Returns dB on the image's grid. If that differs from the beamformed one, magnitudes are interpolated.
inline std::vector<double> levels_of(const Plan& plan, std::span<const Complex> pixels, double reference_db) {
  std::vector<double> magnitudes;
  for (const Complex v : pixels) magnitudes.push_back(std::hypot(static_cast<double>(v.re), static_cast<double>(v.im)));
  if (plan.scan.has_value()) {
    const std::vector<double> beam = magnitudes;
    magnitudes.clear();
    for (int iz = 0; iz < plan.grid.nz; ++iz) {
      for (int ix = 0; ix < plan.grid.nx; ++ix) {
        magnitudes.push_back(scan_pixel(
            *plan.scan, ix, iz, [&](int at) { return static_cast<float>(beam[static_cast<std::size_t>(at)]); }));
      }
    }
  }
  for (double& v : magnitudes) v = 20.0 * std::log10(std::max(v, 1e-30)) - reference_db;
  return magnitudes;
}

// Compares the image with its complex pixels, for the finished frame in the lane. If a GPU has interpolated between
// scan lines, its angles differ in the last digits: levels more than `range_db` below the brightest are ignored.
inline void expect_pixels_of_image(Lane& lane, const Plan& plan, double reference_db, double range_db = 1e9) {
  const std::span<const float> image = lane.image().host();
  ASSERT_EQ(lane.kept_pixels().size(), plan.das->tables->grid.pixels());
  const std::vector<double> levels = levels_of(plan, lane.kept_pixels(), reference_db);
  ASSERT_EQ(levels.size(), image.size());
  constexpr double kZeros_db = -560.0;  // rounded zeros are below
  const double floor_db = std::max(kZeros_db, *std::max_element(levels.begin(), levels.end()) - range_db);
  const double within_db = range_db < 1e9 ? 1e-2 : 1e-3;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i] < floor_db && image[i] < floor_db) continue;
    ASSERT_NEAR(image[i], levels[i], within_db) << "pixel " << i;
  }
}

}  // namespace echoloop::testing
