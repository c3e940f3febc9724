// Finds the largest sample of a frame of floats, before the packed conditioner scales them to halves: for frames whose
// lines do not fit on the device at once.
#include <cstddef>
#include <cstdint>

#include "backend/cuda/fp16/packed_fir_kernel.h"
#include "backend/cuda/fp16/packed_peaks.cuh"
#include "backend/cuda/runtime/cuda_error.h"

namespace echoloop::cuda {
namespace {

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads) peaks_kernel(const __grid_constant__ PackedFirArgs a) {
  allow_next_kernel();  // run_packed_fir() may start to read its lines
  const auto* raw = reinterpret_cast<const float*>(a.raw);
  const std::size_t n = static_cast<std::size_t>(a.n_lines) * static_cast<std::size_t>(a.n_values);
  __shared__ float of_warp[kThreads / kWarp];
  float peak = 0.0f;
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * kThreads;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::size_t before = (4 - reinterpret_cast<std::uintptr_t>(raw) / sizeof(float) % 4) % 4;  // until aligned
  const std::size_t head = before < n ? before : n;
  const std::size_t n_fours = (n - head) / 4;
  const auto* fours = reinterpret_cast<const float4*>(raw + head);
#pragma unroll 8
  for (std::size_t i = first; i < n_fours; i += step) {
    const float4 v = __ldg(fours + i);
    peak = fmaxf(fmaxf(peak, fmaxf(fabsf(v.x), fabsf(v.y))), fmaxf(fabsf(v.z), fabsf(v.w)));
  }
  if (first < head) peak = fmaxf(peak, fabsf(raw[first]));
  const std::size_t tail = head + 4 * n_fours + first;
  if (tail < n) peak = fmaxf(peak, fabsf(raw[tail]));
  for (int s = kWarp / 2; s > 0; s /= 2) peak = fmaxf(peak, __shfl_xor_sync(0xffffffffu, peak, s));
  if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp] = peak;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (const float w : of_warp) peak = fmaxf(peak, w);
  leave_peak(a, peak);
}

}  // namespace

void find_peaks(const PackedFirArgs& a, StreamView stream) {
  peaks_kernel<<<kPeakBlocks, kThreads, 0, stream.get()>>>(a);
  CUDA_CHECK_LAUNCH("find_peaks");
}

}  // namespace echoloop::cuda
