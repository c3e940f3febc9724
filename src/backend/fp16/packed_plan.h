// Plan of the tuned delay-and-sum beyond the plain one's tables: tiles of the image, window of each line and elements
// that a tile reads, and order of the blocks. A pure function of the plan's geometry, independent of CUDA, so that
// every index can be checked on any machine.
#pragma once

#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include "core/acquisition.h"
#include "core/grid.h"
#include "core/hd.h"
#include "core/params.h"
#include "dsp/das.h"
#include "dsp/methods/method.h"
#include "dsp/packed_fir.h"

namespace echoloop {

// Device properties used by plans of the kernels in half precision.

// Defaults: H200.
struct Multiprocessors {
  int count = 132;                // 0: no kernels in half precision
  int shared_bytes = 228 * 1024;  // of one, for all its blocks
  int reserved_bytes = 1024;      // of it, per block
  int code = 90;                  // ten times the compute capability of the compiled kernels: 75, 80, 90
  // Returns the bytes available to each of `blocks` on a multiprocessor.
  [[nodiscard]] int shared_of_block(int blocks) const { return shared_bytes / blocks - reserved_bytes; }
  friend bool operator==(const Multiprocessors&, const Multiprocessors&) = default;
};
inline constexpr Multiprocessors kSinglePrecisionOnly{.count = 0, .shared_bytes = 0, .reserved_bytes = 0};

inline int divide_up(int a, int b) { return (a + b - 1) / b; }

struct BandPlan;
struct DasPlan;

// Weight of an element at a pixel; on a polar grid `none` or `general`.
enum class WeightKind {
  none,     // 1
  element,  // the same for every pixel
  box,      // flat array, |x - x_e| <= z / (2 F)
  general,  // any window over any array, directivity
};
inline constexpr int kWeightKinds = 4;

// Order of the two phase rotations of a delay-sum.
enum class Rotation {
  receive_first,   // per-transmit sums of samples turned by the receive phase; few transmits
  transmit_first,  // per-element sums of samples turned by the transmit phase; many transmits
};

// Result made of the delayed samples.
enum class PackedMethod {
  das,
  coherence,               // CoherenceFactor of all channels: one energy per pixel
  coherence_of_transmits,  // per transmit over elements, or over transmits: a sum and an energy of each
};
// Returns nullopt if half precision does not support the method.
std::optional<PackedMethod> packed_method(const MethodSettings& settings);

// Compiled form of the kernel (for every WeightKind and GridKind).
struct PackedForm {
  Rotation rotation;
  int n_transmits;  // summed together
  int n_pixels;     // per thread
  int unroll;       // elements whose work is interleaved
  int max_threads;  // of a block, the fetching warp included
  int blocks_per_sm;
  int most_frames = 1;  // frames summed together: delays and phases are computed once for them
  friend bool operator==(const PackedForm&, const PackedForm&) = default;
};
// Returns true if a form is compiled for a method: energies are of samples before their turn, and need registers.
constexpr bool is_compiled(const PackedForm& form, PackedMethod method) {
  if (method == PackedMethod::das) return true;
  return form.rotation == Rotation::receive_first && form.n_transmits * form.n_pixels <= 6;
}

// Weight at place u in the aperture: sum of c[k] (max(|u| - flat, 0)^2)^k, 0 beyond |u| = 1/2.
struct WindowPolynomial {
  float flat = 0.0f;
  float c[7] = {1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
};
WindowPolynomial make_window_polynomial(Apodization window);

// Work of a block: elements [first_element, first_element + n_elements) of one group of transmits for one tile.
struct PackedItem {
  int tile;
  int part;  // transmit group * n_splits + split
  int first_element;
  int n_elements;
};

// Tunable numbers of the kernel for one image size.
struct PackedTuning {
  PackedForm form;
  TileShape tile;
  int n_splits = 1;        // blocks that share a tile's elements
  int stage_elements = 8;  // elements fetched together, at most
  int n_slots = 4;         // stages in flight, at most
};

inline constexpr int kMaxStageElements = 16;
inline constexpr int kMostBlockElements = 1024;  // their records fill a quarter of a block's shared memory
// Elements whose products are summed in halves before the sums become floats: relative errors of 7e-4 (noise) and 3e-4
// (points) with 8, 1.0e-3 and 5e-4 with 32, 1.3e-3 and 7e-4 with 64 (S1 of tests/bench).
inline constexpr int kHalfSumElements = 32;
inline constexpr int kMaxStageSlots = 8;

// Offsets in a block's shared memory, in bytes; used by kernel and host.
struct PackedShared {
  int records;  // float4 per element: x, z (radians), window start, weight
  int normals;  // float4 per element, for WeightKind::general
  int starts;   // int: rx_start of the elements
  int phasors;  // half2 per (pixel, transmit) of each summing thread, for Rotation::receive_first
  int ring;     // [n_slots][stage_elements][n_transmits][window] words; frames together: frame_ring() bytes apart
  int total;
};
// Returns the bytes between the rings of n_frames frames summed together: a constant of their loads. With two blocks
// per multiprocessor of an H200, each has 113 KiB for the rings and all else.
ECHO_HD constexpr int frame_ring(int n_frames) { return 104 * 1024 / n_frames / 1024 * 1024; }
inline constexpr int kBarrierBytes = 2 * kMaxStageSlots * 8 + 16;  // full, empty; flag of the last block

struct PackedSizes {
  WeightKind weight;
  Rotation rotation;
  int n_el;  // of a block's item, at most
  int n_transmits;
  int phasors;  // of the block: pixels * transmits * summing threads
  int window;
  int stage_elements;
  int n_slots;
  int n_frames = 1;  // summed together
};

ECHO_HD PackedShared packed_shared(const PackedSizes& n) {
  PackedShared s{};
  s.records = kBarrierBytes;
  s.normals = s.records + n.n_el * 16;
  s.starts = s.normals + (n.weight == WeightKind::general ? n.n_el * 16 : 0);
  s.phasors = s.starts + n.n_el * 4;
  s.ring = (s.phasors + (n.rotation == Rotation::receive_first ? n.phasors * 4 : 0) + 127) / 128 * 128;
  s.total =
      s.ring + (n.n_frames - 1) * frame_ring(n.n_frames) + n.n_slots * n.stage_elements * n.n_transmits * n.window * 8;
  return s;
}

// Samples of each line that a tile can need: from tables and tile alone, so that plans share it while a window slides.
struct PackedWindows {
  TileShape tile;
  int length = 0;             // words of a line that a tile can need, even
  std::vector<int> rx_start;  // [n_tiles][n_el] samples: window start of an element's lines ...
  std::vector<int> tx_start;  // [n_tiles][n_tx] ... plus this per transmit
};

// Part of the lines that a block keeps in shared memory.
struct PackedStages {
  int elements = 0;  // of a stage; 0: no stage fits
  int n_slots = 0;
  int shared_bytes = 0;  // of a block, in total
};

struct PackedPlan {
  PackedTuning tuning;    // as possible: fewer stages or elements than requested for large windows
  PackedStages together;  // of form.most_frames frames summed together
  GridKind grid = GridKind::cartesian;
  WeightKind weight = WeightKind::none;
  PackedMethod method = PackedMethod::das;
  int tiles_across = 0;
  int tiles_down = 0;
  int n_groups = 0;         // of transmits
  int summing_threads = 0;  // of a block; one more warp fetches
  int window = 0;           // = windows->length
  int n_words = 0;          // words of a line, even; `window` zero words precede and follow each line
  int pitch = 0;            // words from one line to the next
  int shared_bytes = 0;
  int most_elements = 0;          // of an item
  float radians_per_m = 0.0f;     // receive phase: 2 pi demod / c
  float units_per_radian = 0.0f;  // delay units
  WindowPolynomial window_weight;
  std::shared_ptr<const PackedWindows> windows;
  std::vector<PackedItem> items;  // one per block, in starting order
  [[nodiscard]] int n_tiles() const { return tiles_across * tiles_down; }
  [[nodiscard]] int n_parts() const { return n_groups * tuning.n_splits; }
};

// Compiled forms.
inline constexpr PackedForm kPackedForms[] = {
    {Rotation::receive_first, 3, 2, 4, 288, 2, 2},    // few transmits, small images
    {Rotation::receive_first, 3, 4, 2, 288, 2},       // few transmits
    {Rotation::transmit_first, 15, 1, 1, 512, 2, 3},  // many transmits
    {Rotation::receive_first, 1, 4, 1, 512, 2},       // one transmit; long windows
};
inline constexpr int kPackedFormCount = static_cast<int>(std::size(kPackedForms));

inline constexpr int kMostFramesAtOnce = 8;

// Returns true if frames can be conditioned together.
bool may_be_together(const Acquisition& acquisition);
// Returns the number of frames to process together, above 1 if copying a frame and making its image takes the device
// less time than the host's work per launch.
int small_frames_at_once(const Acquisition& acquisition, std::size_t n_pixels);

// Returns the numbers of each form for an image, fastest first by measurement: a function of image size, counts of
// elements, transmits, frames together, and multiprocessors.
std::vector<PackedTuning> rank_tunings(const DasGeometry& geometry, const Multiprocessors& device = {},
                                       int frames_together = 1, PackedMethod method = PackedMethod::das);

// Returns the filter from a band to lines of this rate and demodulation frequency.
PackedFir make_packed_fir(const Acquisition& acquisition, double low_hz, double high_hz, double line_rate_hz,
                          double demod_hz);

// Returns null if the tuned kernel does not support the geometry (pointers to host memory): windows too large for
// shared memory (a steep delay law, a huge tile), non-finite delays, lines without demodulation, scan lines.
// `previous`: a plan of the same tables, or null.
std::shared_ptr<const PackedPlan> make_packed_plan(const DasGeometry& geometry, const PackedTuning& tuning,
                                                   const Multiprocessors& device = {},
                                                   const PackedPlan* previous = nullptr,
                                                   PackedMethod method = PackedMethod::das);
// Uses the first tuning of the ranking that fits.
std::shared_ptr<const PackedPlan> choose_packed_plan(const DasGeometry& geometry, const Multiprocessors& device,
                                                     int frames_together, const PackedPlan* previous,
                                                     PackedMethod method = PackedMethod::das);

// Lines of a lower rate than the plain path's, and their filter.
struct PackedLines {
  std::shared_ptr<const BandPlan> band;  // rates only: no response
  PackedFir fir;
  PackedTaps taps;  // of fir
};

// Analytic recipe in half precision: PackedLines and the order of work on an image.
struct PackedFormation {
  std::shared_ptr<const BandPlan> band;  // rates only: no response
  std::shared_ptr<const PackedFir> fir;
  std::shared_ptr<const PackedTaps> taps;  // of fir
  int fir_parts = 1;                       // parts of a line, one per block
  std::shared_ptr<const DasPlan> das;
  std::shared_ptr<const PackedPlan> tiles;
  const char* why_not = nullptr;  // reason for no `tiles`, or null
};

// Layout of a line in the shared memory of a block, for the tuned conditioner (backend/cuda/fp16/packed_fir_launch.cu).

inline constexpr int kTileBlocks = 16;  // rows of a matrix instruction: blocks of outputs

// Returns the tiles that a warp processes together; their blocks of outputs are interleaved, so that a chunk of samples
// read for one serves the others a few steps later.
ECHO_HD constexpr int fir_tiles(int block_chunks) { return block_chunks <= 2 ? 4 : block_chunks <= 8 ? 2 : 1; }
// Returns the chunks kept in registers for that.
ECHO_HD constexpr int fir_queue(int block_chunks) { return (block_chunks * (fir_tiles(block_chunks) - 1) + 3) / 2 * 2; }
// Returns the blocks per multiprocessor that registers must allow.
ECHO_HD constexpr int fir_blocks(int block_chunks) { return block_chunks == 4 || block_chunks > 8 ? 4 : 3; }
ECHO_HD constexpr bool fir_taps_in_shared(int block_chunks) { return block_chunks <= 8; }

// Offsets in a block's shared memory, in units of 16 bytes. A block makes one part of a line: `part_units` units and,
// if others follow, the next one, whose first output ends the step from the part's last. A warp computes one unit at
// once: 16 rows of `row` chunks, a gap after each row. The gaps keep the eight rows read together in different banks.
struct FirLayout {
  int line_units;  // of the whole line
  int n_parts;     // of a line
  int part_units;
  int n_units;  // of a block, at most
  int unit_outputs;
  int row_log2;
  int n_chunks;
  int taps;  // offsets
  int ends;  // float2 [n_units][2]: a unit's first and last output
  int total;
};

inline FirLayout fir_layout(const PackedTaps& taps, int n_valid, int n_parts) {
  FirLayout at{};
  const int tiles = fir_tiles(taps.block_chunks);
  at.unit_outputs = kTileBlocks * kFirBlock * tiles;
  at.line_units = (n_valid + at.unit_outputs - 1) / at.unit_outputs;
  at.part_units = (at.line_units + n_parts - 1) / n_parts;
  at.n_parts = (at.line_units + at.part_units - 1) / at.part_units;  // no part is empty
  at.n_units = at.n_parts == 1 ? at.part_units : at.part_units + 1;
  const int row = tiles * taps.block_chunks;
  while (1 << at.row_log2 < row) ++at.row_log2;
  at.n_chunks = row * (kTileBlocks * at.n_units - 1) + fir_queue(taps.block_chunks) + 2 * taps.n_steps;
  at.taps = at.n_chunks + (at.n_chunks >> at.row_log2) + 1;
  at.ends = at.taps + (fir_taps_in_shared(taps.block_chunks) ? taps.n_steps * 32 : 0);
  at.total = at.ends + at.n_units;
  return at;
}

// Returns the bytes of a block, with the kernel's own variables.
inline int fir_shared_bytes(const FirLayout& at) { return 16 * at.total + 64; }

// Returns the parts of a line: one if it fits a multiprocessor, otherwise the fewest that allow two blocks at once; 0:
// no unit fits.
inline int fir_parts(const PackedTaps& taps, int n_valid, const Multiprocessors& device) {
  const auto fits = [&](int parts, int blocks) {
    return fir_shared_bytes(fir_layout(taps, n_valid, parts)) <= device.shared_of_block(blocks);
  };
  if (fits(1, 1)) return 1;
  const int most = fir_layout(taps, n_valid, 1).line_units;
  for (int parts = 2; parts <= most; ++parts)
    if (fits(parts, 2)) return parts;
  return 0;
}

}  // namespace echoloop
