// Power spectra of channel lines for display. Host only, double precision; any thread.
#pragma once

#include <kiss_fft.h>
#include <kiss_fftr.h>

#include <memory>
#include <new>
#include <span>
#include <vector>

#include "dsp/complex.h"

namespace echoloop {

// Line sampled at rate_hz, mixed down by demod_hz (0: as received).
struct SampledLine {
  std::span<const Complex> samples;
  double rate_hz = 0.0;
  double demod_hz = 0.0;
};

// Returns the mean power (Welch, 1967: Hann windows of segment_s, at least half overlapping) at first_hz + i * step_hz,
// i < n, in dB; equal for lines of one signal at different rates. Spectra of sampled signals are periodic: any
// frequency is valid. The floor is -300 dB. Empty line: n floors.
std::vector<float> power_spectrum_db(const SampledLine& line, double segment_s, double first_hz, double step_hz, int n);

// RAII for KissFFT configurations, host only. A configuration has scratch memory: one per thread. Transforms are not
// normalised: forward and inverse give n times the signal.

struct KissFree {
  void operator()(void* p) const { kiss_fft_free(p); }
};
using KissComplexPlan = std::unique_ptr<kiss_fft_state, KissFree>;
using KissRealPlan = std::unique_ptr<kiss_fftr_state, KissFree>;

enum class Transform { forward, inverse };

inline KissComplexPlan make_complex_plan(int n, Transform transform) {
  KissComplexPlan plan(kiss_fft_alloc(n, transform == Transform::inverse ? 1 : 0, nullptr, nullptr));
  if (plan == nullptr) throw std::bad_alloc();
  return plan;
}
inline KissRealPlan make_real_plan(int n) {
  KissRealPlan plan(kiss_fftr_alloc(n, 0, nullptr, nullptr));
  if (plan == nullptr) throw std::bad_alloc();
  return plan;
}

}  // namespace echoloop
