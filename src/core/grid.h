// Pixel grid of the image in metres: pixel centres, both end points included. Image layout [iz][ix], x fastest.
// Cartesian: columns of equal x, rows of equal z. Polar (a sector): columns are directions from an apex on the z axis,
// rows are distances from it; x0 .. z1 is then the bounding box of the sector, so that code which only places the image
// in the plane is the same for both.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/acquisition.h"

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

// Position in pixels: 0 is the centre of the first one.
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
  // Returns the position of a point of the plane; it may be outside.
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

// Returns a polar grid with its bounding box.
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

// Classification of acquisitions: sector view, and line-by-line scans with one focused transmit per line of the image.
// Geometry only, from the probe and the transmits; any thread.

// Returns z of the origin of a sector's lines: the centre of curvature of a convex array, whose lines are normal to the
// elements; 0, the array itself, for a flat one.
double sector_apex_z_m(const Probe& probe);

// Returns true for acquisitions shown as a sector: convex and phased arrays, flat arrays with diverging scan lines, and
// diverging waves from an array fine enough to steer (pitch below three quarters of a wavelength).
bool looks_into_sector(const Acquisition& acquisition);

// Returns true for a flat array that is small relative to the depth, so that all elements must be combined: a phased
// array, whatever the recording calls it.
bool works_as_phased(const Acquisition& acquisition);

// Focused transmits as the lines of an image. `at`: angle about the apex (rad), or x (m) if the lines are parallel (an
// aperture that walks along a flat array).
struct ScanLines {
  bool parallel = false;
  std::vector<double> at;  // per transmit
  double first = 0.0;      // outermost lines
  double last = 0.0;
  int count = 0;     // of lines evenly spaced from first to last, each within half a step of a transmit
  int per_line = 1;  // maximum number of transmits on one line
};

// Returns nullopt if a transmit is not focused or all have one direction.
std::optional<ScanLines> find_scan_lines(const Acquisition& acquisition);

bool all_focused(const Acquisition& acquisition);

// Axis of a focused transmit: through the focus, straight down if the lines are parallel, otherwise away from the apex.
struct BeamAxis {
  double focus_x_m = 0.0;
  double focus_z_m = 0.0;
  double sine = 0.0;  // of the angle from +z towards +x
  double cosine = 1.0;
  // Distance to the farther of the two adjacent lines: gap_m at the focus, increasing by gap_slope per metre beyond. 0:
  // no other line.
  double gap_m = 0.0;
  double gap_slope = 0.0;
  friend bool operator==(const BeamAxis&, const BeamAxis&) = default;
};

// Returns the axis of every transmit; all must be focused.
std::vector<BeamAxis> beam_axes(const Acquisition& acquisition);

// Returns the index of the line nearest to transmit `tx`.
int line_of(const ScanLines& lines, std::size_t tx);

}  // namespace echoloop
