// The half-precision form of conditioned lines that the tuned delay-and-sum reads, and what its kernels, its plan and
// their tests must agree on to the bit.
//
// A word holds a sample and the step to the next one: (I, Q) and (I', Q') x 2^13, halves. A delay is a whole number of
// 1/2048 samples; its low 11 bits, read as a half, are the fraction x 2^-13 exactly (a half's smallest step is 2^-24,
// for subnormal numbers and the first normal ones alike). So the interpolated sample is one packed multiply-add.
#pragma once

#include "core/hd.h"

namespace echoloop {

inline constexpr int kDelayBits = 11;                  // of a delay's fraction
inline constexpr float kDelayUnits = 1 << kDelayBits;  // delay units in a sample
inline constexpr unsigned kFractionMask = (1U << kDelayBits) - 1U;
inline constexpr float kStepScale = 8192.0f;  // 2^13 = 2^24 / 2^kDelayBits
// Added to a delay below 2^23 units, it makes the float's own bits the rounded delay (plus kDelayMagicBits).
inline constexpr float kDelayMagic = 8388608.0f;  // 2^23
inline constexpr int kDelayMagicBits = 0x4B000000;
inline constexpr int kLargestWindow = 1 << (23 - kDelayBits);  // words: what such a float can address

// A rectangle of pixels that one block of threads sums. A thread has n_pixels (PackedForm) of one column, as many rows
// apart as there are rows of threads: tile_z / n_pixels.
struct TileShape {
  int tile_x = 0;
  int tile_z = 0;
  int warp_x = 0;  // columns of a warp's 32 pixels (a power of two, divides tile_x); 0: pixels numbered along rows
  friend bool operator==(const TileShape&, const TileShape&) = default;
};

struct TilePlace {
  int x;
  int z;
};

// Place of the first of a thread's pixels in the tile. Threads beyond the last row of threads have nothing to sum: z is
// tile_z / n_pixels or more.
ECHO_HD TilePlace tile_place(const TileShape& tile, int thread) {
  if (tile.warp_x == 0) return {thread % tile.tile_x, thread / tile.tile_x};
  const int lane = thread % 32;
  const int warp = thread / 32;
  const int across = tile.tile_x / tile.warp_x;
  return {warp % across * tile.warp_x + lane % tile.warp_x, warp / across * (32 / tile.warp_x) + lane / tile.warp_x};
}

}  // namespace echoloop
