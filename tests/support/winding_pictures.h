// Images in dB that are difficult for object detection: noise of every density, winding shapes.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/grid.h"

namespace echoloop::testing {

// Returns a grid with pixels of 0.1 x 0.05 mm.
inline Grid plain_grid(int nx, int nz) {
  return {
      .x0_m = -2e-3, .x1_m = -2e-3 + 1e-4 * (nx - 1), .z0_m = 5e-3, .z1_m = 5e-3 + 5e-5 * (nz - 1), .nx = nx, .nz = nz};
}

inline Grid sector_grid(int n_lines, int n_radii) {
  return polar_grid({.apex_z_m = -10e-3, .angle0_rad = -0.6, .angle1_rad = 0.4, .r0_m = 12e-3, .r1_m = 60e-3}, n_lines,
                    n_radii);
}

// Returns uniform noise between -60 and 0 dB.
inline std::vector<float> noise_picture(const Grid& grid, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> db(grid.pixels());
  for (float& v : db) v = static_cast<float>(random() >> 8) * (60.0f / 16777216.0f) - 60.0f;
  return db;
}

// Returns speckle of -40 dB with bright and dark disks.
inline std::vector<float> speckle_picture(const Grid& grid, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> db;
  db.reserve(grid.pixels());
  for (int iz = 0; iz < grid.nz; ++iz) {
    for (int ix = 0; ix < grid.nx; ++ix) {
      const double even = (static_cast<double>(random()) + 0.5) / 4294967296.0;
      const double x = std::remainder(ix, 64.0), z = std::remainder(iz, 96.0);
      const bool disk = x * x + z * z < 100.0;
      const double gain_db = !disk ? 0.0 : (ix / 64 + iz / 96) % 2 == 0 ? 25.0 : -25.0;
      db.push_back(static_cast<float>(-40.0 + 10.0 * std::log10(-std::log(even)) + gain_db));
    }
  }
  return db;
}

// Sets scattered pixels to values that do not count.
inline void spoil(std::vector<float>& db, unsigned seed) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float spoilt[] = {std::numeric_limits<float>::quiet_NaN(), -kInfinity, kInfinity, -300.0f, -640.0f};
  std::mt19937 random(seed);
  for (float& v : db) {
    if (random() % 16 == 0) v = spoilt[random() % 5];
  }
}

// Returns 0 dB where `on(ix, iz)`, -20 dB elsewhere.
template <class On>
std::vector<float> shape_picture(const Grid& grid, const On& on) {
  std::vector<float> db;
  db.reserve(grid.pixels());
  for (int iz = 0; iz < grid.nz; ++iz) {
    for (int ix = 0; ix < grid.nx; ++ix) db.push_back(on(ix, iz) ? 0.0f : -20.0f);
  }
  return db;
}

// Returns rows connected at alternate ends.
inline std::vector<float> snake_picture(const Grid& grid) {
  return shape_picture(grid, [&](int ix, int iz) { return iz % 2 == 0 || ix == (iz % 4 == 1 ? grid.nx - 1 : 0); });
}

// Returns teeth joined only by the last row.
inline std::vector<float> comb_picture(const Grid& grid) {
  return shape_picture(grid, [&](int ix, int iz) { return ix % 2 == 0 || iz == grid.nz - 1; });
}

inline std::vector<float> checker_picture(const Grid& grid) {
  return shape_picture(grid, [](int ix, int iz) { return (ix + iz) % 2 == 0; });
}

// Returns one path from the upper left corner to the centre, a pixel wide, with a gap of a pixel.
inline std::vector<float> spiral_picture(const Grid& grid) {
  std::vector<float> db(grid.pixels(), -20.0f);
  const auto at = [&](int x, int z) -> float& {
    return db[static_cast<std::size_t>(z) * static_cast<std::size_t>(grid.nx) + static_cast<std::size_t>(x)];
  };
  const auto inside = [&](int x, int z) { return x >= 0 && z >= 0 && x < grid.nx && z < grid.nz; };
  int x = 0, z = 0, dx = 1, dz = 0;
  const auto blocked = [&] {
    if (!inside(x + dx, z + dz) || at(x + dx, z + dz) == 0.0f) return true;
    const int further_x = x + 2 * dx, further_z = z + 2 * dz;
    return inside(further_x, further_z) && at(further_x, further_z) == 0.0f;
  };
  at(x, z) = 0.0f;
  for (int turns = 0; turns < 2;) {
    if (blocked()) {
      const int right = -dz;
      dz = dx;
      dx = right;
      ++turns;
      continue;
    }
    turns = 0;
    x += dx;
    z += dz;
    at(x, z) = 0.0f;
  }
  return db;
}

}  // namespace echoloop::testing
