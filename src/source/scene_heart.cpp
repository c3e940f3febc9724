// Heart phantom: a beating heart in an apical four-chamber section below a resting chest wall. Every scatterer of the
// heart keeps its place in the tissue; its path through the beat is a closed form of the contraction, so that frames
// can be made in any order and beats join seamlessly.
#include <algorithm>
#include <array>
#include <cmath>

#include "source/phantom_scene.h"

namespace echoloop::heart {

// Anatomy and motion of the heart phantom: an apical four-chamber section, the apex towards the probe; the scene only
// places scatterers in it. Lengths are millimetres of a drawing (x -9.6 to 9.6, z 0 to 36): the field of the linear
// probe L64, which shows a heart of a rabbit's size. Placement scales it.

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

namespace echoloop {
namespace {

constexpr double kLeafletLevel = 2.0;  // +6 dB
constexpr double kLeafletThickness_mm = 0.3;
constexpr double kHeartBloodLevel = 0.06;  // -24 dB re muscle
constexpr double kMostBlood_m_s = 0.8;

// Position of the drawing in the field: x = x_mm x_m_per_mm, z = z0_m + z_mm z_m_per_mm.
struct Placement {
  double x_m_per_mm = kMetresPerMillimetre;
  double z_m_per_mm = kMetresPerMillimetre;
  double z0_m = 0.0;

  // Linear array: the whole drawing. Sector: an adult's heart from 2.5 to 13 cm in a field of 14 cm.
  explicit Placement(const Field& field) {
    if (!field.sector) {
      x_m_per_mm = z_m_per_mm = field.scale * kMetresPerMillimetre;
      return;
    }
    const double size = field.depth_m / 0.145;
    x_m_per_mm = 4.9e-3 * size;
    z_m_per_mm = 4.2e-3 * size;
    z0_m = -11.5e-3 * size;
  }
  [[nodiscard]] heart::Point drawn(double x_m, double z_m) const {
    return {x_m / x_m_per_mm, (z_m - z0_m) / z_m_per_mm};
  }
};

// One entry per scatterer; floats for the vector unit. See heart::Motion for the formula.
struct MovingTissue {
  Scatterers rest;
  std::vector<float> axis_m, squeeze_m2, blend, shift_x_m, shift_z_m;
};

// Blood scatterer: it moves along the beam from its birth once per beat, and fades in and out. Two populations, half a
// beat apart, have a constant sum of powers. A share of the path is up, the other down.
struct MovingBlood {
  Scatterers rest;
  std::vector<float> inflow, outflow;  // of the paths over a beat
  std::vector<char> late;              // 1: born half a beat later
};

// Integral of a speed over the beat, in beats, by the trapezoidal rule.
class Path {
 public:
  explicit Path(double (*speed)(double phase)) {
    for (int i = 0; i < kSteps; ++i) {
      sum_[static_cast<std::size_t>(i) + 1] =
          sum_[static_cast<std::size_t>(i)] +
          0.5 * (speed(i / double{kSteps}) + speed((i + 1) / double{kSteps})) / kSteps;
    }
  }
  // Returns the integral from 0 to `phase`, which may be outside 0 to 1.
  [[nodiscard]] double at(double phase) const {
    const double beats = std::floor(phase);
    const double place = (phase - beats) * kSteps;
    const int i = std::min(static_cast<int>(place), kSteps - 1);
    const auto k = static_cast<std::size_t>(i);
    return beats * sum_[kSteps] + sum_[k] + (place - i) * (sum_[k + 1] - sum_[k]);
  }

