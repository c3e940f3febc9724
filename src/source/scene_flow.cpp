// The flow phantom: tissue at rest with a vessel through it and blood running in a parabolic profile, pulsating.
// Blood leaves the scanned field, fades out beyond it and comes in again at the other end: nothing ever jumps.
#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "source/phantom_speckle.h"

namespace echoloop {
namespace {

constexpr double kVesselAngle_rad = 15.0 * kRadiansPerDegree;  // downwards to the right
constexpr double kVesselDepth_m = 18e-3;                       // of its axis at x = 0, times the scale
constexpr double kVesselRadius_m = 2.6e-3;                     // likewise; inner
constexpr double kWallThickness_m = 0.7e-3;
constexpr double kBloodLevel = 0.14;          // -17 dB
constexpr double kWallLevel = 2.5;            // +8 dB
constexpr double kMeanPeakSpeed_m_s = 20e-3;  // on the axis, mean over the pulse: 0.4 mm a frame at 50 Hz
constexpr double kPulseHz = 1.2;
constexpr double kPulsation = 0.7;  // speed swings between 0.3 and 1.7 of its mean
constexpr double kFade_m = 2e-3;    // over which blood fades at the two ends, outside the field

// Along and across the vessel, from the point of its axis at x = 0.
struct VesselPoint {
  double along_m = 0.0;
  double across_m = 0.0;
};

VesselPoint vessel_point(double x_m, double z_m, double scale) {
  const double down_m = z_m - kVesselDepth_m * scale;
  return {x_m * std::cos(kVesselAngle_rad) + down_m * std::sin(kVesselAngle_rad),
          -x_m * std::sin(kVesselAngle_rad) + down_m * std::cos(kVesselAngle_rad)};
}

Tissue tissue_at(double x_m, double z_m, double scale) {
  const double across_m = std::abs(vessel_point(x_m, z_m, scale).across_m);
  const double outside_m = (across_m - kVesselRadius_m * scale) / scale;
  if (outside_m < 0.0) return {};
  // Intima and adventitia are bright, the media between them is dark: the double line of an artery.
  if (outside_m < 0.2e-3 || (outside_m > 0.45e-3 && outside_m < kWallThickness_m)) return {.amplitude = kWallLevel};
  if (outside_m < kWallThickness_m) return {.amplitude = 0.3};
  // Layers of muscle, faintly striped along the surface; brighter fasciae at two depths.
  const double z_mm = z_m / (scale * kMetresPerMillimetre);
  const double wave_mm = 0.25 * std::sin(x_m / (scale * 3e-3));
  const double fascia =
      std::exp(-std::pow((z_mm - 5.5 - wave_mm) / 0.18, 2)) + std::exp(-std::pow((z_mm - 30.0 + wave_mm) / 0.18, 2));
  return {.amplitude = 0.8 + 1.8 * fascia};
}

class FlowScene final : public Scene {
 public:
  explicit FlowScene(const SceneSetup& setup) : setup_(setup) {
    const Field& field = setup.field;
    const double scale = field.scale;
    Random random(setup.seed);
    const SpeckleArea area{.x0_m = -field.x1_m(), .x1_m = field.x1_m(), .z0_m = 0.3e-3 * scale, .z1_m = field.depth_m};
    add_speckle(fixed_, field, area, random, [scale](double x_m, double z_m) { return tissue_at(x_m, z_m, scale); });

    const double radius_m = kVesselRadius_m * scale;
    half_length_m_ =
        field.x1_m() / std::cos(kVesselAngle_rad) + radius_m * std::tan(kVesselAngle_rad) + kFade_m * scale;
    // Strewn in the vessel's own axes: x is along, z across.
    const SpeckleArea lumen{
        .x0_m = -half_length_m_, .x1_m = half_length_m_, .z0_m = -radius_m, .z1_m = radius_m, .per_cell = 4.0};
    add_speckle(blood_, field, lumen, random, [](double, double) { return Tissue{.amplitude = kBloodLevel}; });
  }

  [[nodiscard]] const Scatterers& fixed() const override { return fixed_; }

  void moving(std::uint64_t state, Scatterers& out) const override {
    const double scale = setup_.field.scale;
    const double time_s = static_cast<double>(state) / setup_.frame_rate_hz;
    // Path of the fastest blood: the integral of v (1 + p cos(2 pi f t)).
    const double swing = std::sin(2.0 * kPi * std::fmod(kPulseHz * time_s, 1.0)) / (2.0 * kPi * kPulseHz);
    const double path_m = scale * kMeanPeakSpeed_m_s * (time_s + kPulsation * swing);
    const double length_m = 2.0 * half_length_m_;
    const double radius_m = kVesselRadius_m * scale;
    out.resize(blood_.size());
    for (std::size_t i = 0; i < blood_.size(); ++i) {
      const double across_m = blood_.z_m[i];
      const double ratio = across_m / radius_m;
      const double run_m = blood_.x_m[i] + half_length_m_ + path_m * (1.0 - ratio * ratio);
      const double along_m = run_m - length_m * std::floor(run_m / length_m) - half_length_m_;
      const double fade = std::clamp((half_length_m_ - std::abs(along_m)) / (kFade_m * scale), 0.0, 1.0);
      out.x_m[i] = static_cast<float>(along_m * std::cos(kVesselAngle_rad) - across_m * std::sin(kVesselAngle_rad));
      out.z_m[i] = static_cast<float>(kVesselDepth_m * scale + along_m * std::sin(kVesselAngle_rad) +
                                      across_m * std::cos(kVesselAngle_rad));
      out.amplitude[i] = blood_.amplitude[i] * static_cast<float>(fade);
    }
  }

 private:
  SceneSetup setup_;
  Scatterers fixed_;
  Scatterers blood_;  // x: along, z: across, at time 0
  double half_length_m_ = 0.0;
};

}  // namespace

std::unique_ptr<Scene> make_flow_scene(const SceneSetup& setup) { return std::make_unique<FlowScene>(setup); }

}  // namespace echoloop
