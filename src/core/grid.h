// The picture's pixel grid in metres: pixel centres, both end points included. Image layout [iz][ix], x fastest.
// Cartesian: columns of equal x, rows of equal z. Polar (a sector): columns are directions from an apex on the z axis,
// rows are distances from it; then x0 .. z1 is the box around the sector, so that code which only places the image in
// the plane is the same for both.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace echoloop {

enum class GridKind { cartesian, polar };

// Polar grids: p = (0, apex_z) + r (sin angle, cos angle); angles from +z towards +x.
struct Sector {
  double apex_z_m = 0.0;  // 0: centre of a flat array; below 0: centre of curvature of a convex one
  double angle0_rad = 0.0;
  double angle1_rad = 0.0;
  double r0_m = 0.0;
  double r1_m = 0.0;
  friend bool operator==(const Sector&, const Sector&) = default;
};

struct PlanePoint {
  double x_m, z_m;
  friend bool operator==(const PlanePoint&, const PlanePoint&) = default;
};

// In pixels: 0 is the centre of the first one.
struct GridPlace {
  double column, row;
};

struct Grid {
  double x0_m = 0.0;
  double x1_m = 0.0;
  double z0_m = 0.0;
  double z1_m = 0.0;
  int nx = 0;  // columns
  int nz = 0;  // rows
  GridKind kind = GridKind::cartesian;
  Sector sector = {};  // polar only

  [[nodiscard]] double width_m() const { return std::max(x1_m - x0_m, 1e-6); }  // of the box; above 0: a divisor
  [[nodiscard]] double height_m() const { return std::max(z1_m - z0_m, 1e-6); }

  // Cartesian only.
  [[nodiscard]] double x_m(int ix) const { return along(x0_m, x1_m, ix, nx); }
  [[nodiscard]] double z_m(int iz) const { return along(z0_m, z1_m, iz, nz); }
  [[nodiscard]] double dx_m() const { return nx > 1 ? (x1_m - x0_m) / (nx - 1) : 0.0; }
  [[nodiscard]] double dz_m() const { return nz > 1 ? (z1_m - z0_m) / (nz - 1) : 0.0; }
  // Polar only.
  [[nodiscard]] double angle_rad(int ix) const { return along(sector.angle0_rad, sector.angle1_rad, ix, nx); }
  [[nodiscard]] double r_m(int iz) const { return along(sector.r0_m, sector.r1_m, iz, nz); }

  [[nodiscard]] bool polar() const { return kind == GridKind::polar; }
  [[nodiscard]] PlanePoint point(int ix, int iz) const {
    if (!polar()) return {x_m(ix), z_m(iz)};
    return {r_m(iz) * std::sin(angle_rad(ix)), sector.apex_z_m + r_m(iz) * std::cos(angle_rad(ix))};
  }
  // Where a point of the plane lies; it may be outside.
  [[nodiscard]] GridPlace place(double x, double z) const {
    if (!polar()) return {share(x0_m, x1_m, x) * (nx - 1), share(z0_m, z1_m, z) * (nz - 1)};
    const double down = z - sector.apex_z_m;
    return {share(sector.angle0_rad, sector.angle1_rad, std::atan2(x, down)) * (nx - 1),
            share(sector.r0_m, sector.r1_m, std::hypot(x, down)) * (nz - 1)};
  }
  // `margin`: pixels beyond the outermost centres that still count.
  [[nodiscard]] bool contains(GridPlace p, double margin) const {
    return p.column >= -margin && p.row >= -margin && p.column <= nx - 1 + margin && p.row <= nz - 1 + margin;
  }
  [[nodiscard]] std::size_t pixels() const { return static_cast<std::size_t>(nx) * static_cast<std::size_t>(nz); }
  friend bool operator==(const Grid&, const Grid&) = default;

 private:
  static double along(double first, double last, int i, int n) {
    return n > 1 ? first + (last - first) * i / (n - 1) : first;
  }
  static double share(double first, double last, double v) { return last > first ? (v - first) / (last - first) : 0.0; }
};

// A polar grid with the box around it.
inline Grid polar_grid(const Sector& s, int n_lines, int n_radii) {
  const double left = std::sin(s.angle0_rad), right = std::sin(s.angle1_rad);
  const double least = std::min(std::cos(s.angle0_rad), std::cos(s.angle1_rad));
  const double most =
      s.angle0_rad <= 0.0 && s.angle1_rad >= 0.0 ? 1.0 : std::max(std::cos(s.angle0_rad), std::cos(s.angle1_rad));
  return {.x0_m = (left < 0.0 ? s.r1_m : s.r0_m) * left,
          .x1_m = (right > 0.0 ? s.r1_m : s.r0_m) * right,
          .z0_m = s.apex_z_m + (least > 0.0 ? s.r0_m : s.r1_m) * least,
          .z1_m = s.apex_z_m + s.r1_m * most,
          .nx = n_lines,
          .nz = n_radii,
          .kind = GridKind::polar,
          .sector = s};
}

inline constexpr int kMaxGridSide = 8192;

}  // namespace echoloop