 private:
  static constexpr int kSteps = 1000;
  std::array<double, kSteps + 1> sum_{};
};

struct LeafletScatterer {
  int leaflet = 0;
  double along_mm = 0.0;
  double across_mm = 0.0;
  double amplitude = 0.0;
};

class HeartScene final : public Scene {
 public:
  explicit HeartScene(const SceneSetup& setup)
      : placement_(setup.field),
        period_(std::max<std::uint64_t>(
            2, static_cast<std::uint64_t>(std::llround(setup.frame_rate_hz / setup.heart.rate_hz)))),
        blood_m_per_beat_((setup.heart.peak_blood_m_s > 0.0 ? setup.heart.peak_blood_m_s
                                                            : std::min(0.85 * setup.aliasing_m_s, kMostBlood_m_s)) *
                          static_cast<double>(period_) / setup.frame_rate_hz) {
    const Field& field = setup.field;
    Random random(setup.seed);
    const double first_m = 0.3 * field.scale * kMetresPerMillimetre;
    const SpeckleArea area{.x0_m = -field.x1_m(),
                           .x1_m = field.x1_m(),
                           .z0_m = first_m,
                           .z1_m = field.depth_m,
                           .per_cell = field.sector ? 4.0 : 6.0};
    Scatterers all;
    const Placement& placement = placement_;
    add_speckle(all, field, area, random, [&placement](double x_m, double z_m) {
      const heart::Point at = placement.drawn(x_m, z_m);
      return heart::tissue_at(at.x_mm, at.z_mm);
    });
    for (std::size_t i = 0; i < all.size(); ++i) place(all.x_m[i], all.z_m[i], all.amplitude[i]);
    make_leaflets(field, area.per_cell, random);
    make_blood(field, area, random);
  }

  [[nodiscard]] const Scatterers& fixed() const override { return fixed_; }
  [[nodiscard]] std::uint64_t n_states() const override { return period_; }
  [[nodiscard]] std::uint64_t state(std::uint64_t index) const override { return index % period_; }

  void moving(std::uint64_t state, Scatterers& out) const override {
    const double phase = static_cast<double>(state) / static_cast<double>(period_);
    move_tissue(static_cast<float>(heart::contraction(phase)), out);
    move_leaflets(heart::contraction(phase), heart::valve_opening(phase), out);
    move_blood(phase, out);
  }

 private:
  void place(double x_m, double z_m, double amplitude) {
    const heart::Point drawn = placement_.drawn(x_m, z_m);
    const heart::Motion motion = heart::motion_at(drawn.x_mm, drawn.z_mm);
    if (motion.at_rest()) {
      fixed_.add(x_m, z_m, amplitude);
      return;
    }
    tissue_.rest.add(x_m, z_m, amplitude);
    const double x = placement_.x_m_per_mm;
    tissue_.axis_m.push_back(static_cast<float>(motion.axis_mm * x));
    tissue_.squeeze_m2.push_back(static_cast<float>(motion.squeeze_mm2 * x * x));
    tissue_.blend.push_back(static_cast<float>(motion.blend));
    tissue_.shift_x_m.push_back(static_cast<float>(motion.shift_x_mm * x));
    tissue_.shift_z_m.push_back(static_cast<float>(motion.shift_z_mm * placement_.z_m_per_mm));
  }

  void make_leaflets(const Field& field, double per_cell, Random& random) {
    for (int i = 0; i < heart::kLeaflets; ++i) {
      const double length_mm = heart::leaflet(i).length_mm;
      const double area_m2 = length_mm * kLeafletThickness_mm * placement_.x_m_per_mm * placement_.z_m_per_mm;
      // A sheet is thinner than the resolution cell: at least 20 scatterers per millimetre keep it continuous.
      const double n = std::max(per_cell * area_m2 / field.cell_area_m2, 20.0 * length_mm);
      const double amplitude = kLeafletLevel * std::sqrt(area_m2 / field.cell_area_m2 / n);
      for (int k = 0; k < static_cast<int>(n); ++k) {
        leaflets_.push_back({.leaflet = i,
                             .along_mm = random.uniform(0.0, length_mm),
                             .across_mm = random.uniform(-0.5, 0.5) * kLeafletThickness_mm,
                             .amplitude = random.uniform() < 0.5 ? -amplitude : amplitude});
      }
    }
  }

