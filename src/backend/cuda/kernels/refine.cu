// Refine stage: the functions of dsp/refine.h, one thread a pixel; Gaussians are in smooth.cu. A warp is 32 pixels of a
// row; neighbours come from the caches, which hold a whole image.
#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/runtime/launch.cuh"
#include "dsp/level.h"

namespace echoloop::cuda {
namespace {

constexpr int kTileX = 32;
constexpr int kTileZ = 4;

template <class Pixel>
__global__ void __launch_bounds__(kTileX* kTileZ)
    picture_kernel(PictureView view, Pixel pixel, float* __restrict__ to) {
  const int ix = static_cast<int>(blockIdx.x) * kTileX + static_cast<int>(threadIdx.x);
  const int iz = static_cast<int>(blockIdx.y) * kTileZ + static_cast<int>(threadIdx.y);
  if (ix >= view.nx || iz >= view.nz) return;
  to[static_cast<long long>(iz) * view.nx + ix] = pixel(view, ix, iz);
}

template <class Pixel>
void launch(const PictureView& view, const Pixel& pixel, float* to, StreamView stream) {
  const dim3 blocks(static_cast<unsigned>((view.nx + kTileX - 1) / kTileX),
                    static_cast<unsigned>((view.nz + kTileZ - 1) / kTileZ));
  picture_kernel<<<blocks, dim3(kTileX, kTileZ), 0, stream.get()>>>(view, pixel, to);
  CUDA_CHECK_LAUNCH("an image filter");
}

__global__ void __launch_bounds__(kThreads) average_kernel(const __grid_constant__ AverageArgs a, std::size_t n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= n) return;
  const float mean = averaged(a.before[i], a.now[i], a.keep);
  a.average[i] = mean;
  a.db[i] = to_db(mean, a.measured_db != nullptr ? *a.measured_db : a.reference_db);
}

}  // namespace

void average_amplitudes(const AverageArgs& args, std::size_t n, StreamView stream) {
  average_kernel<<<blocks_for(n), kThreads, 0, stream.get()>>>(args, n);
  CUDA_CHECK_LAUNCH("average_amplitudes");
}

void filter_image(const PictureView& view, const PixelFilter& filter, float* to, StreamView stream) {
  std::visit([&](const auto& pixel) { launch(view, pixel, to, stream); }, filter);
}

}  // namespace echoloop::cuda
