// Flow phantom: tissue with a vessel and blood flowing in a parabolic profile, pulsating or steady. The tissue rests,
// or moves as a whole slowly up and down: clutter for a wall filter. Blood leaves the scanned field, fades out beyond
// it and re-enters at the other end, without jumps.
#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "source/phantom_scene.h"
#include "source/phantom_text.h"

namespace echoloop {
namespace {

constexpr double kVesselDepth_m = 18e-3;    // of its axis at x = 0, times the scale
constexpr double kVesselRadius_m = 2.6e-3;  // inner, times the scale
constexpr double kWallThickness_m = 0.7e-3;
constexpr double kBloodLevel = 0.14;  // -17 dB
constexpr double kWallLevel = 2.5;    // +8 dB
constexpr double kPulseHz = 1.2;
constexpr double kMotionHz = 1.0;
constexpr double kFade_m = 2e-3;  // fading length of blood at the two ends, outside the field

// Vessel in the field of a probe.
struct Vessel {
  double depth_m, radius_m, wall_m, cosine, sine;

  Vessel(const Field& field, const FlowSettings& flow)
      : depth_m(kVesselDepth_m * field.scale),
        radius_m(flow.radius_m > 0.0 ? flow.radius_m : kVesselRadius_m * field.scale),
        wall_m(kWallThickness_m * field.scale),
        cosine(std::cos(flow.angle_rad)),
        sine(std::sin(flow.angle_rad)) {}

  [[nodiscard]] double across_m(double x_m, double z_m) const { return -x_m * sine + (z_m - depth_m) * cosine; }
};

Tissue tissue_at(const Vessel& vessel, double x_m, double z_m, double scale) {
  const double outside_m = std::abs(vessel.across_m(x_m, z_m)) - vessel.radius_m;
  if (outside_m < 0.0) return {};
  // Intima and adventitia are bright, the media between them dark: the double line of an artery.
  const double layer = outside_m / vessel.wall_m;
  if (layer < 0.2 / 0.7 || (layer > 0.45 / 0.7 && layer < 1.0)) return {.amplitude = kWallLevel};
  if (layer < 1.0) return {.amplitude = 0.3};
  // Layers of muscle, faintly striped along the surface; brighter fasciae at two depths.
  const double z_mm = z_m / (scale * kMetresPerMillimetre);
  const double wave_mm = 0.25 * std::sin(x_m / (scale * 3e-3));
  const double fascia =
      std::exp(-std::pow((z_mm - 5.5 - wave_mm) / 0.18, 2)) + std::exp(-std::pow((z_mm - 30.0 + wave_mm) / 0.18, 2));
  return {.amplitude = 0.8 + 1.8 * fascia};
}

// Returns the downward displacement of the phantom at a time; fastest at time 0.
double tissue_path_m(const FlowSettings& flow, double time_s) {
  return flow.motion_m_s / (2.0 * kPi * kMotionHz) * std::sin(2.0 * kPi * std::fmod(kMotionHz * time_s, 1.0));
}

class FlowScene final : public Scene {
 public:
  explicit FlowScene(const SceneSetup& setup) : setup_(setup), vessel_(setup.field, setup.flow) {
    const Field& field = setup.field;
    const double scale = field.scale;
    Random random(setup.seed);
    // Moving tissue enters the field from above and below.
    const double reach_m = setup.flow.motion_m_s / (2.0 * kPi * kMotionHz);
    const SpeckleArea area{
        .x0_m = -field.x1_m(), .x1_m = field.x1_m(), .z0_m = 0.3e-3 * scale, .z1_m = field.depth_m + reach_m};
    add_speckle(tissue_, field, area, random,
                [this, scale](double x_m, double z_m) { return tissue_at(vessel_, x_m, z_m, scale); });

    const double radius_m = vessel_.radius_m;
    half_length_m_ =
        field.x1_m() / vessel_.cosine + radius_m * std::abs(vessel_.sine) / vessel_.cosine + kFade_m * scale;
    // Scatterers in the vessel's own axes: x is along, z across.
    const SpeckleArea lumen{
        .x0_m = -half_length_m_, .x1_m = half_length_m_, .z0_m = -radius_m, .z1_m = radius_m, .per_cell = 4.0};
    add_speckle(blood_, field, lumen, random, [](double, double) { return Tissue{.amplitude = kBloodLevel}; });
  }

