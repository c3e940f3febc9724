// Adaptive methods of the pixels of a row, on the CPU: the functors of dsp/methods/ whose result is made of sums over
// the pixel's own channels, in loops along the pixels that vectorise. form_pixel() (dsp/methods/channel_sums.h) is the
// specification. One source file an instruction set. Included by those files: no standard library here.
#pragma once

#include "dsp/das.h"
#include "dsp/methods/method.h"

namespace echoloop {

inline constexpr int kMethodPixels = 64;  // of a row, whose sums are kept at once

// One row of the grid; the geometry has no `columns`.
struct MethodRow {
  const DasGeometry& geometry;
  const Complex* lines;  // [n_tx][n_el][n_line]
  int iz;
  float* scratch;   // method_row_floats() values
  Complex* pixels;  // [nx] of the row
  float* weights;   // [nx] of the row
};

// settings.method: one of with_method().
using MethodRowKernel = void (*)(const MethodSettings& settings, const MethodRow& row);

// Values of work space for one thread.
inline long long method_row_floats(const MethodSettings& settings, int n_tx) {
  constexpr int kPlain = 13, kTransmit = 5, kSet = 3;  // rows; see method_rows_kernel.h
  int sums = 4;                                        // numbers of Method::Sums, at most
  if (settings.method == Adaptive::generalized) sums = settings.bins <= 2 ? 12 : 4 * (kMostAdaptiveBins + 1);
  return (kPlain + kTransmit * static_cast<long long>(n_tx) + (n_tx + 1LL) * (kSet + sums)) * kMethodPixels;
}

namespace portable {
void method_row(const MethodSettings& settings, const MethodRow& row);
}
namespace avx2 {
void method_row(const MethodSettings& settings, const MethodRow& row);
}
namespace avx512 {
void method_row(const MethodSettings& settings, const MethodRow& row);
}

}  // namespace echoloop
