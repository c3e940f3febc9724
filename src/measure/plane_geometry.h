// Lengths, angles and areas in the image plane. Any thread.
#pragma once

#include <span>

#include "core/grid.h"

namespace echoloop {

double distance_m(PlanePoint a, PlanePoint b);

// Between the legs from the vertex, 0 to pi.
double angle_rad(PlanePoint leg_a, PlanePoint vertex, PlanePoint leg_b);

// The ends of one axis, and a point whose distance from that axis is the other half axis.
struct EllipseAxes {
  PlanePoint centre;
  double half_a_m;  // along the drawn axis
  double half_b_m;
  double tilt_rad;  // of the drawn axis, from +x towards +z
};
EllipseAxes ellipse_axes(PlanePoint end_a, PlanePoint end_b, PlanePoint reach);
double ellipse_area_m2(const EllipseAxes& ellipse);

// Of a closed outline that does not cross itself; either sense of going round.
double outline_area_m2(std::span<const PlanePoint> outline);

}  // namespace echoloop
