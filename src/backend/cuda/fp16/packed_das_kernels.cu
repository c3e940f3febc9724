// Kernels of the tuned delay-and-sum and coherence factor (packed_das_kernel.cuh), all forms for each kind of weight
// and grid; and the count of channels.
#include <utility>

#include "backend/cuda/fp16/packed_das_kernel.cuh"
#include "backend/cuda/runtime/cuda_error.h"
#include "backend/cuda/runtime/launch.h"
#include "dsp/methods/das_channels.h"

namespace echoloop::cuda {

// kF: frames summed together; more than one needs more shared memory than multiprocessors before 8.0 have.
template <GridKind kGrid, Rotation kRotation, WeightKind kWeight, int kT, int kP, int kU, int kF, PackedMethod kMethod,
          int kThreads, int kBlocks>
__global__ void __launch_bounds__(kThreads, kBlocks) packed_das_kernel(const __grid_constant__ PackedDasArgs args) {
#if __CUDA_ARCH__ >= 800
  constexpr bool kCompiled = true;
#else
  constexpr bool kCompiled = kF == 1;
#endif
  if constexpr (kCompiled) PackedDas<kGrid, kRotation, kWeight, kT, kP, kU, kF, kMethod>::run(args);
}

template <GridKind kGrid, WeightKind kWeight, std::size_t kForm, int kF, PackedMethod kMethod = PackedMethod::das>
const void* packed_kernel() {
  constexpr PackedForm kOf = kPackedForms[kForm];
  if constexpr (is_compiled(kOf, kMethod)) {
    return reinterpret_cast<const void*>(
        &packed_das_kernel<kGrid, kOf.rotation, kWeight, kOf.n_transmits, kOf.n_pixels, kOf.unroll, kF, kMethod,
                           kOf.max_threads, kOf.blocks_per_sm>);
  } else {
    return nullptr;
  }
}

template <GridKind kGrid, WeightKind kWeight, std::size_t... kForm>
PackedKernels packed_kernels(std::index_sequence<kForm...>) {
  return {{packed_kernel<kGrid, kWeight, kForm, 1>()...},
          {packed_kernel<kGrid, kWeight, kForm, kPackedForms[kForm].most_frames>()...}};
}

template <GridKind kGrid, WeightKind kWeight, PackedMethod kMethod, std::size_t... kForm>
CoherenceKernels coherence_kernels(std::index_sequence<kForm...>) {
  return {{packed_kernel<kGrid, kWeight, kForm, 1, kMethod>()...}};
}

template <GridKind kGrid, WeightKind kWeight>
CoherenceKernels coherence_kernels_of(PackedMethod method) {
  using Forms = std::make_index_sequence<kPackedFormCount>;
  if (method == PackedMethod::coherence) return coherence_kernels<kGrid, kWeight, PackedMethod::coherence>(Forms{});
  return coherence_kernels<kGrid, kWeight, PackedMethod::coherence_of_transmits>(Forms{});
}

PackedKernels packed_kernels_none() {
  return packed_kernels<GridKind::cartesian, WeightKind::none>(std::make_index_sequence<kPackedFormCount>());
}

PackedKernels packed_kernels_box() {
  return packed_kernels<GridKind::cartesian, WeightKind::box>(std::make_index_sequence<kPackedFormCount>());
}

PackedKernels packed_kernels_element() {
  return packed_kernels<GridKind::cartesian, WeightKind::element>(std::make_index_sequence<kPackedFormCount>());
}

PackedKernels packed_kernels_general() {
  return packed_kernels<GridKind::cartesian, WeightKind::general>(std::make_index_sequence<kPackedFormCount>());
}

PackedKernels packed_kernels_polar_none() {
  return packed_kernels<GridKind::polar, WeightKind::none>(std::make_index_sequence<kPackedFormCount>());
}

PackedKernels packed_kernels_polar_general() {
  return packed_kernels<GridKind::polar, WeightKind::general>(std::make_index_sequence<kPackedFormCount>());
}

CoherenceKernels coherence_kernels_polar(PackedMethod method, WeightKind weight) {
  if (weight == WeightKind::none) return coherence_kernels_of<GridKind::polar, WeightKind::none>(method);
  return coherence_kernels_of<GridKind::polar, WeightKind::general>(method);
}

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
