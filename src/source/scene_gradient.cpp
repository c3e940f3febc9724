// Gradient phantom: speckle whose level falls by 1.8 dB/mm, in depth and across, over 50 dB, and a bright block and a
// point in an echo-free region. The ramps show if a method of image formation preserves levels (dynamic range test:
// Rindal et al., TUFFC 66:1198, 2019), the surroundings of block and point how dark it makes empty regions. Nothing
// moves. The slope is the same for every probe; on small ones, whose anatomy is scaled, the ramps end early.
#include <cmath>
#include <optional>

#include "core/units.h"
#include "source/phantom_scene.h"

namespace echoloop {
namespace {

constexpr double kSlope_db_mm = 1.8;
constexpr double kBrightest = 2.0;  // of the speckle at 0 dB: keeps levels 50 dB lower above the steps of the converter
constexpr double kPoint = 12.0;

// For the default probe's field of 19.2 x 36 mm. 25 dB are 13.9 mm: across, the 50 dB are in two bands. Side lobes of
// bright regions must not reach the ramps: the lower band is where the ramp in depth is dark as well, and the block is
// far from both.
struct Box {
  double x0_mm, x1_mm, z0_mm, z1_mm;

  [[nodiscard]] bool holds(double x_mm, double z_mm) const {
    return x_mm >= x0_mm && x_mm < x1_mm && z_mm >= z0_mm && z_mm < z1_mm;
  }
};
constexpr Box kAxial{-9.6, -5.3, 4.0, 31.8};
constexpr Box kUpperBand{-4.3, 9.6, 5.0, 10.0};
constexpr Box kLowerBand{-4.3, 9.6, 26.0, 31.0};
constexpr Box kBlock{3.5, 7.5, 14.0, 18.0};
constexpr double kPoint_mm[2] = {0.0, 21.0};

// Returns the level of the speckle, in dB; nullopt: echo-free.
std::optional<double> level_db(double x_mm, double z_mm, double scale) {
  const double slope = -kSlope_db_mm * scale;  // per mm of the scaled anatomy
  if (kAxial.holds(x_mm, z_mm)) return slope * (z_mm - kAxial.z0_mm);
  if (kUpperBand.holds(x_mm, z_mm)) return slope * (x_mm - kUpperBand.x0_mm);
  if (kLowerBand.holds(x_mm, z_mm)) return -25.0 + slope * (x_mm - kLowerBand.x0_mm);
  if (kBlock.holds(x_mm, z_mm)) return 0.0;
  return std::nullopt;
}

class GradientScene final : public Scene {
 public:
  explicit GradientScene(const SceneSetup& setup) {
    const Field& field = setup.field;
    const double millimetre = field.scale * kMetresPerMillimetre;
    Random random(setup.seed);
    const SpeckleArea area{.x0_m = -field.x1_m(), .x1_m = field.x1_m(), .z0_m = 0.0, .z1_m = field.depth_m};
    add_speckle(tissue_, field, area, random, [&](double x_m, double z_m) {
      const std::optional<double> level = level_db(x_m / millimetre, z_m / millimetre, field.scale);
      return level ? Tissue{.amplitude = kBrightest * std::pow(10.0, *level / 20.0)} : Tissue{};
    });
    tissue_.add(kPoint_mm[0] * millimetre, kPoint_mm[1] * millimetre, kPoint);
  }

  [[nodiscard]] const Scatterers& fixed() const override { return tissue_; }
  [[nodiscard]] std::uint64_t n_states() const override { return 1; }
  [[nodiscard]] std::uint64_t state(std::uint64_t /*index*/) const override { return 0; }
  void moving(std::uint64_t /*state*/, Scatterers& out) const override { out.resize(0); }

 private:
  Scatterers tissue_;
};

}  // namespace

std::unique_ptr<Scene> make_gradient_scene(const SceneSetup& setup) { return std::make_unique<GradientScene>(setup); }

}  // namespace echoloop
