// The picture's pixel grid in metres: pixel centres, both end points included. Image layout [iz][ix], x fastest.
#pragma once

#include <cstddef>

namespace echoloop {

struct Grid {
  double x0_m = 0.0;
  double x1_m = 0.0;
  double z0_m = 0.0;
  double z1_m = 0.0;
  int nx = 0;
  int nz = 0;

  [[nodiscard]] double x_m(int ix) const { return nx > 1 ? x0_m + (x1_m - x0_m) * ix / (nx - 1) : x0_m; }
  [[nodiscard]] double z_m(int iz) const { return nz > 1 ? z0_m + (z1_m - z0_m) * iz / (nz - 1) : z0_m; }
  [[nodiscard]] double dx_m() const { return nx > 1 ? (x1_m - x0_m) / (nx - 1) : 0.0; }
  [[nodiscard]] double dz_m() const { return nz > 1 ? (z1_m - z0_m) / (nz - 1) : 0.0; }
  [[nodiscard]] std::size_t pixels() const { return static_cast<std::size_t>(nx) * static_cast<std::size_t>(nz); }
  friend bool operator==(const Grid&, const Grid&) = default;
};

inline constexpr int kMaxGridSide = 8192;

}  // namespace echoloop
