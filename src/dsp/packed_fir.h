// The condition stage of the tuned path: filters that select the band, move it to baseband and change the rate.
//
// Output sample m stands at input position t = m D / L (D decimation, L interpolation; one of them is 1):
//   y[m] = e^{-i 2 pi f m / rate} sum_n g(t - n) x[n],   n within half the filter's length of t
// g realises the band of dsp/band_filter.h about its middle, as a truncated series. Inside the band its gain makes up
// for what linear interpolation of the lines takes away later (sinc^2 of frequency over line rate), which allows a
// lower line rate: 4 samples per hertz of band instead of 6.
//
// Taps come in places of D samples: place p of a line holds samples p D .. p D + D - 1, output m stands at place m / L.
#pragma once

#include <vector>

#include "dsp/complex.h"

namespace echoloop {

struct PackedFirSpec {
  double sampling_hz = 0.0;
  double band_low_hz = 0.0;
  double band_high_hz = 0.0;
  double input_hz = 0.0;  // demodulation frequency of the input; 0 for RF
  double demod_hz = 0.0;  // of the lines
  int decimation = 1;
  int interpolation = 1;
  int components = 1;  // 2: I and Q
};

inline constexpr int kFirBlock = 8;  // outputs that are computed together

struct PackedFir {
  int decimation = 1;
  int interpolation = 1;
  int components = 1;
  int n_places = 0;               // of the taps, even
  std::vector<Complex> taps;      // [interpolation][n_places][decimation][components]; first place: m / L - lead()
  double turns_per_sample = 0.0;  // of the mixer: (demod - input) / line rate
  float gain_bound = 0.0f;        // |y| <= gain_bound * max |x|
  [[nodiscard]] int lead() const { return n_places / 2; }
  [[nodiscard]] int place_values() const { return decimation * components; }
};

PackedFir design_packed_fir(const PackedFirSpec& spec);

// Samples 0 .. n_out - 1 of a line x [n_samples][components] less its `mean`, in double precision: the specification.
struct PackedFirLine {
  const float* x = nullptr;
  int n_samples = 0;
  double mean = 0.0;
};
std::vector<Complex> packed_fir_line(const PackedFir& fir, const PackedFirLine& line, int n_out);

}  // namespace echoloop
