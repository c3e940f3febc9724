// Launches with attributes that <<<>>> lacks. Host code; processing thread.
#pragma once

#include <cstddef>

#include "backend/cuda/runtime/stream.h"

namespace echoloop::cuda {

// Helpers for launches; for .cu files only.

inline constexpr int kThreads = 256;

// Returns the blocks for one thread per item. Pixel counts stay below 2^27 and line counts below 2^28 (limits in
// core/): no overflow.
inline unsigned blocks_for(std::size_t n, int threads = kThreads) {
  return static_cast<unsigned>((n + static_cast<std::size_t>(threads) - 1) / static_cast<std::size_t>(threads));
}

enum class LaunchStart {
  in_turn,   // after the preceding kernel of the stream
  early,     // overlaps its last blocks: prepares, then waits for that kernel's results (programmatic launch)
  together,  // in turn, with all blocks at once: they may wait for each other (cooperative launch)
};

struct LaunchShape {
  std::size_t blocks;
  int rows = 1;      // of blocks: the grid's y
  int threads;       // of a block
  int shared_bytes;  // of a block, as requested
  LaunchStart start = LaunchStart::in_turn;
};

// Allows `kernel` any amount of dynamic shared memory that this device has. The limit belongs to the kernel, which
// several plans use at the same time, so it is the device's, never one plan's. Throws CudaError. [any thread]
inline void allow_all_shared_memory(const void* kernel) {
  int device = 0;
  int most = 0;  // bytes of a block, static and dynamic
  cudaFuncAttributes code{};
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  CUDA_CHECK(cudaFuncGetAttributes(&code, kernel));
  const int dynamic = most - static_cast<int>(code.sharedSizeBytes);
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic));
}

// `kernel` has one parameter, an Args by value.
template <class Args>
void launch(const void* kernel, const LaunchShape& shape, const Args& args, StreamView stream) {
  cudaLaunchAttribute attribute{};
  if (shape.start == LaunchStart::early) {
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  } else {
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  }
  const cudaLaunchConfig_t config{
      .gridDim = dim3(static_cast<unsigned>(shape.blocks), static_cast<unsigned>(shape.rows)),
      .blockDim = dim3(static_cast<unsigned>(shape.threads)),
      .dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes),
      .stream = stream.get(),
      .attrs = &attribute,
      .numAttrs = shape.start == LaunchStart::in_turn ? 0U : 1U};
  void* pointers[] = {const_cast<Args*>(&args)};
  CUDA_CHECK(cudaLaunchKernelExC(&config, kernel, pointers));
}

}  // namespace echoloop::cuda
