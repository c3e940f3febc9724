// The heart phantom's anatomy and motion: an apical four-chamber section, the apex towards the probe.
// Why apart from scene_heart.cpp: what tissue is where at rest (end of diastole) and how each point moves is the
// subject of its own; the scene only strews scatterers over it. Lengths here are millimetres for the default probe's
// field (x -9.6 to 9.6, z 0 to 36, the size of a rabbit's heart); the scene scales them.
#pragma once

#include "source/phantom_speckle.h"

namespace echoloop::heart {

// Echogenicity and share of scatterers at a point of the section at rest.
Tissue tissue_at(double x_mm, double z_mm);

// How a point of the section follows the contraction s (0 end of diastole, 1 end of systole):
//   x(s) = x + blend (sign(r) sqrt(r^2 - squeeze s) - r) + shift_x s,  r = x - axis
//   z(s) = z + shift_z s
// The square root keeps the area of a ring about the axis: the wall thickens as it moves inwards.
struct Motion {
  double axis_mm = 0.0;
  double squeeze_mm2 = 0.0;
  double blend = 0.0;
  double shift_x_mm = 0.0;
  double shift_z_mm = 0.0;

  [[nodiscard]] bool at_rest() const;
};
Motion motion_at(double x_mm, double z_mm);

struct Point {
  double x_mm = 0.0;
  double z_mm = 0.0;
};
Point moved(const Point& rest, const Motion& motion, double contraction);

// Through the beat, phase 0 (end of diastole, the R wave) to 1; both are periodic with a continuous slope.
double contraction(double phase);    // 0 to 1
double valve_opening(double phase);  // mitral and tricuspid valve: 0 closed, 1 wide open

// A valve leaflet: a thin sheet hinged on the annulus that swings between closed (its tip meets the other leaflet's
// half way) and open (towards the apex).
struct Leaflet {
  Point hinge;     // at rest
  Point opposite;  // the other leaflet's hinge, at rest
  double length_mm = 0.0;
  double other_length_mm = 0.0;
};
inline constexpr int kLeaflets = 4;
const Leaflet& leaflet(int i);

// Where the point `along_mm` from the hinge, `across_mm` from the middle of the sheet, is.
class LeafletPose {
 public:
  LeafletPose(const Leaflet& leaflet, double contraction, double opening);
  [[nodiscard]] Point at(double along_mm, double across_mm) const;

 private:
  Point hinge_;
  double cos_ = 1.0;
  double sin_ = 0.0;
  double side_ = 1.0;  // +1: the leaflet closes towards +x
  double bend_per_mm_ = 0.0;
};

}  // namespace echoloop::heart
