// Steps of conditioning one line, as loops that vectorise; compiled once an instruction set (line_steps_*.cpp).
// Complex signals are two planes of floats, so that a step is the same for both.
#pragma once

#include <cstdint>

#include "dsp/complex.h"

namespace echoloop {

// Rows may be read and written up to this many floats beyond what is asked for.
inline constexpr int kLineSlack = 32;

// The larger one; what is not a number counts as largest and stays.
ECHO_HD float largest_of(float largest, float v) { return v > largest || v != v ? v : largest; }

struct LineSteps {
  void (*widen)(const std::int16_t* in, int n, float* x);
  double (*sum)(const float* x, int n);
  // y[i] = sum over k < n_taps of taps[k] x[i + k], 0 <= i < n; filter_more adds it to y
  void (*filter)(const float* x, const float* taps, int n_taps, int n, float* y);
  void (*filter_more)(const float* x, const float* taps, int n_taps, int n, float* y);
  void (*split)(const float* x, int n, float* even, float* odd);       // n of each
  void (*join)(const float* even, const float* odd, int n, float* x);  // n of each
  void (*mix_rf)(const float* x, float mean, const float* cosine, const float* sine, int n, float* re, float* im);
  void (*mix_iq)(const float* pairs, const float* cosine, const float* sine, int n, float* re, float* im);
  // line[i] = (re[i], im[i]) turned by turn[i]; returns the largest |re| or |im|
  float (*pair_up)(const float* re, const float* im, const Complex* turn, int n, Complex* line);
  // (re, im) times scale, rounded to int16, limited to +-limit; re in the lower half
  void (*quantise)(const Complex* line, int n, float scale, float limit, std::uint32_t* pairs);
};

namespace avx2 {
extern const LineSteps kLineSteps;
}
namespace avx512 {
extern const LineSteps kLineSteps;
}

}  // namespace echoloop
