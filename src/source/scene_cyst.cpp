// Cyst phantom: fully developed speckle with an echo-free cyst, a bright inclusion and wires, breathing slowly. The
// tissue is fixed at the probe and compressed with depth, as under a breathing chest. Out and back are the same path,
// so that half a period of states suffices.
#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "source/phantom_scene.h"
#include "source/phantom_text.h"

namespace echoloop {
namespace {

constexpr double kBreathSeconds = 4.0;
constexpr double kBreathDepth_m = 0.8e-3;  // of tissue at 36 mm, times the scale
constexpr double kBreathSide_m = 0.4e-3;   // of tissue at 36 mm, times the scale
constexpr double kInclusion = 4.0;         // +12 dB
constexpr double kCystWire = 18.0;         // 25 dB above the speckle
constexpr double kCystWires_mm[][2] = {{6.5, 9.0}, {-6.5, 9.0}, {-5.5, 28.0}, {1.5, 31.0}, {6.5, 31.0}};
constexpr PhantomDisc kCyst_mm{{-3.0, 17.0}, 3.2};
constexpr PhantomDisc kInclusion_mm{{4.8, 22.5}, 2.0};
constexpr PhantomDisc kSmallCyst_mm{{4.5, 13.0}, 1.3};

struct Breath {
  double stretch = 1.0;  // of depths
  double side_m = 0.0;
};

// States of half a period, at most: steps of some 20 um are invisible, and few enough frames fit the cache even for a
// large probe.
constexpr std::uint64_t kStates = 61;

class Breathing {
 public:
  Breathing(double frame_rate_hz, double scale)
      : scale_(scale),
        period_(std::max<std::uint64_t>(2, static_cast<std::uint64_t>(std::llround(kBreathSeconds * frame_rate_hz)))),
        n_states_(std::min(kStates, period_ / 2 + 1)) {}

  [[nodiscard]] std::uint64_t n_states() const { return n_states_; }

  [[nodiscard]] std::uint64_t state(std::uint64_t index) const {
    const std::uint64_t at = index % period_;
    const std::uint64_t half = period_ / 2;
    const std::uint64_t folded = std::min({at, period_ - at, half});
    return (folded * (n_states_ - 1) + half / 2) / half;
  }

  [[nodiscard]] Breath at(std::uint64_t state) const {
    const double swing = std::cos(kPi * static_cast<double>(state) / static_cast<double>(n_states_ - 1));
    return {1.0 + 0.5 * (1.0 - swing) * kBreathDepth_m / 36e-3, kBreathSide_m * swing * scale_};
  }

 private:
  double scale_;
  std::uint64_t period_;  // frames
  std::uint64_t n_states_;
};

bool inside(const PhantomDisc& disc_mm, double x_m, double z_m, double scale) {
  const double metres = scale * kMetresPerMillimetre;
  return std::hypot(x_m / metres - disc_mm.center.x_m, z_m / metres - disc_mm.center.z_m) < disc_mm.radius_m;
}

PhantomDisc moved(const PhantomDisc& disc_mm, const PhantomSettings& settings, std::uint64_t index) {
  const double scale = field_of(settings).scale;
  const Breathing breathing(frame_rate_hz(settings), scale);
  const Breath breath = breathing.at(breathing.state(index));
  const double metres = scale * kMetresPerMillimetre;
  return {{metres * disc_mm.center.x_m + breath.side_m, metres * disc_mm.center.z_m * breath.stretch},
          metres * disc_mm.radius_m};
}

class CystScene final : public Scene {
 public:
  explicit CystScene(const SceneSetup& setup) : breathing_(setup.frame_rate_hz, setup.field.scale) {
    const Field& field = setup.field;
    const double scale = field.scale;
    Random random(setup.seed);
    const SpeckleArea area{
        .x0_m = -field.x1_m(), .x1_m = field.x1_m(), .z0_m = 0.3e-3 * scale, .z1_m = field.depth_m, .per_cell = 5.0};
    add_speckle(tissue_, field, area, random, [scale](double x_m, double z_m) {
      if (inside(kCyst_mm, x_m, z_m, scale) || inside(kSmallCyst_mm, x_m, z_m, scale)) return Tissue{};
      return Tissue{.amplitude = inside(kInclusion_mm, x_m, z_m, scale) ? kInclusion : 1.0};
    });
    for (const auto& wire : kCystWires_mm)
      tissue_.add(wire[0] * scale * kMetresPerMillimetre, wire[1] * scale * kMetresPerMillimetre, kCystWire);
  }

  [[nodiscard]] const Scatterers& fixed() const override { return fixed_; }
  [[nodiscard]] std::uint64_t n_states() const override { return breathing_.n_states(); }
  [[nodiscard]] std::uint64_t state(std::uint64_t index) const override { return breathing_.state(index); }

  void moving(std::uint64_t state, Scatterers& out) const override {
    const Breath breath = breathing_.at(state);
    const auto side = static_cast<float>(breath.side_m);
    const auto stretch = static_cast<float>(breath.stretch);
    out.amplitude = tissue_.amplitude;
    out.resize(tissue_.size());
    for (std::size_t i = 0; i < tissue_.size(); ++i) {
      out.x_m[i] = tissue_.x_m[i] + side;
      out.z_m[i] = tissue_.z_m[i] * stretch;
    }
  }

 private:
  Breathing breathing_;
  Scatterers tissue_;  // at rest
  Scatterers fixed_;   // none
};

}  // namespace

std::unique_ptr<Scene> make_cyst_scene(const SceneSetup& setup) { return std::make_unique<CystScene>(setup); }

PhantomDisc cyst_phantom_cyst(const PhantomSettings& settings, std::uint64_t index) {
  return moved(kCyst_mm, settings, index);
}

PhantomDisc cyst_phantom_inclusion(const PhantomSettings& settings, std::uint64_t index) {
  return moved(kInclusion_mm, settings, index);
}

}  // namespace echoloop
