// Envelope and compress stages: magnitudes, their maximum, decibels. The maximum uses two launches without atomics; it
// does not depend on the order, so the level is the same in every run.
#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/runtime/launch.h"
#include "dsp/level.h"

namespace echoloop::cuda {
namespace {

constexpr int kWarp = 32;
static_assert(kMaxPartials == kThreads, "the last block reads one partial maximum a thread");

__global__ void __launch_bounds__(kThreads)
    magnitude_kernel(const WeighedPixels from, std::size_t n, float* __restrict__ out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n) out[i] = from.amplitude(i);
}

__global__ void __launch_bounds__(kThreads)
    weighed_kernel(const WeighedPixels from, std::size_t n, Complex* __restrict__ out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n) out[i] = from.value(i);
}

__global__ void __launch_bounds__(kThreads)
    with_magnitude_kernel(const Complex* __restrict__ pixels, const float* __restrict__ amplitudes, std::size_t n,
                          Complex* __restrict__ out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n) out[i] = with_magnitude(pixels[i], amplitudes[i]);
}

__global__ void __launch_bounds__(kThreads)
    scan_kernel(const __grid_constant__ ScanGeometry scan, const WeighedPixels from, float* __restrict__ out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const auto nx = static_cast<std::size_t>(scan.to.nx);
  if (i >= nx * static_cast<std::size_t>(scan.to.nz)) return;
  out[i] = scan_pixel(scan, static_cast<int>(i % nx), static_cast<int>(i / nx),
                      [from](int at) { return from.amplitude(static_cast<std::size_t>(at)); });
}

// Returns the largest value of the block, in thread 0.
__device__ float block_max(float v) {
  __shared__ float of_warp[kThreads / kWarp];
  for (int step = kWarp / 2; step > 0; step /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, step));
  if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp] = v;
  __syncthreads();
  for (const float w : of_warp) v = fmaxf(v, w);
  return v;
}

__global__ void __launch_bounds__(kThreads)
    partial_max_kernel(const float* __restrict__ values, std::size_t n, float* __restrict__ partials) {
  float largest = 0.0f;  // magnitudes are not negative
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * kThreads;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x; i < n; i += step)
    largest = fmaxf(largest, values[i]);
  largest = block_max(largest);
  if (threadIdx.x == 0) partials[blockIdx.x] = largest;
}

__global__ void __launch_bounds__(kThreads)
    peak_level_kernel(const float* __restrict__ partials, int n_partials, float* __restrict__ level_db) {
  const int i = static_cast<int>(threadIdx.x);
  const float largest = block_max(i < n_partials ? partials[i] : 0.0f);
  if (i == 0) *level_db = frame_level_db(largest);
}

__global__ void __launch_bounds__(kThreads)
    decibel_kernel(const float* __restrict__ envelope, std::size_t n, float reference_db,
                   const float* __restrict__ measured_db, float* __restrict__ db) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n) db[i] = to_db(envelope[i], measured_db != nullptr ? *measured_db : reference_db);
}

}  // namespace

void magnitudes(const WeighedPixels& from, std::size_t n, float* out, StreamView stream) {
  magnitude_kernel<<<blocks_for(n), kThreads, 0, stream.get()>>>(from, n, out);
  CUDA_CHECK_LAUNCH("magnitudes");
}

void weighed_values(const WeighedPixels& from, std::size_t n, Complex* out, StreamView stream) {
  weighed_kernel<<<blocks_for(n), kThreads, 0, stream.get()>>>(from, n, out);
  CUDA_CHECK_LAUNCH("weighed_values");
}

void values_with(const Complex* pixels, const float* amplitudes, std::size_t n, Complex* out, StreamView stream) {
  with_magnitude_kernel<<<blocks_for(n), kThreads, 0, stream.get()>>>(pixels, amplitudes, n, out);
  CUDA_CHECK_LAUNCH("values_with");
}

void scan_magnitudes(const ScanGeometry& scan, const WeighedPixels& from, float* out, StreamView stream) {
  const std::size_t n = static_cast<std::size_t>(scan.to.nx) * static_cast<std::size_t>(scan.to.nz);
  scan_kernel<<<blocks_for(n), kThreads, 0, stream.get()>>>(scan, from, out);
  CUDA_CHECK_LAUNCH("scan_magnitudes");
}

void measure_peak_db(const float* values, std::size_t n, float* partials, float* level_db, StreamView stream) {
  const unsigned wanted = blocks_for(n);
  const unsigned n_partials = wanted < kMaxPartials ? wanted : kMaxPartials;
  partial_max_kernel<<<n_partials, kThreads, 0, stream.get()>>>(values, n, partials);
  CUDA_CHECK_LAUNCH("measure_peak_db, first part");
  peak_level_kernel<<<1, kThreads, 0, stream.get()>>>(partials, static_cast<int>(n_partials), level_db);
  CUDA_CHECK_LAUNCH("measure_peak_db, second part");
}

void to_decibels(const float* envelope, std::size_t n, float reference_db, const float* measured_db, float* db,
                 StreamView stream) {
  decibel_kernel<<<blocks_for(n), kThreads, 0, stream.get()>>>(envelope, n, reference_db, measured_db, db);
  CUDA_CHECK_LAUNCH("to_decibels");
}

}  // namespace echoloop::cuda
