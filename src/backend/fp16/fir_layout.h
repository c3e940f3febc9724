// How the tuned conditioner (backend/cuda/fp16/packed_fir_launch.cu) lays out a line in the shared memory of a block.
#pragma once

#include "backend/fp16/packed_plan.h"
#include "core/hd.h"
#include "dsp/packed_fir.h"

namespace echoloop {

inline constexpr int kTileBlocks = 16;  // rows of a matrix instruction: blocks of outputs

// Tiles that a warp works on together; their blocks of outputs are interleaved, so that a chunk of samples that it has
// read for one serves the others a few steps later.
ECHO_HD constexpr int fir_tiles(int block_chunks) { return block_chunks <= 2 ? 4 : block_chunks <= 8 ? 2 : 1; }
// Chunks that it keeps for that in registers.
ECHO_HD constexpr int fir_queue(int block_chunks) { return (block_chunks * (fir_tiles(block_chunks) - 1) + 3) / 2 * 2; }
// Blocks of a multiprocessor that registers must allow.
ECHO_HD constexpr int fir_blocks(int block_chunks) { return block_chunks == 4 || block_chunks > 8 ? 4 : 3; }
ECHO_HD constexpr bool fir_taps_in_shared(int block_chunks) { return block_chunks <= 8; }

// Where things lie in a block's shared memory, in units of 16 bytes. A block makes one part of a line: `part_units`
// units and, where others follow, the next one, whose first output ends the step from the part's last. A unit is what a
// warp computes at once: 16 rows of `row` chunks, a gap after each row. The gaps keep the eight rows that it reads
// together out of each other's banks.
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
  at.n_parts = (at.line_units + at.part_units - 1) / at.part_units;  // none is empty
  at.n_units = at.n_parts == 1 ? at.part_units : at.part_units + 1;
  const int row = tiles * taps.block_chunks;
  while (1 << at.row_log2 < row) ++at.row_log2;
  at.n_chunks = row * (kTileBlocks * at.n_units - 1) + fir_queue(taps.block_chunks) + 2 * taps.n_steps;
  at.taps = at.n_chunks + (at.n_chunks >> at.row_log2) + 1;
  at.ends = at.taps + (fir_taps_in_shared(taps.block_chunks) ? taps.n_steps * 32 : 0);
  at.total = at.ends + at.n_units;
  return at;
}

// Of a block, with what the kernel declares itself.
inline int fir_shared_bytes(const FirLayout& at) { return 16 * at.total + 64; }

// Parts that a line is cut into: one where a multiprocessor has room for it, otherwise as many as let it work on two at
// once; 0: not even a unit fits.
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
