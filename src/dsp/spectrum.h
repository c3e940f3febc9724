// Power spectra of channel lines, for looking at them. Host only, double precision; any thread.
#pragma once

#include <span>
#include <vector>

#include "dsp/complex.h"

namespace echoloop {

// A line sampled at rate_hz, mixed down by demod_hz (0: as received).
struct SampledLine {
  std::span<const Complex> samples;
  double rate_hz = 0.0;
  double demod_hz = 0.0;
};

// Mean power (Welch, 1967: Hann windows of segment_s, at least half overlapping) at first_hz + i * step_hz, i < n, in
// dB; two lines of the same signal at different rates give the same. A signal that is periodic in frequency, as all
// sampled ones are, may be asked at any frequency. The floor is -300 dB. Empty line: n floors.
std::vector<float> power_spectrum_db(const SampledLine& line, double segment_s, double first_hz, double step_hz, int n);

}  // namespace echoloop
