#include "measure/region.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "measure/plane_geometry.h"

namespace echoloop {
namespace {

constexpr double kEdge_m = 1e-9;

struct Box {
  double x0 = std::numeric_limits<double>::max(), x1 = -x0, z0 = x0, z1 = -x0;
  void add(PlanePoint p, double reach_x, double reach_z) {
    x0 = std::min(x0, p.x_m - reach_x), x1 = std::max(x1, p.x_m + reach_x);
    z0 = std::min(z0, p.z_m - reach_z), z1 = std::max(z1, p.z_m + reach_z);
  }
  [[nodiscard]] bool contains(PlanePoint p) const {
    return p.x_m >= x0 - kEdge_m && p.x_m <= x1 + kEdge_m && p.z_m >= z0 - kEdge_m && p.z_m <= z1 + kEdge_m;
  }
};

bool outline_contains(const std::vector<PlanePoint>& outline, PlanePoint p) {
  bool inside = false;
  for (std::size_t i = 0, j = outline.size() - 1; i < outline.size(); j = i++) {
    const PlanePoint a = outline[i], b = outline[j];
    if ((a.z_m > p.z_m) == (b.z_m > p.z_m)) continue;
    if (p.x_m < a.x_m + (b.x_m - a.x_m) * (p.z_m - a.z_m) / (b.z_m - a.z_m)) inside = !inside;
  }
  return inside;
}

// A region made ready for many questions.
class Inside {
 public:
  explicit Inside(const Region& region) : region_(region) {
    const std::vector<PlanePoint>& p = region.points;
    const std::size_t needed = region.shape == RegionShape::ellipse || region.shape == RegionShape::outline ? 3 : 2;
    complete_ = p.size() >= needed;
    if (!complete_) return;
    if (region.shape == RegionShape::circle) {
      radius_m_ = distance_m(p[0], p[1]);
      box_.add(p[0], radius_m_, radius_m_);
    } else if (region.shape == RegionShape::ellipse) {
      ellipse_ = ellipse_axes(p[0], p[1], p[2]);
      cos_ = std::cos(ellipse_.tilt_rad);
      sin_ = std::sin(ellipse_.tilt_rad);
      const double a = ellipse_.half_a_m, b = ellipse_.half_b_m;
      box_.add(ellipse_.centre, std::hypot(a * cos_, b * sin_), std::hypot(a * sin_, b * cos_));
      complete_ = a > 0.0 && b > 0.0;
    } else {
      for (const PlanePoint& point : p) box_.add(point, 0.0, 0.0);
    }
  }

  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] const Box& box() const { return box_; }

  [[nodiscard]] bool contains(PlanePoint p) const {
    if (!complete_ || !box_.contains(p)) return false;
    if (region_.shape == RegionShape::circle) return distance_m(p, region_.points[0]) <= radius_m_ + kEdge_m;
    if (region_.shape == RegionShape::outline) return outline_contains(region_.points, p);
    if (region_.shape == RegionShape::rectangle) return true;
    const double x = p.x_m - ellipse_.centre.x_m, z = p.z_m - ellipse_.centre.z_m;
    return std::hypot((x * cos_ + z * sin_) / (ellipse_.half_a_m + kEdge_m),
                      (z * cos_ - x * sin_) / (ellipse_.half_b_m + kEdge_m)) <= 1.0;
  }

 private:
  const Region& region_;
  bool complete_ = false;
  Box box_;
  double radius_m_ = 0.0;
  EllipseAxes ellipse_{};
  double cos_ = 1.0, sin_ = 0.0;
};

struct Steps {
  int first, last;
};

Steps steps_between(double from, double to, int n) {
  return {std::clamp(static_cast<int>(std::floor(from)), 0, n), std::clamp(static_cast<int>(std::ceil(to)), -1, n - 1)};
}

void cartesian_pixels(const Inside& inside, const Grid& grid, RegionPixels& found) {
  const GridPlace low = grid.place(inside.box().x0, inside.box().z0);
  const GridPlace high = grid.place(inside.box().x1, inside.box().z1);
  const Steps rows = steps_between(low.row, high.row, grid.nz),
              columns = steps_between(low.column, high.column, grid.nx);
  for (int iz = rows.first; iz <= rows.last; ++iz) {
    for (int ix = columns.first; ix <= columns.last; ++ix) {
      if (inside.contains(grid.point(ix, iz))) found.index.push_back(static_cast<std::uint32_t>(iz * grid.nx + ix));
    }
  }
  found.area_m2 = static_cast<double>(found.index.size()) * grid.dx_m() * grid.dz_m();
}

void polar_pixels(const Inside& inside, const Grid& grid, RegionPixels& found) {
  const Sector& s = grid.sector;
  const Box& box = inside.box();
  const auto r_of = [&](double x, double z) { return std::hypot(x, z - s.apex_z_m); };
  const double nearest = r_of(std::clamp(0.0, box.x0, box.x1), std::clamp(s.apex_z_m, box.z0, box.z1));
  const double farthest = std::max(std::max(r_of(box.x0, box.z0), r_of(box.x1, box.z0)),
                                   std::max(r_of(box.x0, box.z1), r_of(box.x1, box.z1)));
  const double step_m = grid.nz > 1 ? (s.r1_m - s.r0_m) / (grid.nz - 1) : 1.0;
  const double step_rad = grid.nx > 1 ? (s.angle1_rad - s.angle0_rad) / (grid.nx - 1) : 0.0;
  const Steps rows = steps_between((nearest - s.r0_m) / step_m - 1.0, (farthest - s.r0_m) / step_m + 1.0, grid.nz);
  std::vector<PlanePoint> directions;
  for (int ix = 0; ix < grid.nx; ++ix) {
    directions.push_back({std::sin(grid.angle_rad(ix)), std::cos(grid.angle_rad(ix))});
  }
  for (int iz = rows.first; iz <= rows.last; ++iz) {
    const double r_m = grid.r_m(iz);
    for (int ix = 0; ix < grid.nx; ++ix) {
      const PlanePoint& d = directions[static_cast<std::size_t>(ix)];
      if (!inside.contains({r_m * d.x_m, s.apex_z_m + r_m * d.z_m})) continue;
      found.index.push_back(static_cast<std::uint32_t>(iz * grid.nx + ix));
      found.weight.push_back(static_cast<float>(r_m));
      found.area_m2 += r_m * step_m * step_rad;
    }
  }
}

}  // namespace

RegionPixels pixels_in(const Region& region, const Grid& grid) {
  RegionPixels found;
  const Inside inside(region);
  if (!inside.complete() || grid.nx < 1 || grid.nz < 1) return found;
  if (grid.polar()) {
    polar_pixels(inside, grid, found);
  } else {
    cartesian_pixels(inside, grid, found);
  }
  return found;
}

}  // namespace echoloop
