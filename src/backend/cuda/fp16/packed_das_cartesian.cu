// The tuned delay-and-sum's kernels for WeightKind::general.
#include "backend/cuda/fp16/packed_kernels.cuh"

namespace echoloop::cuda {

PackedKernels packed_kernels_general() {
  return packed_kernels<GridKind::cartesian, WeightKind::general>(std::make_index_sequence<kPackedFormCount>());
}

}  // namespace echoloop::cuda
