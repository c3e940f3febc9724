// Images from a formula, to be measured.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "measure/levels.h"

namespace echoloop::testing {

struct MadeImage {
  std::vector<float> db;
  Grid grid;
  [[nodiscard]] LevelImage view() const { return {.db = db, .grid = grid, .number = 1}; }
};

inline MadeImage make_picture(const Grid& grid, const std::function<double(PlanePoint)>& level_db) {
  MadeImage picture{{}, grid};
  for (int iz = 0; iz < grid.nz; ++iz) {
    for (int ix = 0; ix < grid.nx; ++ix) picture.db.push_back(static_cast<float>(level_db(grid.point(ix, iz))));
  }
  return picture;
}

// 10 x 20 mm, pixels of 0.1 x 0.05 mm.
inline constexpr Grid kFlat{.x0_m = -5e-3, .x1_m = 5e-3, .z0_m = 10e-3, .z1_m = 30e-3, .nx = 101, .nz = 401};

inline Grid fan() {
  return polar_grid({.apex_z_m = -10e-3, .angle0_rad = -0.5, .angle1_rad = 0.5, .r0_m = 20e-3, .r1_m = 70e-3}, 201,
                    501);
}

// Amplitudes of fully developed speckle: Rayleigh, with mean square 2 sigma^2.
class Speckle {
 public:
  explicit Speckle(unsigned seed) : random_(seed) {}
  double amplitude(double sigma) { return sigma * std::sqrt(-2.0 * std::log(1.0 - even_(random_))); }
  double level_db(double sigma) { return 20.0 * std::log10(amplitude(sigma)); }

 private:
  std::mt19937 random_;
  std::uniform_real_distribution<double> even_{0.0, 1.0};
};

}  // namespace echoloop::testing
