// Kernels of the tuned delay-and-sum for WeightKind::none.
#include "backend/cuda/fp16/packed_kernels.cuh"

namespace echoloop::cuda {

PackedKernels packed_kernels_none() {
  return packed_kernels<GridKind::cartesian, WeightKind::none>(std::make_index_sequence<kPackedFormCount>());
}

// Kernels of the tuned delay-and-sum for WeightKind::box.

PackedKernels packed_kernels_box() {
  return packed_kernels<GridKind::cartesian, WeightKind::box>(std::make_index_sequence<kPackedFormCount>());
}

// Kernels of the tuned delay-and-sum for WeightKind::element.

PackedKernels packed_kernels_element() {
  return packed_kernels<GridKind::cartesian, WeightKind::element>(std::make_index_sequence<kPackedFormCount>());
}

// Kernels of the tuned delay-and-sum for WeightKind::general.

PackedKernels packed_kernels_general() {
  return packed_kernels<GridKind::cartesian, WeightKind::general>(std::make_index_sequence<kPackedFormCount>());
}

}  // namespace echoloop::cuda
