#include "dsp/packed_fir.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "core/units.h"
#include "dsp/band_filter.h"

namespace echoloop {
namespace {

using Value = std::complex<double>;

// The band filter's length in inverses of the band's width. Its edges are a tenth of the width wide; so long a series
// renders the reference images within 0.07 dB rms (plane waves) and 0.15 dB (bandpass-sampled disk), a third of the
// bounds; 16 would miss them.
constexpr double kLengthTimesWidth = 22.0;

// Kaiser's window at `place` in -1 .. 1.
double kaiser(double place, double beta) {
  if (std::abs(place) >= 1.0) return 0.0;
  return std::cyl_bessel_i(0.0, beta * std::sqrt(1.0 - place * place)) / std::cyl_bessel_i(0.0, beta);
}

// The band's series at `time_s` from its middle.
double band_series(const PackedFirSpec& s, double time_s) {
  const double half_width = 0.5 * (s.band_high_hz - s.band_low_hz);
  const double line_rate = s.sampling_hz * s.interpolation / s.decimation;
  constexpr int kPoints = 512;  // of the middle-point rule over half the band
  double sum = 0.0;
  for (int i = 0; i < kPoints; ++i) {
    const double f = (i + 0.5) / kPoints * half_width;
    const double droop = sinc(f / line_rate);
    sum += band_response(f, -half_width, half_width) / (droop * droop) * std::cos(2.0 * kPi * f * time_s);
  }
  return 2.0 * sum * half_width / kPoints;
}

}  // namespace

PackedFir design_packed_fir(const PackedFirSpec& s) {
  PackedFir fir{.decimation = s.decimation, .interpolation = s.interpolation, .components = s.components, .taps = {}};
  const double width_hz = s.band_high_hz - s.band_low_hz;
  const double line_rate = s.sampling_hz * s.interpolation / s.decimation;
  const double turns_per_input = (0.5 * (s.band_low_hz + s.band_high_hz) - s.input_hz) / s.sampling_hz;
  const double gain = s.components == 1 ? 2.0 : 1.0;  // RF: the other half of the spectrum is left out
  fir.turns_per_sample = (s.demod_hz - s.input_hz) / line_rate;
  const double length = kLengthTimesWidth * s.sampling_hz / width_hz / s.decimation;
  fir.n_places = 8 * std::max(1, static_cast<int>(std::ceil(length / 8)));
  const double half_length = 0.5 * fir.n_places * s.decimation + 0.5;
  for (int phase = 0; phase < s.interpolation; ++phase) {
    double bound = 0.0;
    for (int n = 0; n < fir.n_places * s.decimation; ++n) {
      // From the input sample to the output's position, in input samples.
      const double offset = static_cast<double>(phase) / s.interpolation - (n - fir.lead() * s.decimation);
      const double low_pass =
          gain / s.sampling_hz * band_series(s, offset / s.sampling_hz) * kaiser(offset / half_length, 1.0);
      const Value tap = std::polar(1.0, 2.0 * kPi * turns_per_input * offset) * low_pass;
      bound += std::abs(tap);
      fir.taps.push_back({static_cast<float>(tap.real()), static_cast<float>(tap.imag())});
      if (s.components == 2) fir.taps.push_back({static_cast<float>(-tap.imag()), static_cast<float>(tap.real())});
    }
    fir.gain_bound = std::max(fir.gain_bound, static_cast<float>(bound));
  }
  return fir;
}

std::vector<Complex> packed_fir_line(const PackedFir& fir, const PackedFirLine& line, int n_out) {
  const int n_taps = fir.n_places * fir.place_values();
  std::vector<Complex> out;
  for (int m = 0; m < n_out; ++m) {
    const Complex* taps = fir.taps.data() + static_cast<std::ptrdiff_t>(m % fir.interpolation) * n_taps;
    const int first = (m / fir.interpolation - fir.lead()) * fir.place_values();
    Value sum = 0.0;
    for (int k = std::max(0, -first); k < std::min(n_taps, line.n_samples * fir.components - first); ++k) {
      const double x = static_cast<double>(line.x[first + k]) - line.mean;
      sum += x * Value(static_cast<double>(taps[k].re), static_cast<double>(taps[k].im));
    }
    const double turns = fir.turns_per_sample * m;
    sum *= std::polar(1.0, -2.0 * kPi * (turns - std::floor(turns)));
    out.push_back({static_cast<float>(sum.real()), static_cast<float>(sum.imag())});
  }
  return out;
}

}  // namespace echoloop