  [[nodiscard]] const Scatterers& fixed() const override { return moves() ? none_ : tissue_; }

  void moving(std::uint64_t state, Scatterers& out) const override {
    const double time_s = static_cast<double>(state) / setup_.frame_rate_hz;
    const double down_m = tissue_path_m(setup_.flow, time_s);
    out.resize(blood_.size() + (moves() ? tissue_.size() : 0));
    place_blood(time_s, down_m, out);
    if (!moves()) return;
    for (std::size_t i = 0; i < tissue_.size(); ++i) {
      const std::size_t at = blood_.size() + i;
      out.x_m[at] = tissue_.x_m[i];
      out.z_m[at] = static_cast<float>(static_cast<double>(tissue_.z_m[i]) + down_m);
      out.amplitude[at] = tissue_.amplitude[i];
    }
  }

 private:
  [[nodiscard]] bool moves() const { return setup_.flow.motion_m_s > 0.0; }

  void place_blood(double time_s, double down_m, Scatterers& out) const {
    const double scale = setup_.field.scale;
    // Path of the fastest blood: integral of v (1 + p cos(2 pi f t)).
    const double swing = std::sin(2.0 * kPi * std::fmod(kPulseHz * time_s, 1.0)) / (2.0 * kPi * kPulseHz);
    const double path_m = setup_.flow.peak_m_s * (time_s + setup_.flow.pulsation * swing);
    const double length_m = 2.0 * half_length_m_;
    for (std::size_t i = 0; i < blood_.size(); ++i) {
      const double across_m = blood_.z_m[i];
      const double ratio = across_m / vessel_.radius_m;
      const double run_m = blood_.x_m[i] + half_length_m_ + path_m * (1.0 - ratio * ratio);
      const double along_m = run_m - length_m * std::floor(run_m / length_m) - half_length_m_;
      const double fade = std::clamp((half_length_m_ - std::abs(along_m)) / (kFade_m * scale), 0.0, 1.0);
      out.x_m[i] = static_cast<float>(along_m * vessel_.cosine - across_m * vessel_.sine);
      out.z_m[i] = static_cast<float>(vessel_.depth_m + along_m * vessel_.sine + across_m * vessel_.cosine + down_m);
      out.amplitude[i] = blood_.amplitude[i] * static_cast<float>(fade);
    }
  }

  SceneSetup setup_;
  Vessel vessel_;
  Scatterers tissue_;  // at time 0
  Scatterers none_;
  Scatterers blood_;  // x: along, z: across, at time 0
  double half_length_m_ = 0.0;
};

}  // namespace

std::unique_ptr<Scene> make_flow_scene(const SceneSetup& setup) { return std::make_unique<FlowScene>(setup); }

FlowTruth flow_phantom_truth(const PhantomSettings& settings, std::uint64_t index) {
  const SceneSetup setup = scene_setup(settings);
  const FlowSettings& flow = setup.flow;
  const Vessel vessel(setup.field, flow);
  const double time_s = static_cast<double>(index) / setup.frame_rate_hz;
  return {.axis = {0.0, vessel.depth_m + tissue_path_m(flow, time_s)},
          .angle_rad = flow.angle_rad,
          .radius_m = vessel.radius_m,
          .peak_m_s = flow.peak_m_s * (1.0 + flow.pulsation * std::cos(2.0 * kPi * kPulseHz * time_s)),
          .tissue_m_s = flow.motion_m_s * std::cos(2.0 * kPi * kMotionHz * time_s)};
}

}  // namespace echoloop
