// Anatomy and motion of the heart phantom, and the speed of its blood: an apical four-chamber section, the apex towards
// the probe. Lengths are millimetres of a drawing (x -9.6 to 9.6, z 0 to 36): the field of the linear probe L64, which
// shows a heart of a rabbit's size; the scene scales them. Pure functions; any thread.
#pragma once

#include "source/phantom_scene.h"

namespace echoloop::heart {

// Returns echogenicity and density of scatterers at a point of the section at rest.
Tissue tissue_at(double x_mm, double z_mm);

// Motion of a point of the section with the contraction s (0 end of diastole, 1 end of systole):
//   x(s) = x + blend (sign(r) sqrt(r^2 - squeeze s) - r) + shift_x s,  r = x - axis
//   z(s) = z + shift_z s
// The square root preserves the area of a ring about the axis: the wall thickens as it moves inwards.
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

// Course of the beat, phase 0 (end of diastole, the R wave) to 1; both are periodic with a continuous slope.
double contraction(double phase);    // 0 to 1
double valve_opening(double phase);  // mitral and tricuspid valve: 0 closed, 1 wide open

// Blood speed at a point of the section at rest, upwards (towards the probe), relative to the largest speed:
//   speed(phase) = inflow fills(phase) - outflow ejects(phase)
struct Blood {
  double inflow = 0.0;
  double outflow = 0.0;
};
Blood blood_at(double x_mm, double z_mm);
bool in_cavity(double x_mm, double z_mm);

// Speeds over the beat, 0 to 1: two waves of filling, E and A, and ejection.
double fills(double phase);
double ejects(double phase);

// Electrocardiogram, mV: a Gaussian per wave, as the model of McSharry et al. 2003 (IEEE Trans. Biomed. Eng. 50, 289),
// at the times of this beat: P before filling A, T at the end of ejection.
double ecg_mv(double phase);

// Valve leaflet: a thin sheet hinged on the annulus that swings between closed (its tip meets the other leaflet's half
// way) and open (towards the apex).
struct Leaflet {
  Point hinge;     // at rest
  Point opposite;  // the other leaflet's hinge, at rest
  double length_mm = 0.0;
  double other_length_mm = 0.0;
};
inline constexpr int kLeaflets = 4;
const Leaflet& leaflet(int i);

// Position of the point `along_mm` from the hinge, `across_mm` from the middle of the sheet.
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
