// Small acquisitions and frames of known content, without files or phantoms.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "core/acquisition.h"
#include "core/params.h"
#include "core/units.h"

namespace echoloop::testing {

inline Transmit plane_wave(double degrees, double t0_s = 0.0) {
  Transmit t;
  t.angle_rad = degrees * kRadiansPerDegree;
  t.t0_s = t0_s;
  return t;
}

// Returns RF of a linear array: 0.3 mm pitch, 5 MHz sampled at 20 MHz, one plane wave per angle.
inline Acquisition linear_acquisition(int n_elements = 16, int n_samples = 256, std::vector<double> degrees = {0.0}) {
  Acquisition a;
  a.probe = make_linear_probe("test array", n_elements, 0.3e-3, 0.27e-3);
  for (const double angle : degrees) a.transmits.push_back(plane_wave(angle));
  a.n_samples = n_samples;
  a.sampling_hz = 20e6;
  a.center_hz = 5e6;
  a.bandwidth_hz = 3e6;
  a.frame_rate_hz = 50.0;
  return a;
}

// Returns a curved array of radius 50 mm, chord at z = 0: its middle is at z > 0, outer elements face outwards.
inline Acquisition convex_acquisition(int n_elements = 16, int n_samples = 256) {
  Acquisition a = linear_acquisition(n_elements, n_samples);
  a.probe.kind = ProbeKind::convex;
  const double radius = 50e-3;
  const double step = 1.5e-3 / radius;
  const double chord = radius * std::cos(0.5 * (n_elements - 1) * step);
  for (int e = 0; e < n_elements; ++e) {
    const double angle = (e - 0.5 * (n_elements - 1)) * step;
    a.probe.elements[static_cast<std::size_t>(e)] = {radius * std::sin(angle), radius * std::cos(angle) - chord, angle};
  }
  a.probe.pitch_m = 1.5e-3;
  return a;
}

inline AcquisitionPtr share(Acquisition a) { return std::make_shared<const Acquisition>(std::move(a)); }

// Returns 32 elements half a wavelength apart and diverging waves from behind them; a sector.
inline Acquisition phased_acquisition(int n_samples = 400, std::vector<double> source_x_mm = {-2.0, 0.0, 2.0}) {
  Acquisition a = linear_acquisition(32, n_samples, std::vector<double>(source_x_mm.size(), 0.0));
  a.probe = make_linear_probe("phased array", 32, 0.15e-3, 0.13e-3);
  for (std::size_t t = 0; t < source_x_mm.size(); ++t) {
    a.transmits[t].kind = TransmitKind::diverging;
    a.transmits[t].source_x_m = source_x_mm[t] * 1e-3;
    a.transmits[t].source_z_m = -5e-3;
  }
  return a;
}

// Returns the same array with one wave per scan line, focused at 10 mm.
inline Acquisition scan_line_acquisition(int n_lines = 9, int n_samples = 400) {
  Acquisition a = phased_acquisition(n_samples, std::vector<double>(static_cast<std::size_t>(n_lines), 0.0));
  for (int k = 0; k < n_lines; ++k) {
    Transmit& t = a.transmits[static_cast<std::size_t>(k)];
    const double angle = (k - 0.5 * (n_lines - 1)) * 4.0 * kRadiansPerDegree;
    t.kind = TransmitKind::focused;
    t.source_x_m = 10e-3 * std::sin(angle);
    t.source_z_m = 10e-3 * std::cos(angle);
    t.t0_s = 1e-8 * k;
  }
  return a;
}

// Returns parameters of a Cartesian grid for any array.
inline ImagingParams small_picture(const Acquisition& a, int nx = 32, int nz = 48) {
  ImagingParams p = default_params(a);
  p.formation.grid_kind = GridChoice::cartesian;
  p.formation.grid_nx = nx;
  p.formation.grid_nz = nz;
  return p;
}

inline ImagingParams small_sector(const Acquisition& a, int n_lines = 32, int n_radii = 48) {
  ImagingParams p = small_picture(a, n_lines, n_radii);
  p.formation.grid_kind = GridChoice::polar;
  return p;
}

// Returns Gaussian noise, reproducible by the seed.
inline std::vector<float> noise(std::size_t n, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(n);
  for (float& v : values) v = normal(engine);
  return values;
}

template <class T>
std::vector<std::byte> to_bytes(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace echoloop::testing
