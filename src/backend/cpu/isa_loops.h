// Delay-and-sum of int16 IQ on x86 without gathers: the pixels of one vector are adjacent in a row, so the samples that
// they need from a line lie in a short window, fetched by one to four loads and a permutation. Each (pixel, transmit,
// element) needs integer arithmetic only; the receive part (delay, phasor, weight) is computed once for all transmits,
// for any array and grid, so that a parameter changes without a new table. das_pixel() is the specification. One source
// file per instruction set: das_window_avx2.cpp, das_window_avx512.cpp. Included by those files: no standard library
// but types.
#pragma once

#include <cstdint>

#include "dsp/complex.h"
#include "dsp/das.h"
#include "dsp/methods/method.h"

namespace echoloop {

inline constexpr int kWindowLanes = 16;   // pixels of a block for every instruction set (AVX2: two vectors)
inline constexpr int kWindowRows = 8;     // rows of a tile: they read nearly the same samples
inline constexpr int kWindowMargin = 64;  // pairs after each line that may be read and are ignored
// Limits of int16 phasors and of the components of int16 samples: the sum of kElementsPerFlush terms of two products
// each stays below 2^31: (8191 + 1/2) sqrt(2) 11584 x 16 = 2147.1e6.
inline constexpr float kPhasorPeak = 8191.0f;
inline constexpr float kSamplePeak = 11584.0f;
inline constexpr int kElementsPerFlush = 16;

enum class WindowWeights { one, boxcar, general };  // boxcar: all elements face +z, cut off by the F-number

// Input of a tile. Pointers belong to WindowDas.
struct WindowInput {
  DasGeometry das;           // the plan's
  const float* x_m;          // [n_blocks * kWindowLanes] as das.x_m, the last pixel repeated
  const float* down_m;       // the same of das.down_m; null: Cartesian
  const float* element_x_m;  // [n_el], padded to a multiple of kWindowLanes
  const float* element_z_m;  // [n_el], padded
  WindowWeights weights;
  // 2: grid and array are mirror-symmetric. The receive part of a pixel and an element is then computed once for both
  // mirror images; blocks run from the left edge to the centre.
  int sides;
  const std::uint32_t* pairs;  // [n_tx][n_el][stride]: (re, im) int16, re in the lower half
  int stride;                  // das.n_valid + kWindowMargin at least
  float unit;                  // value of one integer step
};

// Work space of one thread.
struct WindowScratch {
  float* sums;  // [kWindowRows][sides][n_tx][re | im][kWindowLanes]
  // [kWindowRows][sides][n_tx][kWindowLanes] transmit delay minus `start`, samples in 16.16 fixed point
  std::int32_t* delay;
  std::int32_t* start;  // [kWindowRows][sides][n_tx] whole samples, row_base included
};

// Computes rows [row_begin, row_end) (at most kWindowRows) of the block of pixels from column kWindowLanes * block on
// (and their mirror images).
using WindowTile = void (*)(const WindowInput& frame, int block, int row_begin, int row_end,
                            const WindowScratch& scratch, Complex* image);

namespace avx2 {
void das_window_tile(const WindowInput& frame, int block, int row_begin, int row_end, const WindowScratch& scratch,
                     Complex* image);
}
namespace avx512 {
void das_window_tile(const WindowInput& frame, int block, int row_begin, int row_end, const WindowScratch& scratch,
                     Complex* image);
}

// Steps of conditioning one line, as loops that vectorise; compiled once per instruction set. Complex signals are two
// planes of floats, so that a step is the same for both.

// Floats that may be read and written past the end of a row.
inline constexpr int kLineSlack = 32;

// Returns the larger one; NaN counts as largest and persists.
ECHO_HD float largest_of(float largest, float v) { return v > largest || v != v ? v : largest; }

struct LineSteps {
  void (*widen)(const std::int16_t* in, int n, float* x);
  // x = in, or 0 where |in| is above `largest` or NaN; returns the number of those
  int (*valid)(const float* in, int n, float largest, float* x);
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

// Adaptive methods for the pixels of a row on the CPU: functors of dsp/methods/ whose result consists of sums over the
// pixel's own channels, in loops along the pixels that vectorise. form_pixel() (dsp/methods/channel_sums.h) is the
// specification. One source file per instruction set. Included by those files: no standard library here.

inline constexpr int kMethodPixels = 64;  // pixels of a row summed at once

// One row of the grid; the geometry has no `columns`, unless its pixels are made one by one.
struct MethodRow {
  const DasGeometry& geometry;
  const Complex* lines;  // [n_tx][n_el][n_line]
  int iz;
  float* scratch;   // method_row_floats() values
  Complex* pixels;  // [nx] of the row
  float* weights;   // [nx] of the row
};

// settings.method: supported by with_method().
using MethodRowKernel = void (*)(const MethodSettings& settings, const MethodRow& row);

// Returns the work space of one thread, in values, for a method with so many floats in Method::Sums.
inline long long method_row_floats(int sums, int n_tx) {
  constexpr int kPlain = 13, kTransmit = 5, kSet = 3;  // rows; see method_parts.h
  return (kPlain + kTransmit * static_cast<long long>(n_tx) + (n_tx + 1LL) * (kSet + sums)) * kMethodPixels;
}
inline long long method_row_floats(const MethodSettings& settings, int n_tx) {
  int sums = 4;
  if (settings.method == Adaptive::generalized) sums = settings.bins <= 2 ? 12 : 4 * (kMostAdaptiveBins + 1);
  return method_row_floats(sums, n_tx);
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

// Matrix products of an ensemble in slow time, by blocks of pixels, as loops that vectorise; compiled once per
// instruction set. A block is planes of floats: [frame][re | im][pixel], pixels a multiple of kSlowTimePixels.

inline constexpr int kSlowTimePixels = 32;

struct SlowTimeSteps {
  // planes[re | im][n_pixels] of one frame; zeros from n on
  void (*split)(const Complex* pixels, int n, int n_pixels, float* planes);
  // gram[i * n + j] += sum over pixels of conj(x_i) x_j for first_new <= j < n, 0 <= i <= j, as pairs (re, im):
  // products of the new frames. Floats within a block, doubles across blocks.
  void (*gram)(const float* planes, int n, int n_pixels, int first_new, double* gram);
  // y_t = sum over s of x_s w[s * n + t], w as pairs; then per pixel: power[] = sum |y|^2, r1 = sum y_(t+1) conj(y_t)
  // as planes[re | im]. y: [n][re | im][n_pixels].
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

// Methods that read rows above and below the pixel (dsp/methods/element_rows.h): store() keeps what a row's pixels
// need of it, then form() makes the kMethodPixels pixels from `first` on, or fewer, from the rows around them. Those of
// sums over channels in loops along the pixels, compiled once per instruction set. Included by those files: no standard
// library here.

struct KeptRows {
  const float* values;   // of the first row in use
  long long row_floats;  // step from row to row
  int count, centre;     // of rows: fewer than 2 K + 1 at the edges; the pixel's own
};

struct RowsKernel {
  long long (*row_floats)(const MethodSettings& settings, const DasGeometry& geometry);      // kept of a row
  long long (*scratch_floats)(const MethodSettings& settings, const DasGeometry& geometry);  // of one thread
  void (*store)(const MethodSettings& settings, const MethodRow& row, float* kept);
  void (*form)(const MethodSettings& settings, const KeptRows& rows, const MethodRow& row, int first);
};
template <class Rows>
inline constexpr RowsKernel kRowsKernel{Rows::row_floats, Rows::scratch_floats, Rows::store, Rows::form};

// Calls run(functor) of a built-in method.
template <Adaptive method>
struct BuiltInMethod {
  template <class Run>
  static void with(const MethodSettings& settings, const Run& run) {
    run_method(MethodTag<method>(), settings, run);
  }
};

namespace portable {
extern const RowsKernel kSlsc;
}
namespace avx2 {
extern const RowsKernel kSlsc;
}
namespace avx512 {
extern const RowsKernel kSlsc;
}

}  // namespace echoloop
