// Pipeline of the GPU short course as published in its notebooks, in float64 and as plain as possible: reference of the
// course recipe, independent of src/dsp.
//   numpy.convolve(line, firwin(64, [2.5e6, 7.5e6], pass_zero=False, fs=fs), mode="same")
//   pixel = sum over transmits and elements of the nearest sample to (z cos a + x sin a + |p - p_e|) / c
//   |scipy.signal.hilbert(pixels, axis=z)| / max
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "core/acquisition.h"
#include "core/grid.h"

namespace echoloop::testing {

// Returns taps by scipy.signal.firwin's window method, gain 1 in the middle of the band.
inline std::vector<double> course_taps(double fs_hz) {
  constexpr int kTaps = 64;
  constexpr double kPi = std::numbers::pi;
  const double low = 2.5e6 / (0.5 * fs_hz), high = 7.5e6 / (0.5 * fs_hz);
  std::vector<double> h(kTaps);
  double scale = 0.0;
  for (int n = 0; n < kTaps; ++n) {
    const double m = n - 31.5;
    const double ideal = (std::sin(kPi * high * m) - std::sin(kPi * low * m)) / (kPi * m);
    h[static_cast<std::size_t>(n)] = ideal * (0.54 - 0.46 * std::cos(2.0 * kPi * n / 63.0));
    scale += h[static_cast<std::size_t>(n)] * std::cos(kPi * m * 0.5 * (low + high));
  }
  for (double& tap : h) tap /= scale;
  return h;
}

// Returns numpy.convolve(x, h, mode="same") for x longer than h: the full convolution from (64 - 1) / 2 on.
inline std::vector<double> convolve_same(const std::vector<double>& x, const std::vector<double>& h) {
  std::vector<double> full(x.size() + h.size() - 1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < h.size(); ++j) full[i + j] += x[i] * h[j];
  }
  const auto first = full.begin() + static_cast<std::ptrdiff_t>((h.size() - 1) / 2);
  return {first, first + static_cast<std::ptrdiff_t>(x.size())};
}

// Distance from half way between two samples within which a position may be rounded either way: float32 positions of
// some thousand samples are precise to a few 1e-4.
inline constexpr double kTie = 1e-3;

struct CourseSums {
  std::vector<double> rf;        // [nz][nx]
  std::vector<double> tie_span;  // [nz][nx] largest change of the pixel with ties rounded the other way; 0 = no tie
};

inline CourseSums course_sums(const Acquisition& a, const std::vector<double>& frame, const Grid& grid, double c_m_s) {
  const auto n = static_cast<std::size_t>(a.n_samples);
  const std::vector<double> taps = course_taps(a.sampling_hz);
  CourseSums sums{std::vector<double>(grid.pixels()), std::vector<double>(grid.pixels())};
  for (std::size_t line = 0; line < frame.size() / n; ++line) {
    const auto begin = frame.begin() + static_cast<std::ptrdiff_t>(line * n);
    const std::vector<double> rf = convolve_same({begin, begin + static_cast<std::ptrdiff_t>(n)}, taps);
    const Transmit& transmit = a.transmits[line / a.probe.elements.size()];
    const Element& element = a.probe.elements[line % a.probe.elements.size()];
    for (std::size_t pixel = 0; pixel < grid.pixels(); ++pixel) {
      const double x = grid.x_m(static_cast<int>(pixel % static_cast<std::size_t>(grid.nx)));
      const double z = grid.z_m(static_cast<int>(pixel / static_cast<std::size_t>(grid.nx)));
      const double there = z * std::cos(transmit.angle_rad) + x * std::sin(transmit.angle_rad);
      const double back = std::hypot(x - element.x_m, z);
      const double s = ((there + back) / c_m_s - transmit.t0_s) * a.sampling_hz;
      if (s < 0.0 || s > static_cast<double>(n - 1)) continue;
      const auto nearest = static_cast<std::size_t>(std::floor(s + 0.5));
      sums.rf[pixel] += rf[nearest];
      const double fraction = s - std::floor(s);
      if (std::abs(fraction - 0.5) < kTie) {
        const auto below = static_cast<std::size_t>(std::floor(s));
        sums.tie_span[pixel] += std::abs(rf[below + 1] - rf[below]);
      }
    }
  }
  return sums;
}

// Returns |analytic signal| along z by the discrete Fourier transform of scipy.signal.hilbert, divided by the maximum.
inline std::vector<double> course_envelope(const std::vector<double>& rf, const Grid& grid) {
  const auto nz = static_cast<std::size_t>(grid.nz), nx = static_cast<std::size_t>(grid.nx);
  std::vector<std::complex<double>> turn(nz);
  for (std::size_t k = 0; k < nz; ++k) {
    turn[k] = std::polar(1.0, 2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(nz));
  }
  std::vector<double> envelope(rf.size());
  std::vector<std::complex<double>> spectrum(nz);
  for (std::size_t ix = 0; ix < nx; ++ix) {
    for (std::size_t k = 0; k < nz; ++k) {
      spectrum[k] = 0.0;
      for (std::size_t iz = 0; iz < nz; ++iz) spectrum[k] += rf[iz * nx + ix] * std::conj(turn[k * iz % nz]);
      const bool kept_once = k == 0 || (nz % 2 == 0 && k == nz / 2);
      spectrum[k] *= kept_once ? 1.0 : k < (nz + 1) / 2 ? 2.0 : 0.0;
    }
    for (std::size_t iz = 0; iz < nz; ++iz) {
      std::complex<double> value;
      for (std::size_t k = 0; k < nz; ++k) value += spectrum[k] * turn[k * iz % nz];
      envelope[iz * nx + ix] = std::abs(value) / static_cast<double>(nz);
    }
  }
  const double top = *std::max_element(envelope.begin(), envelope.end());
  for (double& v : envelope) v /= top;
  return envelope;
}

}  // namespace echoloop::testing
