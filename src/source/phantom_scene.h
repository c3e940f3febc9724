// What is scanned: scatterers at rest and scatterers in motion, without any wave physics. One scene a phantom.
// Why: motion (scenes) and echo formation (EchoSynth) change for different reasons and are tested apart.
#pragma once

#include <cstdint>
#include <vector>

#include "source/phantom_settings.h"

namespace echoloop {

// Structure of arrays, one entry a scatterer; float metres resolve 4 nm at 40 mm.
struct Scatterers {
  std::vector<float> x_m;
  std::vector<float> z_m;
  std::vector<float> amplitude;  // 1/sqrt(n) each makes fully developed speckle of level 1 with n in a resolution cell

  [[nodiscard]] std::size_t size() const { return x_m.size(); }
  void resize(std::size_t n);
  void add(double x, double z, double strength);
};

// The field of view of a probe, and the measures that speckle needs.
struct Field {
  double half_width_m = 0.0;  // of the array
  double depth_m = 0.0;       // that the samples reach
  double margin_m = 0.0;      // scatterers reach this far beyond the array's ends
  double scale = 1.0;         // anatomy is drawn for 19.2 x 36 mm (the default probe) and scaled by this
  double cell_area_m2 = 0.0;  // resolution cell: 1.5 wavelengths (F/1.5) by the pulse's two-way half-amplitude length

  [[nodiscard]] double x1_m() const { return half_width_m + margin_m; }
};

struct SceneSetup {
  Field field;
  double frame_rate_hz = 50.0;
  std::uint64_t seed = 1;
  FlowSettings flow = {};
};

Field field_of(const PhantomSettings& settings);
SceneSetup scene_setup(const PhantomSettings& settings);

class Scene {
 public:
  virtual ~Scene() = default;

  // Scatterers that never move: rendered once.
  [[nodiscard]] virtual const Scatterers& fixed() const = 0;

  // Frames that differ, when the motion is periodic: frame `index` shows state(index) < n_states(). 0 = not periodic,
  // every frame is its own state.
  [[nodiscard]] virtual std::uint64_t n_states() const { return 0; }
  [[nodiscard]] virtual std::uint64_t state(std::uint64_t index) const { return index; }

  // Scatterers in motion at `state`; `out` keeps its capacity from frame to frame. A pure function of `state`.
  virtual void moving(std::uint64_t state, Scatterers& out) const = 0;
};

// Smooth step from 0 at or below a to 1 at or above b, level at both ends.
[[nodiscard]] double smoothstep(double a, double b, double value);

}  // namespace echoloop
