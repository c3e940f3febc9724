// First part of the packed conditioner (packed_fir.cu): a line's samples into the planes of shared memory, its mean,
// the frame's scale, silence around it.
#pragma once

#include <cstdint>

#include "backend/cuda/packed_fir.h"

namespace echoloop::cuda {

inline constexpr int kWarp = 32;
inline constexpr int kLoads = 8;  // of a thread, in flight

// Stores value v of the line; returns it.
__device__ __forceinline__ float put(const PackedFirArgs& a, const FirLayout& at, float* planes, int v, float x) {
  const int n = v >> (a.components - 1);
  const int plane = (n & ((1 << a.decimation_log2) - 1)) + ((v & (a.components - 1)) << a.decimation_log2);
  planes[plane * at.first_stride + fir_gaps((n >> a.decimation_log2) + a.taps_per_plane / 2 + at.extend)] = x;
  return x;
}

__device__ inline float load_line(const PackedFirArgs& a, const FirLayout& at, const float*, float* planes) {
  const int n_values = a.n_samples * a.components;
  const float* in = reinterpret_cast<const float*>(a.raw) + static_cast<long long>(blockIdx.x) * n_values;
  const int step = static_cast<int>(blockDim.x);
  float sum = 0.0f;
  for (int base = static_cast<int>(threadIdx.x); base < n_values; base += kLoads * step) {
    float x[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) x[k] = base + k * step < n_values ? __ldg(in + base + k * step) : 0.0f;
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      if (base + k * step < n_values) sum += put(a, at, planes, base + k * step, x[k]);
    }
  }
  return sum;
}

// Two samples a load: a line of an odd number of samples may begin in the middle of an aligned pair.
__device__ inline float load_line(const PackedFirArgs& a, const FirLayout& at, const std::int16_t*, float* planes) {
  const int n_values = a.n_samples * a.components;
  const long long first = static_cast<long long>(blockIdx.x) * n_values;
  const long long total = static_cast<long long>(a.n_lines) * n_values;
  const int before = static_cast<int>(first & 1);
  const auto* in = reinterpret_cast<const unsigned*>(a.raw) + (first - before) / 2;
  const bool odd_end = first + n_values == total && (total & 1) != 0;  // the last pair is half outside
  const int n_pairs = (n_values + before + 1) / 2 - (odd_end ? 1 : 0);
  const int step = static_cast<int>(blockDim.x);
  float sum = 0.0f;
  for (int base = static_cast<int>(threadIdx.x); base < n_pairs; base += kLoads * step) {
    unsigned pair[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) pair[k] = base + k * step < n_pairs ? __ldg(in + base + k * step) : 0u;
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      if (base + k * step >= n_pairs) break;
      const int v = 2 * (base + k * step) - before;
      const auto low = static_cast<float>(static_cast<std::int16_t>(pair[k] & 0xffffu));
      const auto high = static_cast<float>(static_cast<std::int16_t>(pair[k] >> 16));
      if (v >= 0 && v < n_values) sum += put(a, at, planes, v, low);
      if (v + 1 < n_values) sum += put(a, at, planes, v + 1, high);
    }
  }
  if (odd_end && threadIdx.x == 0) {
    sum +=
        put(a, at, planes, n_values - 1, static_cast<float>(reinterpret_cast<const std::int16_t*>(a.raw)[total - 1]));
  }
  return sum;
}

struct LineLevel {
  float mean;
  float scale;  // of the words' values
};

// Sum and maximum over the block, in a fixed order.
__device__ inline LineLevel line_level(const PackedFirArgs& a, float sum) {
  __shared__ float sums[kFirThreads / kWarp];
  __shared__ float maxima[kFirThreads / kWarp];
  float peak = 0.0f;
  if (a.full_scale == 0.0f) {
    for (int i = static_cast<int>(threadIdx.x); i < kPeakPartials; i += static_cast<int>(blockDim.x)) {
      peak = fmaxf(peak, a.peaks[i]);
    }
  }
  for (int step = kWarp / 2; step > 0; step /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, step);
    peak = fmaxf(peak, __shfl_xor_sync(0xffffffffu, peak, step));
  }
  if (threadIdx.x % kWarp == 0) {
    sums[threadIdx.x / kWarp] = sum;
    maxima[threadIdx.x / kWarp] = peak;
  }
  __syncthreads();
  sum = peak = 0.0f;
  for (unsigned w = 0; w < blockDim.x / kWarp; ++w) {
    sum += sums[w];
    peak = fmaxf(peak, maxima[w]);
  }
  if (a.full_scale != 0.0f) peak = a.full_scale;
  // 1e-37: silence stays silence.
  const float largest = fmaxf(a.gain_bound * peak, 1e-37f);
  if (blockIdx.x == 0 && threadIdx.x == 0) *a.scale = largest;
  return {a.remove_mean ? sum / static_cast<float>(a.n_samples) : 0.0f, 1.0f / largest};
}

// Places without a sample hold the mean: they count as silence.
__device__ inline void fill_ends(const PackedFirArgs& a, const FirLayout& at, float* planes, float mean) {
  const int lead = a.taps_per_plane / 2 + at.extend;
  const int shortest = a.n_samples >> a.decimation_log2;
  const int ends = at.first_length - shortest;  // places to look at in each plane
  const int n_planes = a.components << a.decimation_log2;
  for (int i = static_cast<int>(threadIdx.x); i < n_planes * ends; i += static_cast<int>(blockDim.x)) {
    const int plane = i / ends;
    const int end = i % ends;
    const int place = end < lead ? end : end + shortest;
    const int in_plane = plane & ((1 << a.decimation_log2) - 1);
    const int n = ((place - lead) << a.decimation_log2) + in_plane;
    if (n < 0 || n >= a.n_samples) planes[plane * at.first_stride + fir_gaps(place)] = mean;
  }
  // What the first filter does not write of the second one's input is silence.
  const int written = a.n_line_taps / 2 - at.extend;
  const int unwritten = at.second_length - at.n_first;
  for (int i = static_cast<int>(threadIdx.x); i < 2 * unwritten; i += static_cast<int>(blockDim.x)) {
    const int end = i >> 1;
    const int place = end < written ? end : end + at.n_first;
    if (place < at.second_length) planes[at.second + (i & 1) * at.second_stride + fir_gaps(place)] = 0.0f;
  }
}

}  // namespace echoloop::cuda
