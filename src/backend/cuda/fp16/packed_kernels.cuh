// Kernels of the tuned delay-and-sum (packed_das_kernel.cuh): all forms for one kind of weight on one kind of grid.
#pragma once

#include <utility>

#include "backend/cuda/fp16/packed_das_kernel.cuh"

namespace echoloop::cuda {

// kF: frames summed together; more than one needs more shared memory than multiprocessors before 8.0 have.
template <GridKind kGrid, Rotation kRotation, WeightKind kWeight, int kT, int kP, int kU, int kF, PackedMethod kMethod,
          int kThreads, int kBlocks>
__global__ void __launch_bounds__(kThreads, kBlocks) packed_das_kernel(const __grid_constant__ PackedDasArgs args) {
#if __CUDA_ARCH__ >= 800
  constexpr bool kCompiled = true;
#else
  constexpr bool kCompiled = kF == 1;
#endif
  if constexpr (kCompiled) PackedDas<kGrid, kRotation, kWeight, kT, kP, kU, kF, kMethod>::run(args);
}

template <GridKind kGrid, WeightKind kWeight, std::size_t kForm, int kF, PackedMethod kMethod = PackedMethod::das>
const void* packed_kernel() {
  constexpr PackedForm kOf = kPackedForms[kForm];
  if constexpr (is_compiled(kOf, kMethod)) {
    return reinterpret_cast<const void*>(
        &packed_das_kernel<kGrid, kOf.rotation, kWeight, kOf.n_transmits, kOf.n_pixels, kOf.unroll, kF, kMethod,
                           kOf.max_threads, kOf.blocks_per_sm>);
  } else {
    return nullptr;
  }
}

template <GridKind kGrid, WeightKind kWeight, std::size_t... kForm>
PackedKernels packed_kernels(std::index_sequence<kForm...>) {
  return {{packed_kernel<kGrid, kWeight, kForm, 1>()...},
          {packed_kernel<kGrid, kWeight, kForm, kPackedForms[kForm].most_frames>()...}};
}

template <GridKind kGrid, WeightKind kWeight, PackedMethod kMethod, std::size_t... kForm>
CoherenceKernels coherence_kernels(std::index_sequence<kForm...>) {
  return {{packed_kernel<kGrid, kWeight, kForm, 1, kMethod>()...}};
}

template <GridKind kGrid, WeightKind kWeight>
CoherenceKernels coherence_kernels_of(PackedMethod method) {
  using Forms = std::make_index_sequence<kPackedFormCount>;
  if (method == PackedMethod::coherence) return coherence_kernels<kGrid, kWeight, PackedMethod::coherence>(Forms{});
  return coherence_kernels<kGrid, kWeight, PackedMethod::coherence_of_transmits>(Forms{});
}

}  // namespace echoloop::cuda
