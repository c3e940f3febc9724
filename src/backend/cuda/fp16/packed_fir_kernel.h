// Condition stage of the tuned path in one launch: raw samples to packed words (dsp/packed_fir.h).
#pragma once

#include <cuda_runtime_api.h>

#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/runtime/stream.h"
#include "backend/fp16/packed_plan.h"
#include "core/acquisition.h"
#include "core/hd.h"
#include "dsp/packed_fir.h"

namespace echoloop::cuda {

inline constexpr int kFirThreads = 256;          // of a block, at most
inline constexpr int kPeakBlocks = 512;          // blocks that find the frame's largest sample first
inline constexpr float kLargestHalf = 16384.0f;  // value of a line's largest sample; minus the mean, up to twice as
                                                 // much

// Largest |x| of a part of a frame of floats, and the number of the launch that wrote it: one 8-byte word, so that a
// reader needs no other flag.
using FirPeak = unsigned long long;  // launch << 32 | bits of the float

struct PackedFirInput {
  const std::byte* raw = nullptr;  // [n_lines][n_values]
  InvalidSink invalid = {};
};

struct PackedFirArgs {
  PackedFirInput in;
  int n_lines;
  int n_values;    // of a line
  int components;  // 2: I and Q
  int spread;      // PackedTaps
  int block_chunks;
  int front;
  int n_steps;
  int n_valid;          // outputs within the record
  int pitch;            // words from one line to the next, even
  int window;           // words of zeros before each line, even
  unsigned turns_step;  // 2^32 * turns of the mixer per output sample
  bool remove_mean;
  float gain_bound;   // |y| <= gain_bound * largest |x|
  float full_scale;   // largest |x|; 0: the largest of `peaks`
  float word_scale;   // from sums of products of halves to words, for the line with the largest sample
  bool at_once;       // all blocks fit on the device: each writes its line's peak for the others
  unsigned launch;    // its number
  FirPeak* peaks;     // [n_peaks()]
  const uint4* taps;  // PackedTaps::matrices
  uint2* words;       // [window] zeros, then [n_lines][pitch]
  float* scale;       // one float: amplitude of a value of 1 in the words
  FirLayout at;
  ECHO_HD int n_peaks() const { return at_once ? n_lines : kPeakBlocks; }
};

inline int fir_shared_bytes(const PackedFirArgs& a) { return a.at.total * 16; }  // as requested

// Device memory of a plan and a frame.
struct PackedFirMemory {
  const std::byte* raw;
  FirPeak* peaks;  // [peak_slots()], initially zero
  const uint4* taps;
  uint2* words;
  float* scale;
};
inline std::size_t peak_slots(int n_lines) {
  return static_cast<std::size_t>(n_lines < kPeakBlocks ? kPeakBlocks : n_lines);
}
struct PackedLineShape {
  int n_valid;  // samples of a line within the record
  int pitch;    // words
  int window;
  int n_parts = 1;  // of a line, one per block
};
// Sets the arguments that do not depend on memory: `fir` and its matrices, for lines of this shape.
PackedFirArgs packed_fir_args(const Acquisition& acquisition, const PackedFir& fir, const PackedTaps& taps,
                              const PackedLineShape& shape, const PackedFirMemory& memory);

// Allows the kernel its shared memory and sets at_once if all its blocks fit on the device; before the first launch of
// a plan.
void allow_packed_fir(PackedFirArgs& args, SampleType type);
// Conditions a frame. Floats whose lines do not fit at once are scanned beforehand, in a launch of its own.
void run_packed_fir(PackedFirArgs& args, SampleType type, StreamView stream);
// Returns the words of the whole buffer.
inline std::size_t packed_words(int n_lines, const PackedLineShape& shape) {
  return static_cast<std::size_t>(shape.window) +
         static_cast<std::size_t>(n_lines) * static_cast<std::size_t>(shape.pitch);
}
// Writes the peaks of a frame of floats for the launch `args.launch`.
void find_peaks(const PackedFirArgs& args, StreamView stream);

}  // namespace echoloop::cuda
