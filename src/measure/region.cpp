#include "measure/region.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/units.h"

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

// Region prepared for many queries.
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
    for (int ix = columns.first; ix <= columns.last; ++ix)
      if (inside.contains(grid.point(ix, iz))) found.index.push_back(static_cast<std::uint32_t>(iz * grid.nx + ix));
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
  for (int ix = 0; ix < grid.nx; ++ix)
    directions.push_back({std::sin(grid.angle_rad(ix)), std::cos(grid.angle_rad(ix))});
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
  if (grid.polar())
    polar_pixels(inside, grid, found);
  else
    cartesian_pixels(inside, grid, found);
  return found;
}

namespace {

enum Heading { east, south, west, north };
constexpr std::array<int, 4> kStepX = {1, 0, -1, 0}, kStepZ = {0, 1, 0, -1};

// Corner of pixels: (x, z) is the upper left one of pixel (x, z).
struct Corner {
  int x, z;
  friend bool operator==(const Corner&, const Corner&) = default;
};

class Tracer {
 public:
  Tracer(std::span<const std::int32_t> labels, const Grid& grid)
      : labels_(labels), grid_(grid), seen_(labels.size(), false) {}

  std::vector<LabelOutline> all() {
    std::vector<LabelOutline> found;
    for (int z = 0; z < grid_.nz; ++z) {
      for (int x = 0; x < grid_.nx; ++x) {
        const std::int32_t label = at(x, z);
        if (label > 0 && at(x, z - 1) != label && !seen_[index(x, z)]) found.push_back(trace(label, {x, z}));
      }
    }
    return found;
  }

 private:
  [[nodiscard]] std::size_t index(int x, int z) const {
    return static_cast<std::size_t>(z) * static_cast<std::size_t>(grid_.nx) + static_cast<std::size_t>(x);
  }
  [[nodiscard]] std::int32_t at(int x, int z) const {
    return x < 0 || z < 0 || x >= grid_.nx || z >= grid_.nz ? 0 : labels_[index(x, z)];
  }
  // Returns true if the edge from a corner has the label at its right and another one at its left.
  [[nodiscard]] bool is_edge(std::int32_t label, Corner c, int heading) const {
    constexpr std::array<int, 4> kRightX = {0, -1, -1, 0}, kRightZ = {0, 0, -1, -1};
    constexpr std::array<int, 4> kLeftX = {0, 0, -1, -1}, kLeftZ = {-1, 0, 0, -1};
    const auto h = static_cast<std::size_t>(heading);
    return at(c.x + kRightX[h], c.z + kRightZ[h]) == label && at(c.x + kLeftX[h], c.z + kLeftZ[h]) != label;
  }

  [[nodiscard]] PlanePoint place(Corner c) const {
    const double column = std::clamp(c.x - 0.5, 0.0, static_cast<double>(grid_.nx - 1));
    const double row = std::clamp(c.z - 0.5, 0.0, static_cast<double>(grid_.nz - 1));
    const auto along = [](double first, double last, double share_of, int n) {
      return n > 1 ? first + (last - first) * share_of / (n - 1) : first;
    };
    if (!grid_.polar())
      return {along(grid_.x0_m, grid_.x1_m, column, grid_.nx), along(grid_.z0_m, grid_.z1_m, row, grid_.nz)};
    const Sector& s = grid_.sector;
    const double angle = along(s.angle0_rad, s.angle1_rad, column, grid_.nx);
    const double r = along(s.r0_m, s.r1_m, row, grid_.nz);
    return {r * std::sin(angle), s.apex_z_m + r * std::cos(angle)};
  }

  LabelOutline trace(std::int32_t label, Corner start) {
    LabelOutline outline{.label = label, .line = {}, .least = place(start), .most = place(start)};
    Corner c = start;
    int heading = east;
    int came = -1;  // heading of the edge to this corner
    do {
      const bool straight = came == heading;
      const bool arc = grid_.polar() && (heading == east || heading == west);
      if (!straight || arc) {
        const PlanePoint p = place(c);
        outline.line.push_back(p);
        outline.least = {std::min(outline.least.x_m, p.x_m), std::min(outline.least.z_m, p.z_m)};
        outline.most = {std::max(outline.most.x_m, p.x_m), std::max(outline.most.z_m, p.z_m)};
      }
      if (heading == east) seen_[index(c.x, c.z)] = true;
      c = {c.x + kStepX[static_cast<std::size_t>(heading)], c.z + kStepZ[static_cast<std::size_t>(heading)]};
      came = heading;
      // Right turn first: stays at the same pixel where two meet at a corner.
      for (const int turn : {1, 0, 3}) {
        heading = (came + turn) % 4;
        if (is_edge(label, c, heading)) break;
      }
    } while (!(c == start && heading == east));
    return outline;
  }

  std::span<const std::int32_t> labels_;
  const Grid& grid_;
  std::vector<bool> seen_;  // the edge above a pixel belongs to a line
};

}  // namespace

std::vector<LabelOutline> outline_labels(std::span<const std::int32_t> labels, const Grid& grid) {
  if (labels.size() != grid.pixels()) return {};
  return Tracer(labels, grid).all();
}

double distance_m(PlanePoint a, PlanePoint b) { return std::hypot(b.x_m - a.x_m, b.z_m - a.z_m); }

double angle_rad(PlanePoint leg_a, PlanePoint vertex, PlanePoint leg_b) {
  const double ax = leg_a.x_m - vertex.x_m, az = leg_a.z_m - vertex.z_m;
  const double bx = leg_b.x_m - vertex.x_m, bz = leg_b.z_m - vertex.z_m;
  return std::abs(std::atan2(ax * bz - az * bx, ax * bx + az * bz));
}

EllipseAxes ellipse_axes(PlanePoint end_a, PlanePoint end_b, PlanePoint reach) {
  const PlanePoint centre{0.5 * (end_a.x_m + end_b.x_m), 0.5 * (end_a.z_m + end_b.z_m)};
  const double tilt = std::atan2(end_b.z_m - end_a.z_m, end_b.x_m - end_a.x_m);
  const double across = (reach.z_m - centre.z_m) * std::cos(tilt) - (reach.x_m - centre.x_m) * std::sin(tilt);
  return {.centre = centre, .half_a_m = 0.5 * distance_m(end_a, end_b), .half_b_m = std::abs(across), .tilt_rad = tilt};
}

double ellipse_area_m2(const EllipseAxes& ellipse) { return kPi * ellipse.half_a_m * ellipse.half_b_m; }

// Returns the area by the shoelace formula.
double outline_area_m2(std::span<const PlanePoint> outline) {
  double twice = 0.0;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const PlanePoint a = outline[i], b = outline[(i + 1) % outline.size()];
    twice += a.x_m * b.z_m - b.x_m * a.z_m;
  }
  return 0.5 * std::abs(twice);
}

}  // namespace echoloop
