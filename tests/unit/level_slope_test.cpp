// The slope of levels against others: lines, pixels without an echo, weights.
#include "measure/level_slope.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace echoloop::level_slope_test {
namespace {

Grid grid_of(int n) {
  Grid grid;
  grid.nx = n;
  grid.nz = 1;
  return grid;
}

RegionPixels all_of(int n) {
  RegionPixels region;
  for (int i = 0; i < n; ++i) region.index.push_back(static_cast<std::uint32_t>(i));
  return region;
}

TEST(LevelSlope, OfALineIsItsSlope) {
  std::vector<float> das, method;
  for (int i = 0; i < 50; ++i) {
    das.push_back(-static_cast<float>(i));
    method.push_back(2.25F * das.back() - 7.0F);
  }
  const LevelSlope slope =
      level_slope({.db = method, .grid = grid_of(50)}, {.db = das, .grid = grid_of(50)}, all_of(50));
  EXPECT_NEAR(slope.slope, 2.25, 1e-6);
  EXPECT_NEAR(slope.r_squared, 1.0, 1e-6);
  EXPECT_EQ(slope.pixels, 50U);
}

TEST(LevelSlope, LeavesOutPixelsWithoutEchoInEither) {
  constexpr float kNone = -600.0F;
  const std::vector<float> das = {0.0F, -10.0F, -20.0F, kNone, -30.0F, std::numeric_limits<float>::quiet_NaN()};
  const std::vector<float> method = {0.0F, -15.0F, -30.0F, -1.0F, kNone, -2.0F};
  const LevelSlope slope = level_slope({.db = method, .grid = grid_of(6)}, {.db = das, .grid = grid_of(6)}, all_of(6));
  EXPECT_NEAR(slope.slope, 1.5, 1e-6);
  EXPECT_EQ(slope.pixels, 3U);
}

TEST(LevelSlope, IsNoNumberWithoutASpreadOfLevels) {
  const std::vector<float> flat(10, -20.0F);
  EXPECT_TRUE(
      std::isnan(level_slope({.db = flat, .grid = grid_of(10)}, {.db = flat, .grid = grid_of(10)}, all_of(10)).slope));
  EXPECT_TRUE(std::isnan(level_slope({.db = flat, .grid = grid_of(10)}, {.db = flat, .grid = grid_of(10)}, {}).slope));
}

}  // namespace
}  // namespace echoloop::level_slope_test
