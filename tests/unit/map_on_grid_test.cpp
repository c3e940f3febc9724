// A stored map on the pixels of an image: exact for values that are linear in each cell, NaN outside.
#include "measure/map_on_grid.h"

#include <gtest/gtest.h>

#include <cmath>

namespace echoloop::map_on_grid_test {
namespace {

double linear(double x, double z) { return 1500.0 + 8e3 * x - 3e3 * z; }

// Points (x, z) of a function of row and column, with linear() as values.
template <class Place>
MapValues map_of(int rows, int columns, const Place& place) {
  MapValues map{.rows = static_cast<std::uint64_t>(rows), .columns = static_cast<std::uint64_t>(columns)};
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      const auto [x, z] = place(r, c);
      map.x_m.push_back(static_cast<float>(x));
      map.z_m.push_back(static_cast<float>(z));
      map.values.push_back(static_cast<float>(linear(x, z)));
    }
  }
  return map;
}

const Grid kGrid{.x0_m = -9e-3, .x1_m = 9e-3, .z0_m = 4e-3, .z1_m = 22e-3, .nx = 121, .nz = 181};

struct Compared {
  std::size_t inside = 0;
  double largest = 0.0;
};

Compared compare(const MapValues& map, const Grid& grid) {
  const std::vector<float> values = map_on_grid(map, 0, map_places(map, 0, grid), MapBetween::linear);
  Compared compared;
  for (int iz = 0; iz < grid.nz; ++iz) {
    for (int ix = 0; ix < grid.nx; ++ix) {
      const float value =
          values[static_cast<std::size_t>(iz) * static_cast<std::size_t>(grid.nx) + static_cast<std::size_t>(ix)];
      if (std::isnan(value)) continue;
      ++compared.inside;
      const PlanePoint p = grid.point(ix, iz);
      compared.largest = std::max(compared.largest, std::abs(value - linear(p.x_m, p.z_m)));
    }
  }
  return compared;
}

TEST(MapOnGrid, CartesianWithUnevenSteps) {
  const MapValues map = map_of(20, 15, [](int r, int c) {
    return std::pair{-6e-3 + 12e-3 * std::pow(c / 14.0, 1.5), 6e-3 + 12e-3 * std::pow(r / 19.0, 0.8)};
  });
  const Compared compared = compare(map, kGrid);
  EXPECT_LT(compared.largest, 1e-4 * 1500);
  EXPECT_NEAR(static_cast<double>(compared.inside), 81.0 * 121.0, 250.0);  // 12 mm by 12 mm of steps of 0.15 and 0.1 mm
}

TEST(MapOnGrid, ASectorAndAnImageThatIsOne) {
  const MapValues map = map_of(40, 31, [](int r, int c) {
    const double radius = 8e-3 + 12e-3 * r / 39.0, angle = -0.4 + 0.8 * c / 30.0;
    return std::pair{radius * std::sin(angle), radius * std::cos(angle)};
  });
  EXPECT_LT(compare(map, kGrid).largest, 0.05);  // chords in place of arcs: the values are linear in x and z
  EXPECT_GT(compare(map, kGrid).inside, 3000U);
  const Grid sector = polar_grid({.angle0_rad = -0.35, .angle1_rad = 0.35, .r0_m = 9e-3, .r1_m = 19e-3}, 60, 80);
  const Compared on_sector = compare(map, sector);
  EXPECT_EQ(on_sector.inside, sector.pixels());
  EXPECT_LT(on_sector.largest, 0.05);
}

TEST(MapOnGrid, LabelsAreThoseOfTheNearestPoint) {
  MapValues map = map_of(2, 2, [](int r, int c) { return std::pair{0.01 * c, 0.01 * r}; });
  map.values = {0, 1, 0, 0};
  const Grid grid{.x0_m = 0.0, .x1_m = 0.01, .z0_m = 0.0, .z1_m = 0.01, .nx = 11, .nz = 11};
  const std::vector<float> values = map_on_grid(map, 0, map_places(map, 0, grid), MapBetween::nearest);
  for (int iz = 0; iz < 11; ++iz) {
    for (int ix = 0; ix < 11; ++ix) {
      if (ix == 5 || iz == 5) continue;
      EXPECT_EQ(values[static_cast<std::size_t>(11 * iz + ix)], ix > 5 && iz < 5 ? 1.0F : 0.0F) << ix << " " << iz;
    }
  }
}

TEST(MapOnGrid, TheFrameOfAMap) {
  StoredMap map;
  EXPECT_EQ(map_frame(map, {.index = 7, .n_frames = 10, .time_s = 0.7}), 0U);
  map.frames = 10;
  EXPECT_EQ(map_frame(map, {.index = 7, .n_frames = 10, .time_s = 0.7}), 7U);
  EXPECT_EQ(map_frame(map, {.index = 7, .n_frames = 20, .time_s = 0.7}), 0U);
  EXPECT_EQ(map_frame(map, {.index = 7, .n_frames = 20, .own = 3}), 3U);
  EXPECT_EQ(map_frame(map, {.index = 7, .n_frames = 20, .own = 99}), map.frames - 1);
  map.frames = 3;
  map.times_s = {0.0, 0.1, 0.3};
  EXPECT_EQ(map_frame(map, {.index = 0, .n_frames = 20, .time_s = 0.04}), 0U);
  EXPECT_EQ(map_frame(map, {.index = 0, .n_frames = 20, .time_s = 0.06}), 1U);
  EXPECT_EQ(map_frame(map, {.index = 0, .n_frames = 20, .time_s = 0.22}), 2U);
  EXPECT_EQ(map_frame(map, {.index = 0, .n_frames = 20, .time_s = 0.39}), 2U);
  EXPECT_EQ(map_frame(map, {.index = 0, .n_frames = 20, .time_s = 0.5}), std::nullopt);
  EXPECT_EQ(map_frame(map, {.index = 0, .n_frames = 20, .time_s = -0.2}), std::nullopt);
}

}  // namespace
}  // namespace echoloop::map_on_grid_test
