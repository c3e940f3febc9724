// The heart phantom: a beating heart in an apical four-chamber section below a resting chest wall.
// Every scatterer of the heart keeps its place in the tissue; its path through the beat is a closed form of the
// contraction, so that frames can be made in any order and the end of a beat is the beginning of the next.
#include <algorithm>
#include <cmath>

#include "source/heart_anatomy.h"
#include "source/phantom_speckle.h"

namespace echoloop {
namespace {

constexpr double kBeatHz = 1.2;
constexpr double kLeafletLevel = 2.0;  // +6 dB
constexpr double kLeafletThickness_mm = 0.3;

// One entry a scatterer; floats for the vector unit. See heart::Motion for the formula.
struct MovingTissue {
  Scatterers rest;
  std::vector<float> axis_m, squeeze_m2, blend, shift_x_m, shift_z_m;
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
      : metres_(setup.field.scale * kMetresPerMillimetre),
        period_(std::max<std::uint64_t>(2, static_cast<std::uint64_t>(std::llround(setup.frame_rate_hz / kBeatHz)))) {
    const Field& field = setup.field;
    Random random(setup.seed);
    const SpeckleArea area{.x0_m = -field.x1_m(), .x1_m = field.x1_m(), .z0_m = 0.3 * metres_, .z1_m = field.depth_m};
    Scatterers all;
    const double metres = metres_;
    add_speckle(all, field, area, random,
                [metres](double x_m, double z_m) { return heart::tissue_at(x_m / metres, z_m / metres); });
    for (std::size_t i = 0; i < all.size(); ++i) place(all.x_m[i], all.z_m[i], all.amplitude[i]);
    make_leaflets(field, area.per_cell, random);
  }

  [[nodiscard]] const Scatterers& fixed() const override { return fixed_; }
  [[nodiscard]] std::uint64_t n_states() const override { return period_; }
  [[nodiscard]] std::uint64_t state(std::uint64_t index) const override { return index % period_; }

  void moving(std::uint64_t state, Scatterers& out) const override {
    const double phase = static_cast<double>(state) / static_cast<double>(period_);
    move_tissue(static_cast<float>(heart::contraction(phase)), out);
    move_leaflets(heart::contraction(phase), heart::valve_opening(phase), out);
  }

 private:
  void place(double x_m, double z_m, double amplitude) {
    const heart::Motion motion = heart::motion_at(x_m / metres_, z_m / metres_);
    if (motion.at_rest()) {
      fixed_.add(x_m, z_m, amplitude);
      return;
    }
    tissue_.rest.add(x_m, z_m, amplitude);
    tissue_.axis_m.push_back(static_cast<float>(motion.axis_mm * metres_));
    tissue_.squeeze_m2.push_back(static_cast<float>(motion.squeeze_mm2 * metres_ * metres_));
    tissue_.blend.push_back(static_cast<float>(motion.blend));
    tissue_.shift_x_m.push_back(static_cast<float>(motion.shift_x_mm * metres_));
    tissue_.shift_z_m.push_back(static_cast<float>(motion.shift_z_mm * metres_));
  }

  void make_leaflets(const Field& field, double per_cell, Random& random) {
    for (int i = 0; i < heart::kLeaflets; ++i) {
      const double length_mm = heart::leaflet(i).length_mm;
      const double area_m2 = length_mm * kLeafletThickness_mm * metres_ * metres_;
      // A sheet is thinner than the resolution cell: at least 20 scatterers a millimetre keep it unbroken.
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

  void move_tissue(float s, Scatterers& out) const {
    const std::size_t n = tissue_.rest.size();
    out.resize(n + leaflets_.size());
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
      out.x_m[i] = static_cast<float>(at.x_mm * metres_);
      out.z_m[i] = static_cast<float>(at.z_mm * metres_);
      out.amplitude[i] = static_cast<float>(scatterer.amplitude);
      ++i;
    }
  }

  double metres_;  // of a millimetre of the anatomy
  std::uint64_t period_;
  Scatterers fixed_;
  MovingTissue tissue_;
  std::vector<LeafletScatterer> leaflets_;
};

}  // namespace

std::unique_ptr<Scene> make_heart_scene(const SceneSetup& setup) { return std::make_unique<HeartScene>(setup); }

}  // namespace echoloop
