// The course recipe's stages: FIR, nearest-sample summation, and the weights between the transforms along depth. Plain
// launches of the functions in dsp/course.h; this recipe is for teaching and comparison, not for speed.
#include "backend/cuda/kernels.h"
#include "backend/cuda/launch.cuh"

namespace echoloop::cuda {
namespace {

constexpr int kTileX = 32;  // as in das.cu: a warp is a piece of an image row
constexpr int kTileZ = 4;
constexpr unsigned kMaxBlocksPerLine = 64;

__global__ void __launch_bounds__(kThreads) fir_kernel(const float* __restrict__ values, const float* __restrict__ taps,
                                                       int n_samples, float* __restrict__ filtered) {
  const long long first = static_cast<long long>(blockIdx.x) * n_samples;
  const int step = static_cast<int>(gridDim.y) * kThreads;
  for (int n = static_cast<int>(blockIdx.y) * kThreads + static_cast<int>(threadIdx.x); n < n_samples; n += step) {
    filtered[first + n] = course_fir(values + first, taps, n, n_samples);
  }
}

__global__ void __launch_bounds__(kTileX* kTileZ)
    nearest_kernel(const __grid_constant__ CourseGeometry geometry, const float* __restrict__ filtered,
                   float* __restrict__ rf_image) {
  const int ix = static_cast<int>(blockIdx.x) * kTileX + static_cast<int>(threadIdx.x);
  const int iz = static_cast<int>(blockIdx.y) * kTileZ + static_cast<int>(threadIdx.y);
  if (ix >= geometry.nx || iz >= geometry.nz) return;
  rf_image[static_cast<long long>(iz) * geometry.nx + ix] = course_pixel(geometry, filtered, ix, iz);
}

__global__ void __launch_bounds__(kThreads)
    complex_kernel(const float* __restrict__ real, std::size_t n, Complex* __restrict__ out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n) out[i] = {real[i], 0.0f};
}

__global__ void __launch_bounds__(kThreads) hilbert_kernel(Complex* columns, int nx, int nz) {
  const long long i = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= static_cast<long long>(nx) * nz) return;
  columns[i] = hilbert_weight(static_cast<int>(i / nx), nz) / static_cast<float>(nz) * columns[i];
}

}  // namespace

void filter_course(const float* values, const float* taps, int n_lines, int n_samples, float* filtered,
                   StreamView stream) {
  const unsigned wanted = blocks_for(static_cast<std::size_t>(n_samples));
  const dim3 blocks(static_cast<unsigned>(n_lines), wanted < kMaxBlocksPerLine ? wanted : kMaxBlocksPerLine);
  fir_kernel<<<blocks, kThreads, 0, stream.get()>>>(values, taps, n_samples, filtered);
  CUDA_CHECK_LAUNCH("filter_course");
}

void sum_nearest(const CourseGeometry& g, const float* filtered, float* rf_image, StreamView stream) {
  const dim3 blocks(static_cast<unsigned>((g.nx + kTileX - 1) / kTileX),
                    static_cast<unsigned>((g.nz + kTileZ - 1) / kTileZ));
  nearest_kernel<<<blocks, dim3(kTileX, kTileZ), 0, stream.get()>>>(g, filtered, rf_image);
  CUDA_CHECK_LAUNCH("sum_nearest");
}

void widen_to_complex(const float* rf_image, std::size_t n, Complex* columns, StreamView stream) {
  complex_kernel<<<blocks_for(n), kThreads, 0, stream.get()>>>(rf_image, n, columns);
  CUDA_CHECK_LAUNCH("widen_to_complex");
}

void weight_hilbert(Complex* columns, int nx, int nz, StreamView stream) {
  const std::size_t n = static_cast<std::size_t>(nx) * static_cast<std::size_t>(nz);
  hilbert_kernel<<<blocks_for(n), kThreads, 0, stream.get()>>>(columns, nx, nz);
  CUDA_CHECK_LAUNCH("weight_hilbert");
}

}  // namespace echoloop::cuda
