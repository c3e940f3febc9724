// Short-lag spatial coherence on the CPU, row by row in loops along the pixels that vectorise: the sums of the lags of
// each pixel are stored, then added over the rows around it. ShortLagCoherence (dsp/methods/slsc.h) is the
// specification. One source file an instruction set. Included by those files: no standard library here.
#pragma once

#include "backend/cpu/method_rows.h"

namespace echoloop {

// Sums of a row: [parts of kMethodPixels][factor | for each lag: pairs, energy of e, energy of e + m][kMethodPixels].
inline int slsc_terms(int lags) { return 1 + 3 * lags; }
inline long long slsc_row_floats(int lags, int nx) {
  return static_cast<long long>((nx + kMethodPixels - 1) / kMethodPixels) * slsc_terms(lags) * kMethodPixels;
}

// Rows begin .. end - 1 around row `centre`; row k is at k % n_kept of the rows that are kept.
struct SlscRows {
  const float* kept;
  int n_kept;
  int begin, end, centre;
};

struct SlscKernel {
  void (*store)(int lags, const MethodRow& row, float* sums);
  // row: scratch is not used.
  void (*form)(int lags, const SlscRows& rows, const MethodRow& row);
};

// Values of work space for one thread.
inline long long slsc_scratch_floats(int n_tx, int n_el) {
  constexpr int kElement = 3;  // re, im, energy
  return method_row_floats({}, n_tx) + static_cast<long long>(kElement) * n_el * kMethodPixels;
}

namespace portable {
extern const SlscKernel kSlsc;
}
namespace avx2 {
extern const SlscKernel kSlsc;
}
namespace avx512 {
extern const SlscKernel kSlsc;
}

}  // namespace echoloop
