// Delay-and-sum of the analytic recipe: das_pixel() of dsp/das.h, one thread per pixel. The plain version, reference of
// the tuned one. A warp is 32 pixels of one image row: they read neighbouring places of the transmit table, write
// neighbouring pixels, share the row's integers, and need nearly the same samples, since delays change slowest along x;
// 4 rows per block read their samples from the same few cache lines.
#include "backend/cuda/kernels/kernels.h"

namespace echoloop::cuda {
namespace {

constexpr int kTileX = 32;
constexpr int kTileZ = 4;
constexpr int kBlocksPerSm = 8;  // leaves 64 registers per thread: without a bound the compiler chose fewer and spilled

template <DasForm form>
__global__ void __launch_bounds__(kTileX* kTileZ, kBlocksPerSm)
    das_kernel(const __grid_constant__ DasGeometry geometry, const Complex* __restrict__ lines,
               Complex* __restrict__ pixels) {
  const int ix = static_cast<int>(blockIdx.x) * kTileX + static_cast<int>(threadIdx.x);
  const int iz = static_cast<int>(blockIdx.y) * kTileZ + static_cast<int>(threadIdx.y);
  if (ix >= geometry.nx || iz >= geometry.nz) return;
  pixels[static_cast<long long>(iz) * geometry.nx + ix] = das_pixel<form>(geometry, lines, ix, iz);
}

}  // namespace

void sum_delayed(const DasGeometry& g, const Complex* lines, Complex* pixels, StreamView stream) {
  if (sum_grouped(g, lines, pixels, stream)) return;
  const dim3 blocks(static_cast<unsigned>((g.nx + kTileX - 1) / kTileX),
                    static_cast<unsigned>((g.nz + kTileZ - 1) / kTileZ));
  if (is_plain(g)) {
    das_kernel<DasForm::plain><<<blocks, dim3(kTileX, kTileZ), 0, stream.get()>>>(g, lines, pixels);
  } else {
    das_kernel<DasForm::general><<<blocks, dim3(kTileX, kTileZ), 0, stream.get()>>>(g, lines, pixels);
  }
  CUDA_CHECK_LAUNCH("sum_delayed");
}

}  // namespace echoloop::cuda
