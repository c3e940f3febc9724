// Kernels of the tuned coherence factor for GridKind::cartesian, and the count of channels.
#include "backend/cuda/fp16/packed_kernels.cuh"
#include "backend/cuda/runtime/cuda_error.h"
#include "backend/cuda/runtime/launch.cuh"
#include "dsp/methods/das_channels.h"

namespace echoloop::cuda {
namespace {

// One thread per pixel. The sums of samples (packed_das_kernel.cuh) read zeros outside the record.
__global__ void count_kernel(DasGeometry g, AdaptiveAxis axis, void* counts) {
  const long long n_pixels = static_cast<long long>(g.nx) * g.nz;
  const long long pixel = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (pixel >= n_pixels) return;
  const DasChannels<DasForm::general> channels(g, nullptr, static_cast<int>(pixel % g.nx),
                                               static_cast<int>(pixel / g.nx));
  float2 all{0.0f, 0.0f};
  for (int t = 0; t < g.n_tx; ++t) {
    const auto transmit = channels.transmit(t);
    float2 of_elements{0.0f, 0.0f};
    for (int e = 0; e < g.n_el; ++e) {
      const auto element = channels.element(e);
      if (element.weight == 0.0f || !channels.recorded(transmit, element)) continue;
      of_elements.x += fabsf(element.weight);
      of_elements.y += 1.0f;
    }
    if (axis == AdaptiveAxis::elements) {
      static_cast<__half2*>(counts)[t * n_pixels + pixel] = __float22half2_rn(of_elements);
    } else if (transmit.weight != 0.0f && of_elements.y > 0.0f) {
      const bool both = axis == AdaptiveAxis::both;
      all.x += fabsf(transmit.weight) * (both ? of_elements.x : 1.0f);
      all.y += both ? of_elements.y : 1.0f;
    }
  }
  if (axis != AdaptiveAxis::elements) static_cast<float2*>(counts)[pixel] = all;
}

std::size_t pixels_of(const DasGeometry& g) { return static_cast<std::size_t>(g.nx) * static_cast<std::size_t>(g.nz); }

}  // namespace

std::size_t coherence_count_bytes(const DasGeometry& g, AdaptiveAxis axis) {
  if (axis != AdaptiveAxis::elements) return pixels_of(g) * sizeof(float2);
  return pixels_of(g) * static_cast<std::size_t>(g.n_tx) * sizeof(__half2);
}

void count_channels(const DasGeometry& g, AdaptiveAxis axis, void* counts, StreamView stream) {
  count_kernel<<<blocks_for(pixels_of(g)), kThreads, 0, stream.get()>>>(g, axis, counts);
  CUDA_CHECK_LAUNCH("count_channels");
}

CoherenceKernels coherence_kernels_cartesian(PackedMethod method, WeightKind weight) {
  if (weight == WeightKind::none) return coherence_kernels_of<GridKind::cartesian, WeightKind::none>(method);
  if (weight == WeightKind::box) return coherence_kernels_of<GridKind::cartesian, WeightKind::box>(method);
  return coherence_kernels_of<GridKind::cartesian, WeightKind::general>(method);
}

}  // namespace echoloop::cuda
