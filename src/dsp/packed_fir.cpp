#include "dsp/packed_fir.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "core/units.h"
#include "dsp/fir_design.h"

namespace echoloop {
namespace {

using Value = std::complex<double>;

// Length of the band filter in inverses of the band's width. Its edges are a tenth of the width; this length renders
// the reference images within 0.07 dB rms (plane waves) and 0.15 dB (bandpass-sampled disk), a third of the bounds; 16
// would exceed them.
constexpr double kLengthTimesWidth = 22.0;

// Returns Kaiser's window at `place` in -1 .. 1.
double kaiser(double place, double beta) {
  if (std::abs(place) >= 1.0) return 0.0;
  return std::cyl_bessel_i(0.0, beta * std::sqrt(1.0 - place * place)) / std::cyl_bessel_i(0.0, beta);
}

// Returns the band's series at `time_s` from its centre.
double band_series(const PackedFirSpec& s, double time_s) {
  const double half_width = 0.5 * (s.band_high_hz - s.band_low_hz);
  const double line_rate = s.sampling_hz * s.interpolation / s.decimation;
  constexpr int kPoints = 512;  // of the midpoint rule over half the band
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
  const double gain = s.components == 1 ? 2.0 : 1.0;  // RF: the other half of the spectrum is omitted
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

namespace {

// Returns the nearest half, ties to even; |v| below 65504.
std::uint32_t half_bits(double v) {
  const std::uint32_t sign = std::signbit(v) ? 0x8000U : 0U;
  const double size = std::abs(v);
  if (size < 0x1p-14) return sign | static_cast<std::uint32_t>(std::nearbyint(size * 0x1p24));
  int exponent = 0;
  const double mantissa = std::frexp(size, &exponent);  // 1/2 .. 1
  // A mantissa that rounds up to 1 carries into the exponent, as required.
  return sign | (static_cast<std::uint32_t>(exponent + 13) * 1024U +
                 static_cast<std::uint32_t>(std::nearbyint(mantissa * 2048.0)));
}

struct Pick {
  const PackedFir& fir;
  const PackedTaps& taps;
  int before;  // values of a stretch before the first tap of its first output
  // Returns the tap of a stretch's value k for output `o` of the block.
  [[nodiscard]] Complex operator()(int k, int o) const {
    const int wide = fir.place_values() * taps.spread;
    const int from = k - before - o / fir.interpolation * wide;
    const int value = from % wide;
    if (from < 0 || from >= fir.n_places * wide || value >= fir.place_values()) return {0.0f, 0.0f};
    const int place = o % fir.interpolation * fir.n_places + from / wide;
    return fir.taps[static_cast<std::size_t>(place * fir.place_values() + value)];
  }
};

}  // namespace

PackedTaps make_packed_taps(const PackedFir& fir) {
  PackedTaps taps;
  taps.spread = std::max(1, fir.interpolation / fir.place_values());
  const int wide = fir.place_values() * taps.spread;
  taps.block_chunks = wide / fir.interpolation;
  taps.front = (fir.lead() * wide + kChunk - 1) / kChunk;
  const int before = taps.front * kChunk - fir.lead() * wide;
  const int longest = before + kChunk - 1 + ((kFirBlock - 1) / fir.interpolation + fir.n_places) * wide;
  taps.n_steps = (longest + kTapStep - 1) / kTapStep;
  float largest = 0.0f;
  for (const Complex& t : fir.taps) largest = std::max({largest, std::abs(t.re), std::abs(t.im)});
  taps.scale = std::ldexp(1.0f, -std::ilogb(largest));
  const auto scale = static_cast<double>(taps.scale);
  for (int shift = 0; shift < kChunk; ++shift) {
    const Pick pick{fir, taps, before + shift};
    for (int i = 0; i < taps.n_steps * 32; ++i) {
      const int lane = i % 32;
      Complex of[4];
      for (int n = 0; n < 4; ++n) of[n] = pick(i / 32 * kTapStep + lane % 4 * 2 + n / 2 * 8 + n % 2, lane / 4);
      const auto pair = [&](float low, float high) {
        taps.matrices.push_back(half_bits(scale * static_cast<double>(low)) |
                                half_bits(scale * static_cast<double>(high)) << 16);
      };
      pair(of[0].re, of[1].re);
      pair(of[2].re, of[3].re);
      pair(of[0].im, of[1].im);
      pair(of[2].im, of[3].im);
    }
  }
  return taps;
}

}  // namespace echoloop
