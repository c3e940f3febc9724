// The map that gives one image the histogram of another: its values, and what does not change under it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "measure/levels.h"

namespace echoloop::level_match_test {
namespace {

constexpr double kBin_db = LevelMap::kStep_db;

Grid square(int n) { return {.x0_m = 0.0, .x1_m = 0.01, .z0_m = 0.01, .z1_m = 0.02, .nx = n, .nz = n}; }

// Speckle levels about `mean_db`, stretched by `slope`.
std::vector<float> speckle(int n, double mean_db, double slope, unsigned seed) {
  std::mt19937 random(seed);
  std::exponential_distribution<double> power(1.0);
  std::vector<float> db(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  for (float& v : db) v = static_cast<float>(mean_db + slope * 10.0 * std::log10(power(random) + 1e-9));
  return db;
}

std::vector<float> mapped(const LevelMap& map, std::vector<float> db) {
  for (float& v : db) v = map.at(v);
  return db;
}

TEST(LevelMatch, GivesTheQuantilesOfTheOther) {
  const std::vector<float> das = speckle(200, -25.0, 1.0, 1), method = speckle(200, -60.0, 2.2, 2);
  const LevelMap map = match_levels({.db = method, .grid = square(200)}, {.db = das, .grid = square(200)});
  ASSERT_FALSE(map.empty());
  EXPECT_TRUE(std::ranges::is_sorted(map.to_db));
  std::vector<float> wanted = das, made = mapped(map, method);
  std::ranges::sort(wanted);
  std::ranges::sort(made);
  ASSERT_GT(std::abs(method[0] - made[0]), 5.0F);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    // Where levels lie farther apart than a bin, one of the neighbours.
    const double apart =
        std::max(i > 0 ? wanted[i] - wanted[i - 1] : 0.0F, i + 1 < wanted.size() ? wanted[i + 1] - wanted[i] : 0.0F);
    ASSERT_NEAR(made[i], wanted[i], 2.0 * kBin_db + apart) << i;
  }
}

TEST(LevelMatch, OfEqualPicturesIsNoChange) {
  const std::vector<float> db = speckle(100, -30.0, 1.0, 3);
  const LevelMap map = match_levels({.db = db, .grid = square(100)}, {.db = db, .grid = square(100)});
  for (const float v : db) ASSERT_NEAR(map.at(v), v, 1.01 * kBin_db);
}

// What was made by a monotonic map comes back.
TEST(LevelMatch, UndoesAMonotonicMap) {
  const std::vector<float> db = speckle(100, -30.0, 1.0, 4);
  std::vector<float> bent = db;
  for (float& v : bent) v = 1.7F * v - 0.002F * v * v * (v < 0.0F ? 1.0F : 0.0F) - 4.0F;
  const LevelMap map = match_levels({.db = bent, .grid = square(100)}, {.db = db, .grid = square(100)});
  for (std::size_t i = 0; i < db.size(); ++i) ASSERT_NEAR(map.at(bent[i]), db[i], 2.5 * kBin_db) << db[i];
}

TEST(LevelMatch, PixelsWithoutEchoStayAndDoNotCount) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> das = speckle(100, -25.0, 1.0, 5), method = speckle(100, -50.0, 2.0, 6);
  const LevelMap all = match_levels({.db = method, .grid = square(100)}, {.db = das, .grid = square(100)});
  EXPECT_EQ(all.at(-kInfinity), -kInfinity);
  EXPECT_EQ(all.at(-600.0F), -600.0F);
  EXPECT_TRUE(std::isnan(all.at(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_FLOAT_EQ(all.at(kInfinity), all.to_db.back());
  das.resize(100 * 200, -kInfinity);
  method.resize(100 * 200, std::numeric_limits<float>::quiet_NaN());
  Grid tall = square(100);
  tall.nz = 200;
  EXPECT_EQ(match_levels({.db = method, .grid = tall}, {.db = das, .grid = tall}).to_db, all.to_db);
}

TEST(LevelMatch, CountsTheSharedPartOnly) {
  // Levels of the left and of the right half differ; the other image has the right half alone.
  const Grid whole{.x0_m = -0.01, .x1_m = 0.01, .z0_m = 0.01, .z1_m = 0.02, .nx = 80, .nz = 40};
  const Grid right{.x0_m = 0.0, .x1_m = 0.01, .z0_m = 0.01, .z1_m = 0.02, .nx = 33, .nz = 21};
  std::vector<float> of(whole.pixels()), like(right.pixels(), -40.0F);
  for (std::size_t i = 0; i < of.size(); ++i) of[i] = i % 80 < 40 ? -5.0F : -20.0F;
  const LevelMap map = match_levels({.db = of, .grid = whole}, {.db = like, .grid = right});
  EXPECT_NEAR(map.at(-20.0F), -40.0F, kBin_db);
  const LevelMap back = match_levels({.db = like, .grid = right}, {.db = of, .grid = whole});
  EXPECT_NEAR(back.at(-40.0F), -20.0F, kBin_db) << "the left half is not shared";
  Grid deep = right;
  deep.z0_m = 0.03;
  deep.z1_m = 0.04;
  EXPECT_TRUE(match_levels({.db = of, .grid = whole}, {.db = like, .grid = deep}).empty());
}

// Rows of a sector count by their radius: half of the area is as bright as half of the square.
TEST(LevelMatch, WeighsTheAreaOfASectorsPixels) {
  const Grid sector =
      polar_grid({.apex_z_m = 0.0, .angle0_rad = -0.5, .angle1_rad = 0.5, .r0_m = 0.0, .r1_m = 0.1}, 11, 1001);
  std::vector<float> of(sector.pixels()), like(sector.pixels());
  for (std::size_t i = 0; i < of.size(); ++i) {
    of[i] = -0.05F * static_cast<float>(i / 11);
    like[i] = i / 11 < 707 ? -10.0F : -50.0F;  // half of the area
  }
  const LevelMap map = match_levels({.db = of, .grid = sector}, {.db = like, .grid = sector});
  EXPECT_NEAR(map.at(-0.05F * 700.0F), -10.0F, 0.1F);
  EXPECT_NEAR(map.at(-0.05F * 715.0F), -50.0F, 0.1F);
}

// The slope of levels against others: lines, pixels without an echo, weights.

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

TEST(LevelsApart, CountsPixelsWithinTheRangeOfTheOther) {
  const std::vector<float> das = {0.0F, -10.0F, -20.0F, -60.0F, -400.0F, 0.0F};
  const std::vector<float> own = {-3.0F, -13.0F, -90.0F, 0.0F, 0.0F, 3.0F};
  const LevelsApart apart = levels_apart({.db = own, .grid = {}}, {.db = das, .grid = {}}, 50.0);
  EXPECT_EQ(apart.pixels, 4U);
  EXPECT_NEAR(apart.mean_db, (-3.0 - 3.0 - 30.0 + 3.0) / 4.0, 1e-5) << "-90 counts as -50";
  EXPECT_NEAR(apart.rms_db, std::sqrt((9.0 + 9.0 + 900.0 + 9.0) / 4.0), 1e-5);
  EXPECT_EQ(levels_apart({}, {.db = das, .grid = {}}, 50.0).pixels, 0U);
}

}  // namespace
}  // namespace echoloop::level_match_test
