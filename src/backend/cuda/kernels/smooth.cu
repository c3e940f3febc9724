// Separable Gaussian of an image in dB, by the sum of dsp/refine.h. A block first loads its pixels and those within
// reach into shared memory, so that each is read from memory once, not once per tap. Built without fused multiply-adds:
// bit-identical to plain loops.
#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/runtime/launch.cuh"

namespace echoloop::cuda {
namespace {

constexpr int kColumns = 32;  // of a block that smooths columns
constexpr int kRows = 32;
constexpr int kWarps = kThreads / kColumns;
constexpr int kWide = 128;  // of a block that smooths rows
constexpr int kLines = kThreads / kWide;

__global__ void __launch_bounds__(kThreads) axial_kernel(PictureView view, SmoothTaps taps, float* __restrict__ to) {
  __shared__ float levels[kRows + 2 * kMaxSmoothReach][kColumns];
  __shared__ float weights[kMaxSmoothReach + 1];
  const int column = static_cast<int>(threadIdx.x) % kColumns;
  const int warp = static_cast<int>(threadIdx.x) / kColumns;
  const int ix = static_cast<int>(blockIdx.x) * kColumns + column;
  const int first = static_cast<int>(blockIdx.y) * kRows;
  for (int k = static_cast<int>(threadIdx.x); k <= taps.reach; k += kThreads) weights[k] = taps.taps[k];
  for (int row = warp; row < kRows + 2 * taps.reach; row += kWarps) {
    levels[row][column] = nearest_pixel(view, ix, first + row - taps.reach);
  }
  __syncthreads();
  if (ix >= view.nx) return;
  for (int row = warp; row < kRows && first + row < view.nz; row += kWarps) {
    const int middle = row + taps.reach;
    to[static_cast<long long>(first + row) * view.nx + ix] =
        smooth_line({weights, taps.reach}, [&](int k) { return levels[middle + k][column]; });
  }
}

__global__ void __launch_bounds__(kThreads)
    lateral_kernel(PictureView view, SmoothTaps taps, int row_step, float* __restrict__ to) {
  __shared__ float levels[kLines][kWide + 2 * kMaxSmoothReach];
  __shared__ float weights[kLines][kMaxSmoothReach + 1];
  const int column = static_cast<int>(threadIdx.x) % kWide;
  const int line = static_cast<int>(threadIdx.x) / kWide;
  const int first = static_cast<int>(blockIdx.x) * kWide;
  const int iz = static_cast<int>(blockIdx.y) * kLines + line;
  const int own = iz < view.nz ? iz : view.nz - 1;  // beyond the image: read, not written
  for (int k = column; k <= taps.reach; k += kWide) {
    weights[line][k] = taps.taps[static_cast<long long>(own) * row_step + k];
  }
  for (int at = column; at < kWide + 2 * taps.reach; at += kWide) {
    levels[line][at] = nearest_pixel(view, first + at - taps.reach, own);
  }
  __syncthreads();
  const int ix = first + column;
  if (ix >= view.nx || iz >= view.nz) return;
  const float* middle = levels[line] + column + taps.reach;
  to[static_cast<long long>(iz) * view.nx + ix] =
      smooth_line({weights[line], taps.reach}, [middle](int k) { return middle[k]; });
}

unsigned parts(int n, int of) { return static_cast<unsigned>((n + of - 1) / of); }

}  // namespace

void smooth_axially(const PictureView& view, const SmoothTaps& taps, float* to, StreamView stream) {
  const dim3 blocks(parts(view.nx, kColumns), parts(view.nz, kRows));
  axial_kernel<<<blocks, kThreads, 0, stream.get()>>>(view, taps, to);
  CUDA_CHECK_LAUNCH("smooth_axially");
}

void smooth_laterally(const PictureView& view, const SmoothTaps& taps, int row_step, float* to, StreamView stream) {
  const dim3 blocks(parts(view.nx, kWide), parts(view.nz, kLines));
  lateral_kernel<<<blocks, kThreads, 0, stream.get()>>>(view, taps, row_step, to);
  CUDA_CHECK_LAUNCH("smooth_laterally");
}

}  // namespace echoloop::cuda
