#include "gui/state/mark_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/units.h"
#include "gui/state/number_text.h"
#include "measure/plane_geometry.h"

namespace echoloop {
namespace {

constexpr int kRoundPieces = 72;

bool complete(const Mark& mark) {
  const std::size_t needed = points_of(mark.kind);
  return needed == 0 ? mark.points.size() >= 3 : mark.points.size() >= needed;
}

std::vector<PlanePoint> ellipse_line(const EllipseAxes& e) {
  std::vector<PlanePoint> line;
  const double c = std::cos(e.tilt_rad), s = std::sin(e.tilt_rad);
  for (int i = 0; i <= kRoundPieces; ++i) {
    const double t = 2.0 * kPi * i / kRoundPieces;
    const double a = e.half_a_m * std::cos(t), b = e.half_b_m * std::sin(t);
    line.push_back({e.centre.x_m + a * c - b * s, e.centre.z_m + a * s + b * c});
  }
  return line;
}

PlanePoint corner(const Mark& m, std::size_t i) { return {m.points[i % 2].x_m, m.points[i / 2].z_m}; }

// The third point of an ellipse back square to the drawn axis, `half_b_m` away, on the side where it was.
void square_up(Mark& m, double half_b_m) {
  const EllipseAxes e = ellipse_axes(m.points[0], m.points[1], m.points[2]);
  const double nx = -std::sin(e.tilt_rad), nz = std::cos(e.tilt_rad);
  const double side = (m.points[2].x_m - e.centre.x_m) * nx + (m.points[2].z_m - e.centre.z_m) * nz;
  const double by_m = std::copysign(half_b_m, side);
  m.points[2] = {e.centre.x_m + nx * by_m, e.centre.z_m + nz * by_m};
}

}  // namespace

bool is_region(MarkKind kind) {
  return kind == MarkKind::rectangle || kind == MarkKind::circle || kind == MarkKind::ellipse ||
         kind == MarkKind::outline;
}

std::string_view name_of(MarkKind kind) {
  constexpr std::array<std::string_view, 8> kNames = {"Distance", "Angle",   "Ellipse", "Rectangle",
                                                      "Circle",   "Outline", "Profile", "Point"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::size_t points_of(MarkKind kind) {
  constexpr std::array<std::size_t, 8> kPoints = {2, 3, 3, 2, 2, 0, 2, 1};
  return kPoints[static_cast<std::size_t>(kind)];
}

std::string mark_label(const Mark& mark) {
  if (mark.role == RegionRole::none) return std::to_string(mark.number);
  return std::to_string(mark.pair) + (mark.role == RegionRole::target ? " target" : " background");
}

std::optional<double> length_m(const Mark& m) {
  if (!complete(m) || (m.kind != MarkKind::distance && m.kind != MarkKind::profile)) return std::nullopt;
  return distance_m(m.points[0], m.points[1]);
}

std::optional<double> angle_rad(const Mark& m) {
  if (!complete(m) || m.kind != MarkKind::angle) return std::nullopt;
  return angle_rad(m.points[0], m.points[1], m.points[2]);
}

std::optional<double> area_m2(const Mark& m) {
  if (!complete(m)) return std::nullopt;
  switch (m.kind) {
    case MarkKind::ellipse:
      return ellipse_area_m2(ellipse_axes(m.points[0], m.points[1], m.points[2]));
    case MarkKind::rectangle:
      return std::abs((m.points[1].x_m - m.points[0].x_m) * (m.points[1].z_m - m.points[0].z_m));
    case MarkKind::circle:
      return kPi * std::pow(distance_m(m.points[0], m.points[1]), 2);
    case MarkKind::outline:
      return outline_area_m2(m.points);
    default:
      return std::nullopt;
  }
}

std::string mark_value(const Mark& m, int decimals) {
  if (const auto length = length_m(m)) return fixed(*length / kMetresPerMillimetre, decimals) + " mm";
  if (const auto angle = angle_rad(m)) return fixed(*angle / kRadiansPerDegree, 1) + "°";
  if (const auto area = area_m2(m)) {
    return fixed(*area / (kMetresPerMillimetre * kMetresPerMillimetre), decimals) + " mm²";
  }
  if (m.kind == MarkKind::point && complete(m)) {
    return fmt::format("x {}  z {} mm", fixed(m.points[0].x_m / kMetresPerMillimetre, decimals),
                       fixed(m.points[0].z_m / kMetresPerMillimetre, decimals));
  }
  // Two of three points: how long the first leg or axis is.
  if (m.points.size() == 2) return fixed(distance_m(m.points[0], m.points[1]) / kMetresPerMillimetre, decimals) + " mm";
  return {};
}

std::vector<PlanePoint> mark_line(const Mark& m) {
  std::vector<PlanePoint> line = m.points;
  if (m.kind == MarkKind::outline && m.points.size() > 2) line.push_back(m.points.front());
  if (!complete(m)) return line;
  if (m.kind == MarkKind::ellipse) return ellipse_line(ellipse_axes(m.points[0], m.points[1], m.points[2]));
  if (m.kind == MarkKind::circle) {
    const double r = distance_m(m.points[0], m.points[1]);
    return ellipse_line({.centre = m.points[0], .half_a_m = r, .half_b_m = r, .tilt_rad = 0.0});
  }
  if (m.kind == MarkKind::rectangle) return {corner(m, 0), corner(m, 1), corner(m, 3), corner(m, 2), corner(m, 0)};
  return line;
}

std::vector<PlanePoint> mark_handles(const Mark& m) {
  if (!complete(m) || m.kind == MarkKind::outline) return {};
  if (m.kind == MarkKind::rectangle) return {corner(m, 0), corner(m, 1), corner(m, 2), corner(m, 3)};
  return m.points;
}

void move_handle(Mark& m, std::size_t handle, PlanePoint to) {
  if (m.kind == MarkKind::rectangle) {
    m.points[handle % 2].x_m = to.x_m;
    m.points[handle / 2].z_m = to.z_m;
    return;
  }
  if (m.kind == MarkKind::circle && handle == 0) {
    return move_mark(m, to.x_m - m.points[0].x_m, to.z_m - m.points[0].z_m);
  }
  const bool axis = m.kind == MarkKind::ellipse && handle < 2;
  const double half_b_m =
      m.kind == MarkKind::ellipse ? ellipse_axes(m.points[0], m.points[1], m.points[2]).half_b_m : 0.0;
  m.points[handle] = to;
  if (m.kind != MarkKind::ellipse) return;
  square_up(m, axis ? half_b_m : ellipse_axes(m.points[0], m.points[1], to).half_b_m);
}

void move_mark(Mark& m, double dx_m, double dz_m) {
  for (PlanePoint& p : m.points) p = {p.x_m + dx_m, p.z_m + dz_m};
}

PlanePoint label_place(const Mark& m) {
  if (m.points.empty()) return {0.0, 0.0};
  if (m.kind == MarkKind::angle && m.points.size() == 3) return m.points[1];
  if (!is_region(m.kind)) return m.points.back();
  PlanePoint corner = m.points.front();
  for (const PlanePoint p : mark_line(m)) corner = {std::min(corner.x_m, p.x_m), std::min(corner.z_m, p.z_m)};
  return corner;
}

double distance_to_line_m(const std::vector<PlanePoint>& line, PlanePoint p) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < line.size(); ++i) {
    const PlanePoint a = line[i], b = line[std::min(i + 1, line.size() - 1)];
    const double dx = b.x_m - a.x_m, dz = b.z_m - a.z_m, square = dx * dx + dz * dz;
    const double along = square > 0.0 ? ((p.x_m - a.x_m) * dx + (p.z_m - a.z_m) * dz) / square : 0.0;
    const double t = std::clamp(along, 0.0, 1.0);
    least = std::min(least, distance_m(p, {a.x_m + t * dx, a.z_m + t * dz}));
  }
  return least;
}

}  // namespace echoloop
