// Heart phantom: a beating heart in an apical four-chamber section below a resting chest wall. Every scatterer of the
// heart keeps its place in the tissue; its path through the beat is a closed form of the contraction, so that frames
// can be made in any order and beats join seamlessly.
#include <algorithm>
#include <array>
#include <cmath>

#include "source/heart_anatomy.h"
#include "source/phantom_scene.h"

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
        beat_s_(static_cast<double>(period_) / setup.frame_rate_hz),
        blood_m_per_beat_((setup.heart.peak_blood_m_s > 0.0 ? setup.heart.peak_blood_m_s
                                                            : std::min(0.85 * setup.aliasing_m_s, kMostBlood_m_s)) *
                          beat_s_) {
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

  [[nodiscard]] SourceContentsPtr contents() const override {
    constexpr int kSamples = 1000;
    Signal ecg{.name = "ECG", .unit = "mV", .step_s = beat_s_ / kSamples, .repeats = true};
    for (int i = 0; i < kSamples; ++i) ecg.values.push_back(static_cast<float>(heart::ecg_mv(i / double{kSamples})));
    auto contents = std::make_shared<SourceContents>();
    contents->signals.push_back(std::move(ecg));
    return contents;
  }

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
  std::uint64_t period_;  // frames
  double beat_s_;
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
