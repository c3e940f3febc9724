// The tuned path's filter (dsp/packed_fir.h) as matrices of halves for tensor cores.
//
// A block of kFirBlock outputs reads a stretch of `16 n_steps` values of its line; stretches of neighbouring blocks
// begin kFirBlock * place_values / interpolation values apart, a whole number of chunks (8 values: 16 bytes). So
// outputs of many blocks are the product of their stretches with one matrix [value of the stretch][output], a Toeplitz
// matrix that is the same for all of them; one for real parts, one for imaginary parts.
//
// Chunks are those of memory: a line begins `shift` values into one, and there is a set of matrices for each shift.
#pragma once

#include <cstdint>
#include <vector>

#include "dsp/packed_fir.h"

namespace echoloop {

inline constexpr int kChunk = 8;     // values; also the number of shifts
inline constexpr int kTapStep = 16;  // values of a stretch in one matrix instruction

struct PackedTaps {
  int spread = 1;  // a place takes so many times its own values: zeros between them, where blocks would be smaller
  int block_chunks = 0;  // from one block's stretch to the next
  int front = 0;         // chunks of silence before the line
  int n_steps = 0;
  float scale = 0.0f;  // of the taps
  // [kChunk shifts][n_steps][32 lanes][4] pairs of halves: real part of values 2 (lane % 4) + 0, 1 and + 8, 9 of the
  // step for output lane / 4, then the imaginary part (PTX ISA: mma.m16n8k16, fragment of B).
  std::vector<std::uint32_t> matrices;
};

// For up to kFirBlock phases of interpolation.
PackedTaps make_packed_taps(const PackedFir& fir);

}  // namespace echoloop
