// The tuned delay-and-sum's kernels for WeightKind::element.
#include "backend/cuda/fp16/packed_kernels.cuh"

namespace echoloop::cuda {

PackedKernels packed_kernels_element() {
  return packed_kernels<GridKind::cartesian, WeightKind::element>(std::make_index_sequence<kPackedFormCount>());
}

}  // namespace echoloop::cuda
