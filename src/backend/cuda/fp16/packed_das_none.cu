// The tuned delay-and-sum's kernels for WeightKind::none.
#include "backend/cuda/fp16/packed_kernels.cuh"

namespace echoloop::cuda {

PackedKernels packed_kernels_none() {
  return packed_kernels<GridKind::cartesian, WeightKind::none>(std::make_index_sequence<kPackedFormCount>());
}

}  // namespace echoloop::cuda
