// The condition stage of the tuned path in one launch: raw samples to packed words (dsp/packed_fir.h, dsp/packed.h).
#pragma once

#include <cuda_runtime_api.h>

#include <cmath>

#include "backend/cuda/stream.h"
#include "core/acquisition.h"
#include "dsp/complex.h"
#include "dsp/hd.h"
#include "dsp/packed_fir.h"

namespace echoloop::cuda {

inline constexpr int kFirThreads = 288;    // of a block, at most
inline constexpr int kPeakPartials = 256;  // blocks that look for the frame's largest sample

struct PackedFirArgs {
  const std::byte* raw;  // [n_lines][n_samples][components]
  int n_lines;
  int n_samples;
  int components;
  int decimation_log2;
  int interpolation;
  int taps_per_plane;
  int n_line_taps;      // of the second filter; 0: none
  int n_out;            // output samples to compute
  int n_valid;          // of them, within the record
  int pitch;            // words from one line to the next
  int window;           // words of zeros before each line
  unsigned turns_step;  // 2^32 * turns of the mixer per output sample
  bool remove_mean;
  float gain_bound;        // |y| <= gain_bound * largest |x|
  float full_scale;        // largest |x|; 0: from `peaks`
  const float* peaks;      // [kPeakPartials]
  const Complex* taps;     // [interpolation][components << decimation_log2][taps_per_plane]
  const Complex* dc_gain;  // [interpolation]
  const float* line_taps;  // [n_line_taps]
  uint2* words;            // [window] zeros, then [n_lines][pitch]
  float* scale;            // one float: what a value of 1 in the words stands for
};

// Gaps of 4 floats every 32 keep eight lanes that each read 16 bytes out of each other's banks.
ECHO_HD int fir_gaps(int place) { return place + (place >> 5) * 4; }
ECHO_HD int fir_output_place(int m) { return m + (m >> 3); }

// Where things lie in a block's shared memory, in floats, and how long they are; the kernel and the host ask the same
// function. Both filters work on whole blocks of places. With a second filter the first one starts kFirBlock places
// before the record and ends as many behind it, so that its transients are there to be filtered.
struct FirLayout {
  int extend;         // places before output 0
  int n_first;        // places that the first filter computes, of each interpolation phase
  int first_length;   // places of an input plane
  int first_stride;   // floats
  int second_length;  // places of a plane between the filters
  int second_stride;
  int n_last;  // places that the last filter computes
  int taps;    // offsets
  int line_taps;
  int second;
  int outputs;
  int total;
};

ECHO_HD FirLayout fir_layout(const PackedFirArgs& a) {
  FirLayout at{};
  const bool two = a.n_line_taps > 0;
  const int planes = a.components << a.decimation_log2;
  at.extend = two ? kFirBlock : 0;
  const int n_out = (a.n_out + a.interpolation - 1) / a.interpolation;
  at.n_last = (n_out + kFirBlock - 1) / kFirBlock * kFirBlock;
  at.n_first = at.n_last + 2 * at.extend;
  at.first_length = at.n_first + a.taps_per_plane;
  at.first_stride = fir_gaps(at.first_length - 1) / 4 * 4 + 4;
  at.second_length = two ? at.n_last + a.n_line_taps : 0;
  at.second_stride = two ? fir_gaps(at.second_length - 1) / 4 * 4 + 4 : 0;
  const int outputs = 2 * (fir_output_place(at.n_last * a.interpolation) + 1);
  const int inputs = planes * at.first_stride;
  at.outputs = two ? 0 : (inputs + 3) / 4 * 4;  // with two filters the inputs are done with when outputs come
  at.taps = (two ? (inputs > outputs ? inputs : outputs) : at.outputs + outputs) / 4 * 4 + 4;
  at.line_taps = at.taps + 2 * a.interpolation * planes * a.taps_per_plane;
  at.second = at.line_taps + a.n_line_taps;
  at.total = at.second + 2 * at.second_stride;
  return at;
}

inline int fir_shared_bytes(const PackedFirArgs& a) { return fir_layout(a).total * 4; }

// Device memory that a plan and a frame bring.
struct PackedFirMemory {
  const std::byte* raw;
  const float* peaks;
  const Complex* taps;
  const Complex* dc_gain;
  const float* line_taps;
  uint2* words;
  float* scale;
};
struct PackedLineShape {
  int n_valid;  // samples of a line within the record
  int pitch;    // words
  int window;
};
PackedFirArgs packed_fir_args(const Acquisition& acquisition, const PackedFir& fir, const PackedLineShape& shape,
                              const PackedFirMemory& memory);

// Before the first launch of a plan: lets the kernel have its shared memory.
void allow_packed_fir(int shared_bytes);
void run_packed_fir(const PackedFirArgs& args, SampleType type, StreamView stream);
// Words of the whole buffer.
inline std::size_t packed_words(int n_lines, const PackedLineShape& shape) {
  return static_cast<std::size_t>(shape.window) +
         static_cast<std::size_t>(n_lines) * static_cast<std::size_t>(shape.pitch);
}
// Largest |x| of a frame of floats, in parts: peaks [kPeakPartials].
void find_peaks(const float* raw, std::size_t n, float* peaks, StreamView stream);

}  // namespace echoloop::cuda
