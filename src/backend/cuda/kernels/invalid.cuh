// Samples as the condition stage reads them: invalid ones (core/frame.h) are 0, and counted.
#pragma once

#include <cstdint>

#include "backend/cuda/kernels/kernels.h"
#include "core/frame.h"

namespace echoloop::cuda {

__device__ __forceinline__ float read_sample(std::int16_t v, unsigned& /*invalid*/) { return static_cast<float>(v); }
__device__ __forceinline__ float read_sample(float v, unsigned& invalid) {
  const bool valid = is_valid_sample(v);
  invalid += valid ? 0u : 1u;
  return valid ? v : 0.0f;
}

// Adds what this thread found in a line; nothing is written if it found none.
__device__ __forceinline__ void count_invalid(const InvalidSink& to, int line, unsigned invalid) {
  if (invalid == 0 || to.found == nullptr) return;
  atomicAdd(to.found->samples + line / to.frame_lines, invalid);
  const int element = line % to.n_elements;
  atomicOr(to.found->elements + element / 32, 1u << element % 32);
}

}  // namespace echoloop::cuda
