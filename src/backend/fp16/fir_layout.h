// Layout of a line in the shared memory of a block, for the tuned conditioner (backend/cuda/fp16/packed_fir_launch.cu).
#pragma once

#include "backend/fp16/packed_plan.h"
#include "core/hd.h"
#include "dsp/packed_fir.h"

namespace echoloop {

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
  for (int parts = 2; parts <= most; ++parts) {
    if (fits(parts, 2)) return parts;
  }
  return 0;
}

}  // namespace echoloop
