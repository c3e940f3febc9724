// The tuned delay-and-sum's kernels for WeightKind::box.
#include "backend/cuda/fp16/packed_kernels.cuh"

namespace echoloop::cuda {

PackedKernels packed_kernels_box() {
  return packed_kernels<GridKind::cartesian, WeightKind::box>(std::make_index_sequence<kPackedFormCount>());
}

}  // namespace echoloop::cuda
