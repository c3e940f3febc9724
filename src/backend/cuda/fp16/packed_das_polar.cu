// Kernels of the tuned delay-and-sum for GridKind::polar.
#include "backend/cuda/fp16/packed_kernels.cuh"

namespace echoloop::cuda {

PackedKernels packed_kernels_polar_none() {
  return packed_kernels<GridKind::polar, WeightKind::none>(std::make_index_sequence<kPackedFormCount>());
}

PackedKernels packed_kernels_polar_general() {
  return packed_kernels<GridKind::polar, WeightKind::general>(std::make_index_sequence<kPackedFormCount>());
}

// Kernels of the tuned coherence factor for GridKind::polar.

CoherenceKernels coherence_kernels_polar(PackedMethod method, WeightKind weight) {
  if (weight == WeightKind::none) return coherence_kernels_of<GridKind::polar, WeightKind::none>(method);
  return coherence_kernels_of<GridKind::polar, WeightKind::general>(method);
}

}  // namespace echoloop::cuda
