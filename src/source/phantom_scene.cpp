#include "source/phantom_scene.h"

#include <algorithm>
#include <utility>

#include "core/acquisition.h"
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
  const ProbeModel& probe = probe_of(settings);
  const double c = settings.sound_speed_m_s;
  const double wavelength_m = c / probe.center_hz;
  const double pulse_s = kFullWidthPerSigma * pulse_sigma_s(probe.center_hz, probe.fractional_bandwidth);
  Field field;
  field.half_width_m = 0.5 * probe.width_m();
  field.depth_m = 0.5 * c * probe.n_samples / probe.sampling_hz();
  field.margin_m = 5.0 * wavelength_m;  // 1.5 mm at 5 MHz: three resolution cells
  // 38.4 mm: depth of the default probe's samples at 1500 m/s, the slow end of soft tissue.
  field.scale = std::min({2.0 * field.half_width_m / 19.2e-3, field.depth_m / 38.4e-3, 1.0});
  field.cell_area_m2 = 1.5 * wavelength_m * 0.5 * c * pulse_s;
  field.sector = probe.kind == ProbeKind::phased;
  return field;
}

double Field::density_at(double x_m, double z_m) const {
  if (!sector) return 1.0;
  if (std::abs(x_m) > half_width_m + margin_m + z_m || std::hypot(x_m, z_m) > depth_m + margin_m) return 0.0;
  const double full_m = 2.0 * half_width_m * 1.5;  // depth of F/1.5
  return std::min(1.0, full_m / std::max(z_m, 1e-6));
}

SceneSetup scene_setup(const PhantomSettings& settings) {
  const double rate_hz = frame_rate_hz(settings);
  return {.field = field_of(settings),
          .frame_rate_hz = rate_hz,
          .seed = settings.seed,
          .flow = settings.flow,
          .heart = settings.heart,
          .aliasing_m_s = 0.25 * settings.sound_speed_m_s * rate_hz / probe_of(settings).center_hz};
}

std::uint64_t Random::bits() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

double Random::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

void add_speckle(Scatterers& out, const Field& field, const SpeckleArea& area, Random& random,
                 const std::function<Tissue(double, double)>& tissue) {
  const double box_m = std::sqrt(field.cell_area_m2 / area.per_cell);
  const int nx = std::max(1, static_cast<int>(std::ceil((area.x1_m - area.x0_m) / box_m)));
  const int nz = std::max(1, static_cast<int>(std::ceil((area.z1_m - area.z0_m) / box_m)));
  Scatterers fresh;
  for (int iz = 0; iz < nz; ++iz) {
    for (int ix = 0; ix < nx; ++ix) {
      const double x_m = area.x0_m + (ix + random.uniform()) * box_m;
      const double z_m = area.z0_m + (iz + random.uniform()) * box_m;
      const double sign = random.uniform() < 0.5 ? -1.0 : 1.0;
      const double draw = random.uniform();
      if (x_m > area.x1_m || z_m > area.z1_m) continue;
      const double needed = field.density_at(x_m, z_m);
      if (needed <= 0.0) continue;
      const Tissue here = tissue(x_m, z_m);
      const double density = here.density * needed;
      if (here.amplitude <= 0.0 || draw >= density) continue;
      fresh.add(x_m, z_m, sign * here.amplitude / std::sqrt(area.per_cell * density));
    }
  }
  shuffle_locally(fresh, random);
  for (std::size_t i = 0; i < fresh.size(); ++i) out.add(fresh.x_m[i], fresh.z_m[i], fresh.amplitude[i]);
}

void shuffle_locally(Scatterers& s, Random& random) {
  constexpr std::size_t kStretch = 512;
  for (std::size_t first = 0; first < s.size(); first += kStretch) {
    const std::size_t n = std::min(kStretch, s.size() - first);
    for (std::size_t i = n; i > 1; --i) {
      const std::size_t a = first + i - 1;
      const std::size_t b = first + random.bits() % i;
      std::swap(s.x_m[a], s.x_m[b]);
      std::swap(s.z_m[a], s.z_m[b]);
      std::swap(s.amplitude[a], s.amplitude[b]);
    }
  }
}

}  // namespace echoloop
