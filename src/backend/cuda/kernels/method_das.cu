// Adaptive methods (dsp/methods/): one thread a pixel, with the pixel's channels as das_pixel() reads them. In blocks
// as those of das.cu.
#include "backend/cuda/kernels/kernels.h"
#include "dsp/methods/das_channels.h"
#include "dsp/methods/methods.h"

namespace echoloop::cuda {
namespace {

constexpr int kTileX = 32;
constexpr int kTileZ = 4;

template <DasForm form, class Method>
__global__ void __launch_bounds__(kTileX* kTileZ)
    method_kernel(const __grid_constant__ DasGeometry geometry, const Method method, const Complex* __restrict__ lines,
                  Complex* __restrict__ pixels, float* __restrict__ weights) {
  const int ix = static_cast<int>(blockIdx.x) * kTileX + static_cast<int>(threadIdx.x);
  const int iz = static_cast<int>(blockIdx.y) * kTileZ + static_cast<int>(threadIdx.y);
  if (ix >= geometry.nx || iz >= geometry.nz) return;
  const MethodPixel made = method(DasChannels<form>(geometry, lines, ix, iz));
  const long long at = static_cast<long long>(iz) * geometry.nx + ix;
  pixels[at] = made.sum;
  weights[at] = made.weight;
}

}  // namespace

void sum_by_method(const FormationParams& params, const DasGeometry& g, const Complex* lines, Complex* pixels,
                   float* weights, StreamView stream) {
  const dim3 blocks(static_cast<unsigned>((g.nx + kTileX - 1) / kTileX),
                    static_cast<unsigned>((g.nz + kTileZ - 1) / kTileZ));
  const dim3 threads(kTileX, kTileZ);
  with_method(params, [&](const auto& method) {
    if (g.down_m == nullptr && g.columns == nullptr) {
      method_kernel<DasForm::plain><<<blocks, threads, 0, stream.get()>>>(g, method, lines, pixels, weights);
    } else {
      method_kernel<DasForm::general><<<blocks, threads, 0, stream.get()>>>(g, method, lines, pixels, weights);
    }
  });
  CUDA_CHECK_LAUNCH("sum_by_method");
}

}  // namespace echoloop::cuda
