// Points phantom: wires at known positions in faint speckle, one of them circling, to measure positions of echoes.
#include <cmath>

#include "core/units.h"
#include "source/phantom_scene.h"
#include "source/phantom_text.h"

namespace echoloop {
namespace {

constexpr double kWire = 32.0;       // 30 dB above speckle of level 1
constexpr double kBackground = 0.1;  // speckle 50 dB below the wires: too faint to shift an echo's peak
constexpr double kCircleSeconds = 4.0;
constexpr double kCircleRadius_m = 1.2e-3;

// Wires for the default probe's field of 19.2 x 36 mm, in millimetres. The order of the first four must not change.
constexpr double kWires_mm[][2] = {{0.0, 10.0}, {0.0, 30.0},  {-5.0, 15.0}, {5.0, 15.0},  {0.0, 20.0},
                                   {0.0, 25.0}, {-7.0, 20.0}, {7.0, 25.0},  {-5.0, 33.0}, {5.0, 33.0},
                                   {-3.0, 6.0}, {3.0, 6.0},   {0.0, 5.0}};

// Returns 1 or 1/2, so that the distances stay round numbers.
double points_scale(const Field& field) { return field.scale < 0.9 ? 0.5 : 1.0; }

PlanePoint circling(const Field& field, double time_s) {
  const double scale = points_scale(field);
  const double phase = 2.0 * kPi * std::fmod(time_s / kCircleSeconds, 1.0);
  return {scale * (-4.5e-3 + kCircleRadius_m * std::cos(phase)), scale * (26e-3 + kCircleRadius_m * std::sin(phase))};
}

class PointsScene final : public Scene {
 public:
  explicit PointsScene(const SceneSetup& setup) : setup_(setup) {
    const Field& field = setup.field;
    Random random(setup.seed);
    const SpeckleArea area{
        .x0_m = -field.x1_m(), .x1_m = field.x1_m(), .z0_m = 0.3e-3 * field.scale, .z1_m = field.depth_m};
    add_speckle(fixed_, field, area, random, [](double, double) { return Tissue{.amplitude = kBackground}; });
    for (const auto& wire : kWires_mm) {
      const double metres = points_scale(field) * kMetresPerMillimetre;
      fixed_.add(metres * wire[0], metres * wire[1], kWire);
    }
  }

  [[nodiscard]] const Scatterers& fixed() const override { return fixed_; }

  void moving(std::uint64_t state, Scatterers& out) const override {
    const PlanePoint wire = circling(setup_.field, static_cast<double>(state) / setup_.frame_rate_hz);
    out.resize(0);
    out.add(wire.x_m, wire.z_m, kWire);
  }

 private:
  SceneSetup setup_;
  Scatterers fixed_;
};

}  // namespace

std::unique_ptr<Scene> make_points_scene(const SceneSetup& setup) { return std::make_unique<PointsScene>(setup); }

std::vector<PlanePoint> points_phantom_wires(const PhantomSettings& settings) {
  const double metres = points_scale(field_of(settings)) * kMetresPerMillimetre;
  std::vector<PlanePoint> wires;
  for (const auto& wire : kWires_mm) wires.push_back({metres * wire[0], metres * wire[1]});
  return wires;
}

PlanePoint points_phantom_circling_wire(const PhantomSettings& settings, std::uint64_t index) {
  return circling(field_of(settings), static_cast<double>(index) / frame_rate_hz(settings));
}

}  // namespace echoloop
