#include "measure/plane_geometry.h"

#include <cmath>
#include <cstddef>

#include "core/units.h"

namespace echoloop {

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

// The shoelace formula.
double outline_area_m2(std::span<const PlanePoint> outline) {
  double twice = 0.0;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const PlanePoint a = outline[i], b = outline[(i + 1) % outline.size()];
    twice += a.x_m * b.z_m - b.x_m * a.z_m;
  }
  return 0.5 * std::abs(twice);
}

}  // namespace echoloop
