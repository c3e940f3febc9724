// Pipeline of the GPU short course, one output element per function. A teaching recipe, exactly as published (Lab4US
// gpu-short-course, notebooks 2 and 4): FIR, nearest-sample delay-and-sum of real RF without apodization, Hilbert
// transform along depth, division by the frame's own maximum. Only the order of sums differs.
#pragma once

#include <cmath>

#include "core/hd.h"

namespace echoloop {

inline constexpr int kCourseTaps = 64;
inline constexpr double kCourseLowHz = 2.5e6;
inline constexpr double kCourseHighHz = 7.5e6;

// Returns sample n of a line of n_samples filtered by taps[kCourseTaps], aligned as numpy.convolve(x, taps,
// mode="same"): y[n] = sum_j x[n + 31 - j] h[j].
ECHO_HD float course_fir(const float* line, const float* taps, int n, int n_samples) {
  float sum = 0.0f;
  const int newest = n + (kCourseTaps - 1) / 2;
  for (int j = 0; j < kCourseTaps; ++j) {
    const int k = newest - j;
    if (k >= 0 && k < n_samples) sum += line[k] * taps[j];
  }
  return sum;
}

// Double precision: with floats, one position in a thousand rounds to the neighbouring sample, and the image differs
// from the formula by 1e-3.
struct CourseGeometry {
  int nx, nz, n_tx, n_el, n_samples;
  const double* x_m;          // [nx]
  const double* z_m;          // [nz]
  const double* element_x_m;  // [n_el]
  const double* tx_sin;       // [n_tx]
  const double* tx_cos;       // [n_tx]
  const double* tx_t0_s;      // [n_tx] time of sample 0 after the wave passes the origin
  double sound_speed_m_s;
  double sampling_hz;
};

// Returns the place of an element's echo from (x, z), in samples of its line: (z cos a + x sin a + |p - p_e|) / c * fs.
ECHO_HD double course_position(const CourseGeometry& g, int t, int e, double transmit_m, double x, double z) {
  const double dx = x - g.element_x_m[e];
  const double receive_m = sqrt(dx * dx + z * z);
  return ((transmit_m + receive_m) / g.sound_speed_m_s - g.tx_t0_s[t]) * g.sampling_hz;
}

// Returns the nearest sample; 0 outside the record.
ECHO_HD float course_sample(const CourseGeometry& g, const float* rf, int t, int e, double position) {
  if (!(position >= 0.0 && position <= static_cast<double>(g.n_samples - 1))) return 0.0f;
  const long long line = static_cast<long long>(t) * g.n_el + e;
  return rf[line * g.n_samples + static_cast<int>(position + 0.5)];
}

// Returns real pixel (ix, iz): sum over transmits and elements of the samples there.
ECHO_HD float course_pixel(const CourseGeometry& g, const float* rf, int ix, int iz) {
  const double x = g.x_m[ix];
  const double z = g.z_m[iz];
  float sum = 0.0f;
  for (int t = 0; t < g.n_tx; ++t) {
    const double transmit_m = z * g.tx_cos[t] + x * g.tx_sin[t];
    for (int e = 0; e < g.n_el; ++e) sum += course_sample(g, rf, t, e, course_position(g, t, e, transmit_m, x, z));
  }
  return sum;
}

// Returns the weight of FFT bin k of n for the analytic signal (scipy.signal.hilbert's convention).
ECHO_HD float hilbert_weight(int k, int n) {
  if (k == 0 || (n % 2 == 0 && k == n / 2)) return 1.0f;
  return k < (n + 1) / 2 ? 2.0f : 0.0f;
}

}  // namespace echoloop
