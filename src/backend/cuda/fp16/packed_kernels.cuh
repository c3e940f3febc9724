// The kernels of the tuned delay-and-sum (packed_das_kernel.cuh): all forms for one kind of weight on one lattice.
#pragma once

#include <utility>

#include "backend/cuda/fp16/packed_das_kernel.cuh"

namespace echoloop::cuda {

template <PixelLattice kLattice, Rotation kRotation, WeightKind kWeight, int kT, int kP, int kU, int kThreads,
          int kBlocks>
__global__ void __launch_bounds__(kThreads, kBlocks) packed_das_kernel(const __grid_constant__ PackedDasArgs args) {
  PackedDas<kLattice, kRotation, kWeight, kT, kP, kU>::run(args);
}

template <PixelLattice kLattice, WeightKind kWeight, std::size_t kForm>
const void* packed_kernel() {
  constexpr PackedForm kF = kPackedForms[kForm];
  return reinterpret_cast<const void*>(&packed_das_kernel<kLattice, kF.rotation, kWeight, kF.n_transmits, kF.n_pixels,
                                                          kF.unroll, kF.max_threads, kF.blocks_per_sm>);
}

template <PixelLattice kLattice, WeightKind kWeight, std::size_t... kForm>
PackedKernels packed_kernels(std::index_sequence<kForm...>) {
  return {{packed_kernel<kLattice, kWeight, kForm>()...}};
}

}  // namespace echoloop::cuda
