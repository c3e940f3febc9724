#include "source/heart_anatomy.h"

#include <algorithm>
#include <cmath>

namespace echoloop::heart {
namespace {

constexpr double kBase_mm = 25.0;   // plane of the valves
constexpr double kWaist_mm = 21.0;  // widest place of the left ventricle
constexpr double kApex_mm = 10.8;   // of the left cavity
constexpr double kChest_mm = 7.4;   // chest wall above, heart below

double axis(double z_mm) { return 1.0 + 0.07 * (z_mm - 9.0); }

// Returns the half width of a bullet: half an ellipse from apex to waist, then narrowing slightly towards the base.
double bullet(double z_mm, double apex_mm, double half_width_mm, double narrowing) {
  if (z_mm <= apex_mm) return 0.0;
  if (z_mm < kWaist_mm) {
    const double u = (kWaist_mm - z_mm) / (kWaist_mm - apex_mm);
    return half_width_mm * std::sqrt(1.0 - u * u);
  }
  const double u = (z_mm - kWaist_mm) / (kBase_mm - kWaist_mm);
  return half_width_mm * (1.0 - narrowing * u * u);
}

double cavity(double z_mm) { return bullet(z_mm, kApex_mm, 4.0, 0.10); }
double outer(double z_mm) { return bullet(z_mm, 8.7, 6.3, 0.04); }

// Returns the left border of the right cavity, leftwards from the axis, 0 above its apex.
double right_reach(double z_mm) { return z_mm < 13.2 ? 0.0 : bullet(z_mm, 13.2, 10.6, 0.02); }

// Returns the distance from an ellipse's centre in units of its half axes: below 1 inside.
double ellipse(double x, double z, double cx, double cz, double rx, double rz) {
  return std::hypot((x - cx) / rx, (z - cz) / rz);
}

bool in_papillary(double x, double z) { return ellipse(x, z, axis(z) + 3.3, 17.0, 0.9, 2.1) < 1.0; }

struct Chamber {
  double cx, cz, rx, rz;
};
constexpr Chamber kLeftAtrium{2.7, 29.3, 4.0, 4.0};
constexpr Chamber kRightAtrium{-5.3, 29.0, 3.4, 3.8};

bool in_atrium(double x, double z, double wall_mm) {
  const auto in = [&](const Chamber& c) { return ellipse(x, z, c.cx, c.cz, c.rx + wall_mm, c.rz + wall_mm) < 1.0; };
  return z > kBase_mm - 0.3 && (in(kLeftAtrium) || in(kRightAtrium));
}

bool in_ventricle(double x, double z) {
  if (z > kBase_mm + 2.2) return false;  // through the valves into the atria
  const double r = x - axis(z);
  if (std::abs(r) < cavity(z)) return !in_papillary(x, z);
  return -r > outer(z) + (z > kBase_mm ? 0.5 : 0.0) && -r < right_reach(z) - (z > kBase_mm ? 0.6 : 0.0);
}

bool in_muscle(double x, double z, double more_mm) {
  const double r = x - axis(z);
  // The walls end below the valves, rounded off from 4.6 mm (left) and 10 mm (right) outwards.
  const double below = std::max(z - kBase_mm, 0.0) / 1.6;
  if (z < 8.7 - more_mm || below >= 1.0) return false;
  const double round = std::sqrt(1.0 - below * below);
  const auto border = [&](double reach, double middle) { return middle + (reach - middle) * round; };
  const double left = bullet(z, 8.7 - more_mm, 6.3 + more_mm, 0.04);
  if (std::abs(r) < (below > 0.0 ? border(left, 4.6) : left)) return true;
  const double wall = 1.2 + more_mm;
  const double right = bullet(z, 13.2 - wall, 10.6 + wall, 0.02);
  return -r > 0.0 && -r < (below > 0.0 ? border(right, 10.0) : right);
}

Tissue chest_wall(double x, double z) {
  const double wave = 0.15 * std::sin(0.45 * x + 0.7);
  const auto line = [](double distance, double width) { return std::exp(-std::pow(distance / width, 2)); };
  if (z < 1.2) return {.amplitude = 1.0};
  const double lines = 2.2 * line(z - 3.0 - wave, 0.14) + 1.6 * line(z - 5.2 + 0.7 * wave, 0.12) +
                       1.8 * line(z - 6.9 - 0.5 * wave, 0.14);
  // Fat above the first fascia is dark; muscle below it is striped along the surface.
  const double stripes = 0.55 + 0.25 * std::sin(9.0 * (z + 0.05 * x) + 1.5 * std::sin(0.8 * x));
  return {.amplitude = lines + (z < 3.0 + wave ? 0.45 : stripes)};
}

}  // namespace

Tissue tissue_at(double x, double z) {
  constexpr double kPericardium_mm = 0.4;
  if (z < kChest_mm) return chest_wall(x, z);
  if (in_ventricle(x, z)) return {};
  for (int i = 0; i < kLeaflets; ++i) {  // fibrous ring of the valves
    if (std::hypot(x - leaflet(i).hinge.x_mm, z - leaflet(i).hinge.z_mm) < 0.55) return {.amplitude = 1.3};
  }
  if (in_atrium(x, z, 0.0)) return {};
  if (in_muscle(x, z, 0.0)) {
    const double r = std::abs(x - axis(z));
    const bool lining = r < cavity(z) + 0.25 || in_papillary(x, z);  // the endocardium is slightly brighter
    return {.amplitude = lining ? 1.5 : 1.0};
  }
  if (in_atrium(x, z, 0.8)) return {.amplitude = 1.1};
  if (in_muscle(x, z, kPericardium_mm) || in_atrium(x, z, 0.8 + kPericardium_mm)) return {.amplitude = 2.8};
  // Surroundings of the heart: fat and lung, hazy and fading with depth.
  return {.amplitude = 0.55 - 0.005 * (z - kChest_mm), .density = 0.5};
}

bool in_cavity(double x, double z) { return z >= kChest_mm && (in_ventricle(x, z) || in_atrium(x, z, 0.0)); }

Blood blood_at(double x, double z) {
  const auto jet = [](double off_mm, double half_width_mm) {  // blunt profile
    const double u = off_mm / half_width_mm;
    return std::max(0.0, 1.0 - u * u * u * u);
  };
  const double r = x - axis(z);
  if (z < kBase_mm) {
    // Filling along the free wall of the left ventricle, ejection along the septum; slower towards the apex.
    const double left = smoothstep(kApex_mm - 4.0, 19.0, z), right = smoothstep(10.0, 21.0, z);
    return {.inflow = left * jet(r - 1.0, 2.8) + 0.7 * right * jet(x + 6.0, 2.6),
            .outflow = left * jet(r + 1.6, 2.6) + 0.3 * right * jet(x + 4.6, 1.8)};
  }
  const double beyond = 1.0 - 0.6 * smoothstep(kBase_mm + 1.0, kBase_mm + 7.0, z);
  return {.inflow = beyond * (jet(x - 2.1, 3.4) + 0.7 * jet(x + 5.7, 2.8)), .outflow = 0.0};
}

bool Motion::at_rest() const {
  return blend * squeeze_mm2 < 1e-6 && std::abs(shift_x_mm) < 1e-6 && std::abs(shift_z_mm) < 1e-6;
}

Motion motion_at(double x, double z) {
  const double r = x - axis(z);
  // The cavity's half width shrinks by sqrt(1 - 0.54): an ejection fraction of about 60 % with the shortening. Less
  // at the fibrous base, none beyond it.
  const double strength = 0.54 * (1.0 - 0.65 * smoothstep(19.0, 26.0, z));
  const double inner = std::min(std::abs(r), cavity(z));
  const double beyond = 1.0 - smoothstep(kBase_mm, 31.0, z);
  const double near = 1.0 - smoothstep(11.0, 14.0, std::abs(r));  // tissue further out does not move
  // The base descends towards the resting apex and opens the atria; their back wall rests.
  const double descent = smoothstep(8.5, kBase_mm, z) * (1.0 - smoothstep(26.0, 34.0, z));
  const double free_wall = smoothstep(4.5, 10.0, -r) * smoothstep(12.0, 17.0, z) * (1.0 - smoothstep(24.0, 30.0, z));
  return {.axis_mm = axis(z),
          .squeeze_mm2 = strength * beyond * inner * inner,
          .blend = near,
          .shift_x_mm = 1.0 * free_wall * near,
          .shift_z_mm = -2.4 * descent * near};
}

Point moved(const Point& rest, const Motion& m, double s) {
  const double r = rest.x_mm - m.axis_mm;
  const double squeezed = std::copysign(std::sqrt(std::max(r * r - m.squeeze_mm2 * s, 0.0)), r);
  return {rest.x_mm + m.blend * (squeezed - r) + m.shift_x_mm * s, rest.z_mm + m.shift_z_mm * s};
}

namespace {

struct Knot {
  double phase, value;
};

// Smooth steps between knots, with zero slope at every knot, so the slope is continuous, also from last to first.
template <std::size_t n>
double through(const Knot (&knots)[n], double phase) {
  for (std::size_t i = 1; i < n; ++i) {
    if (phase > knots[i].phase) continue;
    const Knot& a = knots[i - 1];
    const Knot& b = knots[i];
    return a.value + (b.value - a.value) * smoothstep(a.phase, b.phase, phase);
  }
  return knots[n - 1].value;
}

}  // namespace

double contraction(double phase) {
  // Ejection, rapid filling (E), rest (diastasis), filling by the atria (A).
  static constexpr Knot kKnots[] = {{0.0, 0.0}, {0.36, 1.0}, {0.62, 0.14}, {0.80, 0.12}, {0.96, 0.0}, {1.0, 0.0}};
  return through(kKnots, phase);
}

double valve_opening(double phase) {
  static constexpr Knot kKnots[] = {{0.0, 0.0},   {0.40, 0.0}, {0.52, 1.0}, {0.70, 0.40},
                                    {0.84, 0.80}, {0.97, 0.0}, {1.0, 0.0}};
  return through(kKnots, phase);
}

double fills(double phase) {
  static constexpr Knot kKnots[] = {{0.0, 0.0},   {0.40, 0.0}, {0.48, 1.0}, {0.56, 0.9}, {0.68, 0.30},
                                    {0.76, 0.25}, {0.85, 0.8}, {0.91, 0.7}, {0.99, 0.0}, {1.0, 0.0}};
  return through(kKnots, phase);
}

double ejects(double phase) {
  static constexpr Knot kKnots[] = {{0.0, 0.0}, {0.02, 0.0}, {0.10, 1.0}, {0.28, 0.9}, {0.39, 0.0}, {1.0, 0.0}};
  return through(kKnots, phase);
}

double ecg_mv(double phase) {
  struct Wave {
    double phase, width, mv;
  };
  static constexpr Wave kWaves[] = {
      {-0.21, 0.022, 0.15}, {-0.030, 0.009, -0.12}, {0.0, 0.011, 1.2}, {0.030, 0.010, -0.28}, {0.32, 0.045, 0.30}};
  double mv = 0.0;
  for (const Wave& wave : kWaves) {
    const double from = phase - wave.phase, away = from - std::round(from);
    mv += wave.mv * std::exp(-0.5 * away * away / (wave.width * wave.width));
  }
  return mv;
}

const Leaflet& leaflet(int i) {
  // Hinges at the ends of the cavities' base; the lengths are 3 % above the annulus so that the tips meet, tented.
  static const Leaflet kAll[kLeaflets] = {
      {{-1.5, kBase_mm}, {5.7, kBase_mm}, 4.2, 3.3},
      {{5.7, kBase_mm}, {-1.5, kBase_mm}, 3.3, 4.2},
      {{-8.2, kBase_mm}, {-3.6, kBase_mm + 0.3}, 2.6, 2.1},
      {{-3.6, kBase_mm + 0.3}, {-8.2, kBase_mm}, 2.1, 2.6},
  };
  return kAll[i];
}

LeafletPose::LeafletPose(const Leaflet& leaf, double s, double opening) {
  hinge_ = moved(leaf.hinge, motion_at(leaf.hinge.x_mm, leaf.hinge.z_mm), s);
  const Point other = moved(leaf.opposite, motion_at(leaf.opposite.x_mm, leaf.opposite.z_mm), s);
  side_ = other.x_mm > hinge_.x_mm ? 1.0 : -1.0;
  const double share = std::abs(other.x_mm - hinge_.x_mm) / (leaf.length_mm + leaf.other_length_mm);
  const double closed_rad = std::acos(std::clamp(share, 0.0, 1.0));
  constexpr double kOpen_rad = 75.0 * kRadiansPerDegree;
  const double angle = closed_rad + opening * std::max(kOpen_rad - closed_rad, 0.0);
  cos_ = std::cos(angle);
  sin_ = std::sin(angle);
  bend_per_mm_ = 0.12 * opening / leaf.length_mm;  // the free edge lags inwards while open
}

Point LeafletPose::at(double along_mm, double across_mm) const {
  const double off_mm = across_mm - bend_per_mm_ * along_mm * along_mm;
  return {hinge_.x_mm + side_ * (cos_ * along_mm - sin_ * off_mm), hinge_.z_mm - sin_ * along_mm - cos_ * off_mm};
}

}  // namespace echoloop::heart
