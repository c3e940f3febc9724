#include "source/phantom_scene.h"

#include <algorithm>

#include "core/probe_table.h"
#include "source/echo_pulse.h"
#include "source/phantom_text.h"

namespace echoloop {

void Scatterers::resize(std::size_t n) {
  x_m.resize(n);
  z_m.resize(n);
  amplitude.resize(n);
}

void Scatterers::add(double x, double z, double strength) {
  x_m.push_back(static_cast<float>(x));
  z_m.push_back(static_cast<float>(z));
  amplitude.push_back(static_cast<float>(strength));
}

double smoothstep(double a, double b, double value) {
  const double t = std::clamp((value - a) / (b - a), 0.0, 1.0);
  return t * t * (3.0 - 2.0 * t);
}

Field field_of(const PhantomSettings& settings) {
  const ProbeModel& probe = find_probe_model(settings.probe);
  const double c = settings.sound_speed_m_s;
  const double wavelength_m = c / probe.center_hz;
  const double pulse_s = kFullWidthPerSigma * pulse_sigma_s(probe.center_hz, probe.fractional_bandwidth);
  Field field;
  field.half_width_m = 0.5 * probe.width_m();
  field.depth_m = 0.5 * c * probe.n_samples / probe.sampling_hz();
  field.margin_m = 5.0 * wavelength_m;  // 1.5 mm at 5 MHz: three resolution cells
  // 38.4 mm: what the default probe's samples reach at 1500 m/s, the slow end of soft tissue.
  field.scale = std::min({2.0 * field.half_width_m / 19.2e-3, field.depth_m / 38.4e-3, 1.0});
  field.cell_area_m2 = 1.5 * wavelength_m * 0.5 * c * pulse_s;
  return field;
}

SceneSetup scene_setup(const PhantomSettings& settings) {
  return {.field = field_of(settings),
          .frame_rate_hz = frame_rate_hz(settings),
          .seed = settings.seed,
          .flow = settings.flow};
}

}  // namespace echoloop
