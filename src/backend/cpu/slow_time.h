// Matrix products of an ensemble in slow time, a block of pixels at a time, as loops that vectorise; compiled once an
// instruction set (slow_time_*.cpp). A block is planes of floats: [frame][re | im][pixel], pixels a multiple of
// kSlowTimePixels.
#pragma once

#include "dsp/complex.h"

namespace echoloop {

inline constexpr int kSlowTimePixels = 32;

struct SlowTimeSteps {
  // planes[re | im][n_pixels] of one frame; zeros from n on.
  void (*split)(const Complex* pixels, int n, int n_pixels, float* planes);
  // gram[i * n + j] += sum over pixels of conj(x_i) x_j for first_new <= j < n, 0 <= i <= j, as pairs (re, im): what
  // the frames from first_new on bring. Floats along the block, doubles from block to block.
  void (*gram)(const float* planes, int n, int n_pixels, int first_new, double* gram);
  // y_t = sum over s of x_s w[s * n + t], w as pairs; then of each pixel: power[] = sum |y|^2, r1 = sum y_(t+1)
  // conj(y_t) as planes[re | im]. y: [n][re | im][n_pixels].
  void (*filter)(const float* planes, const float* w, int n, int n_pixels, float* y, float* power, float* r1);
};

namespace portable {
extern const SlowTimeSteps kSlowTimeSteps;
}
namespace avx2 {
extern const SlowTimeSteps kSlowTimeSteps;
}
namespace avx512 {
extern const SlowTimeSteps kSlowTimeSteps;
}

}  // namespace echoloop
