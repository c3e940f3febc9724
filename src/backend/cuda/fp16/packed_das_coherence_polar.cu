// The tuned coherence factor's kernels for GridKind::polar.
#include "backend/cuda/fp16/packed_kernels.cuh"

namespace echoloop::cuda {

CoherenceKernels coherence_kernels_polar(PackedMethod method, WeightKind weight) {
  if (weight == WeightKind::none) return coherence_kernels_of<GridKind::polar, WeightKind::none>(method);
  return coherence_kernels_of<GridKind::polar, WeightKind::general>(method);
}

}  // namespace echoloop::cuda