  void make_blood(const Field& field, SpeckleArea area, Random& random) {
    area.per_cell = 3.0;
    for (const bool late : {false, true}) {  // each with the whole power: sine and cosine of the phase weight them
      const std::size_t first = blood_.rest.size();
      add_speckle(blood_.rest, field, area, random, [this](double x_m, double z_m) {
        const heart::Point at = placement_.drawn(x_m, z_m);
        return Tissue{.amplitude = heart::in_cavity(at.x_mm, at.z_mm) ? kHeartBloodLevel : 0.0};
      });
      for (std::size_t i = first; i < blood_.rest.size(); ++i) {
        const heart::Point at = placement_.drawn(blood_.rest.x_m[i], blood_.rest.z_m[i]);
        const heart::Blood speed = heart::blood_at(at.x_mm, at.z_mm);
        blood_.inflow.push_back(static_cast<float>(speed.inflow * blood_m_per_beat_));
        blood_.outflow.push_back(static_cast<float>(speed.outflow * blood_m_per_beat_));
        blood_.late.push_back(late ? 1 : 0);
      }
    }
  }

  void move_blood(double phase, Scatterers& out) const {
    std::size_t at = tissue_.rest.size() + leaflets_.size();
    // Displacements from the middle of the life of each population, where its amplitude is largest.
    float amplitude[2], in[2], ejected[2];
    for (const int late : {0, 1}) {
      const double age = phase - 0.5 * late - std::floor(phase - 0.5 * late);
      const double middle = phase - age + 0.5;
      amplitude[late] = static_cast<float>(std::sin(kPi * age));
      in[late] = static_cast<float>(filling_.at(phase) - filling_.at(middle));
      ejected[late] = static_cast<float>(ejection_.at(phase) - ejection_.at(middle));
    }
    for (std::size_t i = 0; i < blood_.rest.size(); ++i, ++at) {
      const int late = blood_.late[i];
      out.x_m[at] = blood_.rest.x_m[i];
      out.z_m[at] = blood_.rest.z_m[i] - blood_.inflow[i] * in[late] + blood_.outflow[i] * ejected[late];
      out.amplitude[at] = blood_.rest.amplitude[i] * amplitude[late];
    }
  }

  void move_tissue(float s, Scatterers& out) const {
    const std::size_t n = tissue_.rest.size();
    out.resize(n + leaflets_.size() + blood_.rest.size());
    for (std::size_t i = 0; i < n; ++i) {
      const float r = tissue_.rest.x_m[i] - tissue_.axis_m[i];
      const float squeezed = std::copysign(std::sqrt(std::max(r * r - tissue_.squeeze_m2[i] * s, 0.0F)), r);
      out.x_m[i] = tissue_.rest.x_m[i] + tissue_.blend[i] * (squeezed - r) + tissue_.shift_x_m[i] * s;
      out.z_m[i] = tissue_.rest.z_m[i] + tissue_.shift_z_m[i] * s;
      out.amplitude[i] = tissue_.rest.amplitude[i];
    }
  }

  void move_leaflets(double s, double opening, Scatterers& out) const {
    std::size_t i = tissue_.rest.size();
    int current = -1;
    heart::LeafletPose pose(heart::leaflet(0), s, opening);
    for (const LeafletScatterer& scatterer : leaflets_) {
      if (scatterer.leaflet != current) {
        current = scatterer.leaflet;
        pose = heart::LeafletPose(heart::leaflet(current), s, opening);
      }
      const heart::Point at = pose.at(scatterer.along_mm, scatterer.across_mm);
      out.x_m[i] = static_cast<float>(at.x_mm * placement_.x_m_per_mm);
      out.z_m[i] = static_cast<float>(placement_.z0_m + at.z_mm * placement_.z_m_per_mm);
      out.amplitude[i] = static_cast<float>(scatterer.amplitude);
      ++i;
    }
  }

  Placement placement_;
  std::uint64_t period_;
  double blood_m_per_beat_;  // path of the fastest blood if it kept its speed
  Path filling_{heart::fills};
  Path ejection_{heart::ejects};
  Scatterers fixed_;
  MovingTissue tissue_;
  MovingBlood blood_;
  std::vector<LeafletScatterer> leaflets_;
};

}  // namespace

std::unique_ptr<Scene> make_heart_scene(const SceneSetup& setup) { return std::make_unique<HeartScene>(setup); }

}  // namespace echoloop

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
