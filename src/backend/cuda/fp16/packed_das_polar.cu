// The tuned delay-and-sum's kernels for GridKind::polar.
#include "backend/cuda/fp16/packed_kernels.cuh"

namespace echoloop::cuda {

PackedKernels packed_kernels_polar_none() {
  return packed_kernels<GridKind::polar, WeightKind::none>(std::make_index_sequence<kPackedFormCount>());
}

PackedKernels packed_kernels_polar_general() {
  return packed_kernels<GridKind::polar, WeightKind::general>(std::make_index_sequence<kPackedFormCount>());
}

}  // namespace echoloop::cuda
