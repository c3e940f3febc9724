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
constexpr int kDecimatorTaps = 8;  // a plane, so 8 D altogether: 60 dB for what would fold onto the band

double sinc(double x) { return x == 0.0 ? 1.0 : std::sin(kPi * x) / (kPi * x); }

// Kaiser's window at `place` in -1 .. 1.
double kaiser(double place, double beta) {
  if (std::abs(place) >= 1.0) return 0.0;
  return std::cyl_bessel_i(0.0, beta * std::sqrt(1.0 - place * place)) / std::cyl_bessel_i(0.0, beta);
}

// What the first filter of two leaves of frequency f from its middle; a smooth low-pass that ends half way between
// the band and its nearest image.
struct Decimator {
  double sampling_hz;
  double cutoff_hz;
  int n_taps;
  [[nodiscard]] double tap(double offset) const {
    return 2.0 * cutoff_hz / sampling_hz * sinc(2.0 * cutoff_hz / sampling_hz * offset) *
           kaiser(offset / (0.5 * n_taps + 0.5), 6.0);
  }
  [[nodiscard]] double gain(double f_hz) const {
    double sum = 0.0;
    for (int n = -n_taps; n <= n_taps; ++n) sum += tap(n) * std::cos(2.0 * kPi * f_hz * n / sampling_hz);
    return sum;
  }
};

// The band's series at `time_s` from its middle, divided by `gain` of a filter before it.
template <class Gain>
double band_series(const PackedFirSpec& s, double time_s, const Gain& gain) {
  const double half_width = 0.5 * (s.band_high_hz - s.band_low_hz);
  const double line_rate = s.sampling_hz * s.interpolation / s.decimation;
  constexpr int kPoints = 512;  // of the middle-point rule over half the band
  double sum = 0.0;
  for (int i = 0; i < kPoints; ++i) {
    const double f = (i + 0.5) / kPoints * half_width;
    const double droop = sinc(f / line_rate);
    sum += band_response(f, -half_width, half_width) / (droop * droop * gain(f)) * std::cos(2.0 * kPi * f * time_s);
  }
  return 2.0 * sum * half_width / kPoints;
}

int whole_blocks(double n) { return std::max(1, static_cast<int>(std::ceil(n / kFirBlock))) * kFirBlock; }

// Fills in one phase of the first filter: low_pass(offset) turned to the middle of the band.
template <class LowPass>
void add_phase(PackedFir& fir, double turns_per_input, int phase, const LowPass& low_pass) {
  Value dc = 0.0;
  double bound = 0.0;
  for (int component = 0; component < fir.components; ++component) {
    for (int plane = 0; plane < fir.decimation; ++plane) {
      for (int j = 0; j < fir.taps_per_plane; ++j) {
        // From the input sample to the output's position, in input samples.
        const double offset =
            static_cast<double>(phase) / fir.interpolation - ((j - fir.lead()) * fir.decimation + plane);
        Value tap = std::polar(1.0, 2.0 * kPi * turns_per_input * offset) * low_pass(offset);
        bound += std::abs(tap);
        if (component == 0) dc += tap;
        if (component == 1) tap *= Value(0.0, 1.0);
        fir.taps.push_back({static_cast<float>(tap.real()), static_cast<float>(tap.imag())});
      }
    }
  }
  fir.dc_gain.push_back({static_cast<float>(dc.real()), static_cast<float>(dc.imag())});
  fir.gain_bound = std::max(fir.gain_bound, static_cast<float>(bound));
}

}  // namespace

PackedFir design_packed_fir(const PackedFirSpec& s) {
  PackedFir fir{.decimation = s.decimation,
                .interpolation = s.interpolation,
                .components = s.components,
                .taps = {},
                .dc_gain = {},
                .line_taps = {}};
  const double width_hz = s.band_high_hz - s.band_low_hz;
  const double line_rate = s.sampling_hz * s.interpolation / s.decimation;
  const double turns_per_input = (0.5 * (s.band_low_hz + s.band_high_hz) - s.input_hz) / s.sampling_hz;
  const double gain = s.components == 1 ? 2.0 : 1.0;  // RF: the other half of the spectrum is left out
  fir.turns_per_sample = (s.demod_hz - s.input_hz) / line_rate;
  if (s.decimation == 1) {
    fir.taps_per_plane = whole_blocks(kLengthTimesWidth * s.sampling_hz / width_hz);
    const auto low_pass = [&](double offset) {
      return gain / s.sampling_hz * band_series(s, offset / s.sampling_hz, [](double) { return 1.0; }) *
             kaiser(offset / (0.5 * fir.taps_per_plane + 0.5), 1.0);
    };
    for (int l = 0; l < s.interpolation; ++l) add_phase(fir, turns_per_input, l, low_pass);
    return fir;
  }
  fir.taps_per_plane = kDecimatorTaps;
  const Decimator first{s.sampling_hz, 0.5 * line_rate, kDecimatorTaps * s.decimation};
  add_phase(fir, turns_per_input, 0, [&](double offset) { return gain * first.tap(offset); });
  const int n = whole_blocks(kLengthTimesWidth * line_rate / width_hz);
  double bound = 0.0;
  for (int j = 0; j < n; ++j) {
    const double offset = j - n / 2;
    const double tap = band_series(s, offset / line_rate, [&](double f) { return first.gain(f); }) / line_rate *
                       kaiser(offset / (0.5 * n + 0.5), 1.0);
    bound += std::abs(tap);
    fir.line_taps.push_back(static_cast<float>(tap));
  }
  fir.gain_bound *= static_cast<float>(bound);
  return fir;
}

namespace {

Value first_filter(const PackedFir& fir, const PackedFirLine& line, int m) {
  const int place = m >= 0 ? m / fir.interpolation : m;
  const int phase = m >= 0 ? m % fir.interpolation : 0;
  const Complex* tap = fir.taps.data() + static_cast<std::ptrdiff_t>(phase) * fir.n_planes() * fir.taps_per_plane;
  Value sum = 0.0;
  for (int plane = 0; plane < fir.n_planes(); ++plane) {
    const int component = plane / fir.decimation;
    for (int j = 0; j < fir.taps_per_plane; ++j, ++tap) {
      const int n = (place + j - fir.lead()) * fir.decimation + plane % fir.decimation;
      if (n < 0 || n >= line.n_samples) continue;
      const double x = static_cast<double>(line.x[n * fir.components + component]) - line.mean;
      sum += x * Value(static_cast<double>(tap->re), static_cast<double>(tap->im));
    }
  }
  const double turns = fir.turns_per_sample * m;
  return sum * std::polar(1.0, -2.0 * kPi * (turns - std::floor(turns)));
}

}  // namespace

std::vector<Complex> packed_fir_line(const PackedFir& fir, const PackedFirLine& line, int n_out) {
  const int n_taps = static_cast<int>(fir.line_taps.size());
  const int lead = fir.line_lead();
  std::vector<Value> first;
  for (int m = -lead; m < n_out + n_taps - lead; ++m) first.push_back(first_filter(fir, line, m));
  std::vector<Complex> out;
  for (int m = 0; m < n_out; ++m) {
    Value sum = n_taps == 0 ? first[static_cast<std::size_t>(m)] : 0.0;
    for (int j = 0; j < n_taps; ++j) {
      sum += static_cast<double>(fir.line_taps[static_cast<std::size_t>(j)]) * first[static_cast<std::size_t>(m + j)];
    }
    out.push_back({static_cast<float>(sum.real()), static_cast<float>(sum.imag())});
  }
  return out;
}

}  // namespace echoloop
