// The condition stage of the tuned path: filters that select the band, move it to baseband and change the rate.
//
// Output sample m stands at input position t = m D / L (D decimation, L interpolation; one of them is 1):
//   y[m] = e^{-i 2 pi f m / rate} sum_n g(t - n) x[n],   n within half the filter's length of t
// Without decimation g realises the band of dsp/band_filter.h about its middle, as a truncated series; with it, g only
// keeps away what would fold onto the band, and a second, real filter at the line rate realises the band. Inside the
// band the gain makes up for what linear interpolation of the lines takes away later (sinc^2 of frequency over line
// rate), which allows a lower line rate: 4 samples per hertz of band instead of 6.
//
// The input is kept in planes, so that every case is the same plain convolution: sample n goes to plane n mod D at
// place n / D (of I, and after them of Q).
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

inline constexpr int kFirBlock = 8;  // taps, and outputs, that a thread handles together

struct PackedFir {
  int decimation = 1;
  int interpolation = 1;
  int components = 1;
  int taps_per_plane = 0;        // a multiple of kFirBlock
  std::vector<Complex> taps;     // [interpolation][components][decimation][taps_per_plane]; tap j: place m + j - lead()
  std::vector<Complex> dc_gain;  // [interpolation] response to a constant 1, before the turn
  std::vector<float> line_taps;  // second filter, symmetric about its middle; empty without decimation
  double turns_per_sample = 0.0;  // of the mixer: (demod - input) / line rate
  float gain_bound = 0.0f;        // |y| <= gain_bound * max |x|
  [[nodiscard]] int n_planes() const { return decimation * components; }
  [[nodiscard]] int lead() const { return taps_per_plane / 2; }
  [[nodiscard]] int line_lead() const { return static_cast<int>(line_taps.size()) / 2; }
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
