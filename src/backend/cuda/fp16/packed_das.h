// Tuned delay-and-sum: arguments and launch. The kernel is in packed_das_kernel.cuh, the plan in
// backend/fp16/packed_plan.h. Compiled for compute capabilities 7.5, 8.x and 9.0 (packed_barrier.cuh).
#pragma once

#include <cuda_runtime_api.h>

#include "backend/cuda/runtime/launch.h"
#include "backend/cuda/runtime/stream.h"
#include "backend/fp16/packed_plan.h"

namespace echoloop::cuda {

enum class PackedResult { pixels, magnitudes, decibels };

// Frames at once, each with its own words, partials, arrivals and decibels. The grid's y counts them, or the groups
// summed together.
struct PackedFrames {
  int first = 0;                          // of the launch
  int count = 1;                          // of all launches
  void* results[kMostFramesAtOnce] = {};  // [nz][nx] or null
  float reference_db = 0.0f;
  PackedResult kind = PackedResult::decibels;  // Complex, float, or float against reference_db
};

// Output of a single frame, [nz][nx].
struct PackedImage {
  Complex* pixels;
  float* envelope;
};

// Coherence factor in addition to the delay-and-sum (PackedMethod).
struct PackedCoherence {
  AdaptiveAxis axis = AdaptiveAxis::both;
  float strength = 1.0f;
  // W and n of the channels (dsp/methods/coherence.h): axis elements halves, [n_tx][nz][nx]; else floats, [nz][nx].
  const void* counts = nullptr;
};
// Returns the bytes of `counts`.
std::size_t coherence_count_bytes(const DasGeometry& geometry, AdaptiveAxis axis);
void count_channels(const DasGeometry& geometry, AdaptiveAxis axis, void* counts, StreamView stream);

struct PackedDasArgs {
  DasGeometry geometry;  // pointers: the device's
  const uint2* words;    // line (tx, el) begins at (tx * n_el + el) * pitch + window
  const float* scale;    // one float: amplitude of a value of 1 in the words
  int pitch;             // words from one line to the next
  int n_words;           // of a line; even; `window` zero words precede and follow each line
  int window;            // words of a line that a tile can need; even
  TileShape tile;
  int tiles_across;
  int n_parts;             // blocks that share a tile
  int n_splits;            // of them, along the elements
  int most_elements;       // of an item
  int stage_elements;      // elements fetched together
  int n_slots;             // stages in flight
  int stages_a_turn;       // stages whose sums of halves are kept together
  unsigned word_bytes;     // 8: an argument, so that the compiler multiplies by it instead of shifting and masking
  float radians_per_m;     // receive phase: 2 pi demod / c
  float units_per_radian;  // delay units
  WindowPolynomial window_weight;
  const PackedItem* items;
  const int* rx_start;  // [n_tiles][n_el] samples: window start of an element's lines ...
  const int* tx_start;  // [n_tiles][n_tx] ... plus this per transmit
  Complex* partials;    // [n_frames][n_parts][nz][nx], with more than one part; coherence factor: two, sum and rest
  unsigned* arrivals;   // [n_frames][n_tiles], zero between frames
  PackedImage image;
  PackedFrames frames;
  PackedCoherence coherence;
};

// Compiled kernels of one kind of weight on one kind of grid, in the order of kPackedForms.
struct PackedKernels {
  const void* of_form[kPackedFormCount];
  const void* of_together[kPackedFormCount];  // for form.most_frames frames
};
PackedKernels packed_kernels_none();
PackedKernels packed_kernels_element();
PackedKernels packed_kernels_box();
PackedKernels packed_kernels_general();
PackedKernels packed_kernels_polar_none();
PackedKernels packed_kernels_polar_general();
// Kernels of one method; null if a form is not compiled for it.
struct CoherenceKernels {
  const void* of_form[kPackedFormCount];
};
// For WeightKind::none, box or general; polar: not box.
CoherenceKernels coherence_kernels_cartesian(PackedMethod method, WeightKind weight);
CoherenceKernels coherence_kernels_polar(PackedMethod method, WeightKind weight);

// Device memory of a plan and a frame.
struct PackedMemory {
  DasGeometry geometry;  // device pointers
  const uint2* words;
  const float* scale;
  const PackedItem* items;
  const int* rx_start;
  const int* tx_start;
  Complex* partials;   // [n_frames][n_parts][nz][nx], with more than one part
  unsigned* arrivals;  // [n_frames][n_tiles], zeroed once
  Complex* pixels;
  float* envelope;
};
PackedDasArgs packed_das_args(const PackedPlan& plan, const PackedMemory& memory);

// Returns ten times the compute capability of the code for the current device; 0: none.
int packed_das_code();
// Returns the earliest start of kernels of that code: early for compute capability 9.0, in turn before. [any thread]
LaunchStart earliest_start();
// Allows the kernel its shared memory; before the first launch of a plan.
void allow_packed_das(const PackedPlan& plan);
// Launches plan.together for groups of frames, the rest one by one.
void run_packed_das(const PackedPlan& plan, const PackedDasArgs& args, int n_frames, StreamView stream);

}  // namespace echoloop::cuda
