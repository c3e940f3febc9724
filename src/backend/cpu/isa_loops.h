// Delay-and-sum of int16 IQ on x86 without gathers: the pixels of one vector lie side by side in a row, so the samples
// that they need from a line lie in a short window, which one to four loads and a permutation fetch. What is done for
// every (pixel, transmit, element) is integer arithmetic; the receive part (delay, phasor, weight) is computed once for
// all transmits, for any array and any grid, so that a parameter changes without a table being made.
// das_pixel() is the specification. One source file an instruction set: das_window_avx2.cpp, das_window_avx512.cpp.
// Included by those files: no standard library but types.
#pragma once

#include <cstdint>

#include "dsp/das.h"

namespace echoloop {

inline constexpr int kWindowLanes = 16;   // pixels of a block, of any instruction set (AVX2: two vectors)
inline constexpr int kWindowRows = 8;     // rows of a tile: they read nearly the same samples
inline constexpr int kWindowMargin = 64;  // pairs behind each line that may be read and do not matter
// Phasors are int16 of at most this size and samples int16 of a component of at most kSamplePeak: then the sum of
// kElementsPerFlush terms of two products each stays below 2^31: (8191 + 1/2) sqrt(2) 11584 x 16 = 2147.1e6.
inline constexpr float kPhasorPeak = 8191.0f;
inline constexpr float kSamplePeak = 11584.0f;
inline constexpr int kElementsPerFlush = 16;

enum class WindowWeights { one, boxcar, general };  // boxcar: all elements look along +z, cut off by the F-number

// What a tile is computed from. Pointers belong to WindowDas.
struct WindowInput {
  DasGeometry das;           // the plan's
  const float* x_m;          // [n_blocks * kWindowLanes] as das.x_m, the last pixel repeated
  const float* down_m;       // likewise; null: Cartesian
  const float* element_x_m;  // [n_el], padded to a multiple of kWindowLanes
  const float* element_z_m;  // likewise
  WindowWeights weights;
  // 2: grid and array are their own mirror images. Then the receive part of a pixel and an element is that of the
  // mirrored ones too and is computed once for both; blocks go from the left edge to the middle.
  int sides;
  const std::uint32_t* pairs;  // [n_tx][n_el][stride]: (re, im) int16, re in the lower half
  int stride;                  // das.n_valid + kWindowMargin at least
  float unit;                  // value of one step of the integer sums
};

// Work space of one thread.
struct WindowScratch {
  float* sums;  // [kWindowRows][sides][n_tx][re | im][kWindowLanes]
  // [kWindowRows][sides][n_tx][kWindowLanes] transmit delay less `start`, samples in 16.16 fixed point
  std::int32_t* delay;
  std::int32_t* start;  // [kWindowRows][sides][n_tx] whole samples, row_base included
};

// Rows [row_begin, row_end) (at most kWindowRows) of the block of pixels that begins at column kWindowLanes * block
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

}  // namespace echoloop
