// Condition stage of the tuned path: filters that select the band, move it to baseband and change the rate.
//
// Output sample m is at input position t = m D / L (D decimation, L interpolation; one of them is 1):
//   y[m] = e^{-i 2 pi f m / rate} sum_n g(t - n) x[n],   n within half the filter's length of t
// g is the band of dsp/fir_design.h about its centre, as a truncated series. Its gain inside the band compensates the
// later linear interpolation of the lines (sinc^2 of frequency over line rate), which allows a lower line rate: 4
// samples per hertz of band instead of 6.
//
// Taps come in places of D samples: place p of a line holds samples p D .. p D + D - 1, output m is at place m / L.
#pragma once

#include <cstdint>
#include <vector>

#include "core/hd.h"
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

inline constexpr int kFirBlock = 8;  // outputs computed together

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

// Computes samples 0 .. n_out - 1 of a line x [n_samples][components] minus `mean`, in doubles: the specification.
struct PackedFirLine {
  const float* x = nullptr;
  int n_samples = 0;
  double mean = 0.0;
};
std::vector<Complex> packed_fir_line(const PackedFir& fir, const PackedFirLine& line, int n_out);

// Filter of the tuned path as matrices of halves for tensor cores.
//
// A block of kFirBlock outputs reads a stretch of `16 n_steps` values of its line; stretches of successive blocks begin
// kFirBlock * place_values / interpolation values apart, a whole number of chunks (8 values: 16 bytes). Outputs of many
// blocks are therefore the product of their stretches with one matrix [value of the stretch][output], a Toeplitz
// matrix; one for real parts, one for imaginary parts.
//
// Chunks are those of memory: a line begins `shift` values into one, and there is a set of matrices per shift.

inline constexpr int kChunk = 8;     // values; also the number of shifts
inline constexpr int kTapStep = 16;  // values of a stretch in one matrix instruction

struct PackedTaps {
  int spread = 1;        // factor of a place's size, filled with zeros where blocks would be smaller
  int block_chunks = 0;  // between stretches of successive blocks
  int front = 0;         // chunks of zeros before the line
  int n_steps = 0;
  float scale = 0.0f;  // of the taps
  // [kChunk shifts][n_steps][32 lanes][4] pairs of halves: real part of values 2 (lane % 4) + 0, 1 and + 8, 9 of the
  // step for output lane / 4, then the imaginary part (PTX ISA: mma.m16n8k16, fragment of B).
  std::vector<std::uint32_t> matrices;
};

// For up to kFirBlock phases of interpolation.
PackedTaps make_packed_taps(const PackedFir& fir);

// Half-precision form of conditioned lines for the tuned delay-and-sum; kernels, plan and tests must agree on it to the
// bit.
//
// A word holds a sample and the step to the next one: (I, Q) and (I', Q') x 2^13, halves. A delay is a whole number of
// 1/2048 samples; its low 11 bits, read as a half, are the fraction x 2^-13 exactly (a half's smallest step is 2^-24,
// for subnormal numbers and the first normal ones). The interpolated sample is then one packed multiply-add.

inline constexpr int kDelayBits = 11;                  // of a delay's fraction
inline constexpr float kDelayUnits = 1 << kDelayBits;  // delay units in a sample
inline constexpr unsigned kFractionMask = (1U << kDelayBits) - 1U;
inline constexpr float kStepScale = 8192.0f;  // 2^13 = 2^24 / 2^kDelayBits
// Added to a delay below 2^23 units, makes the float's bits the rounded delay (plus kDelayMagicBits).
inline constexpr float kDelayMagic = 8388608.0f;  // 2^23
inline constexpr int kDelayMagicBits = 0x4B000000;
inline constexpr int kLargestWindow = 1 << (23 - kDelayBits);  // words: address range of such a float

// Rectangle of pixels summed by one block of threads. A thread has n_pixels (PackedForm) of one column, with a distance
// of the number of rows of threads: tile_z / n_pixels.
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

// Returns the place of a thread's first pixel in the tile. Threads past the last row of threads are idle: z is tile_z /
// n_pixels or more.
ECHO_HD TilePlace tile_place(const TileShape& tile, int thread) {
  if (tile.warp_x == 0) return {thread % tile.tile_x, thread / tile.tile_x};
  const int lane = thread % 32;
  const int warp = thread / 32;
  const int across = tile.tile_x / tile.warp_x;
  return {warp % across * tile.warp_x + lane % tile.warp_x, warp / across * (32 / tile.warp_x) + lane / tile.warp_x};
}

}  // namespace echoloop
