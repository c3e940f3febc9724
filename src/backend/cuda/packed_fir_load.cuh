// First part of the packed conditioner (packed_fir.cu): a line's mean, the frame's scale, and the line's samples as
// halves in shared memory. A line is read twice, the second time from the multiprocessor's cache.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "backend/cuda/packed_fir.h"

namespace echoloop::cuda {

inline constexpr int kWarp = 32;
inline constexpr float kLargestHalf =
    16384.0f;  // what the frame's largest sample becomes; less its mean, twice as much

__device__ __forceinline__ unsigned as_bits(__half2 v) { return *reinterpret_cast<unsigned*>(&v); }

// Eight samples as they are in memory.
struct CountChunk {
  unsigned pair[4];
};
struct FloatChunk {
  float x[kChunk];
};

__device__ __forceinline__ void fetch(const std::int16_t* from, CountChunk& c) {
  const uint4 v = __ldg(reinterpret_cast<const uint4*>(from));
  c = {{v.x, v.y, v.z, v.w}};
}

__device__ __forceinline__ void fetch(const float* from, FloatChunk& c) {
  const float4 a = __ldg(reinterpret_cast<const float4*>(from));
  const float4 b = __ldg(reinterpret_cast<const float4*>(from) + 1);
  c = {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}};
}

__device__ inline void fetch_some(const std::int16_t* from, int n, CountChunk& c) {
  for (int i = 0; i < kChunk; ++i) {
    const unsigned v = i < n ? static_cast<std::uint16_t>(from[i]) : 0u;
    c.pair[i / 2] = i % 2 == 0 ? v : c.pair[i / 2] | v << 16;
  }
}

__device__ inline void fetch_some(const float* from, int n, FloatChunk& c) {
  for (int i = 0; i < kChunk; ++i) c.x[i] = i < n ? from[i] : 0.0f;
}

// Zeros for the halves outside first .. last - 1.
__device__ __forceinline__ void keep(unsigned (&pair)[4], int first, int last) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (2 * i < first || 2 * i >= last) pair[i] &= 0xffff0000u;
    if (2 * i + 1 < first || 2 * i + 1 >= last) pair[i] &= 0x0000ffffu;
  }
}

__device__ __forceinline__ float sum_of(CountChunk c, int first, int last) {
  if (first > 0 || last < kChunk) keep(c.pair, first, last);
  int sum = 0;
#pragma unroll
  for (const unsigned p : c.pair) sum = __dp2a_lo(static_cast<int>(p), 0x0101, sum);
  return static_cast<float>(sum);
}

__device__ __forceinline__ float sum_of(const FloatChunk& c, int first, int last) {
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kChunk; ++i) sum += i >= first && i < last ? c.x[i] : 0.0f;
  return sum;
}

__device__ __forceinline__ float value_of(const CountChunk& c, int i) {
  return static_cast<float>(static_cast<std::int16_t>(c.pair[i / 2] >> i % 2 * 16));
}
__device__ __forceinline__ float value_of(const FloatChunk& c, int i) { return c.x[i]; }

template <class Sample>
struct ChunkOf;
template <>
struct ChunkOf<std::int16_t> {
  using Type = CountChunk;
  static constexpr int kLoads = 8;  // of a thread, in flight
};
template <>
struct ChunkOf<float> {
  using Type = FloatChunk;
  static constexpr int kLoads = 4;
};

// A line among the chunks of the frame's memory.
template <class Sample>
struct RawLine {
  const Sample* chunks;  // where the first one begins
  int shift;             // samples of it that belong to the line before
  int n_chunks;
  int n_values;
  int limit;  // values from `chunks` to the end of the frame, if less than the chunks have

  __device__ explicit RawLine(const PackedFirArgs& a) {
    const Sample* first = reinterpret_cast<const Sample*>(a.raw) + static_cast<long long>(blockIdx.x) * a.n_values;
    shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(first) / sizeof(Sample) % kChunk);
    chunks = first - shift;
    n_values = a.n_values;
    n_chunks = (shift + n_values + kChunk - 1) / kChunk;
    const int lines_left = a.n_lines - static_cast<int>(blockIdx.x);
    limit = lines_left > kChunk ? n_chunks * kChunk
                                : static_cast<int>(lines_left * static_cast<long long>(n_values)) + shift;
  }
  __device__ __forceinline__ void read(int chunk, typename ChunkOf<Sample>::Type& c) const {
    if ((chunk + 1) * kChunk <= limit) {
      fetch(chunks + chunk * kChunk, c);
    } else {
      fetch_some(chunks + chunk * kChunk, limit - chunk * kChunk, c);
    }
  }
  // Which values of a chunk are the line's.
  __device__ __forceinline__ int first_of(int chunk) const { return shift - chunk * kChunk; }
  __device__ __forceinline__ int last_of(int chunk) const { return shift + n_values - chunk * kChunk; }
};

template <class Sample>
__device__ float sum_line(const RawLine<Sample>& line) {
  using Of = ChunkOf<Sample>;
  const int step = static_cast<int>(blockDim.x);
  float sum = 0.0f;
  for (int base = static_cast<int>(threadIdx.x); base < line.n_chunks; base += Of::kLoads * step) {
    typename Of::Type c[Of::kLoads];
#pragma unroll
    for (int k = 0; k < Of::kLoads; ++k) {
      if (base + k * step < line.n_chunks) line.read(base + k * step, c[k]);
    }
#pragma unroll
    for (int k = 0; k < Of::kLoads; ++k) {
      const int chunk = base + k * step;
      if (chunk < line.n_chunks) sum += sum_of(c[k], line.first_of(chunk), line.last_of(chunk));
    }
  }
  return sum;
}

struct LineLevel {
  float mean;
  float to_half;  // of a sample less the mean
};

// Sum and maximum over the block, in a fixed order.
__device__ inline LineLevel line_level(const PackedFirArgs& a, float sum) {
  __shared__ float sums[kFirThreads / kWarp];
  __shared__ float maxima[kFirThreads / kWarp];
  float peak = 0.0f;
  if (a.full_scale == 0.0f) {
    cudaGridDependencySynchronize();  // peaks are there; before it nothing is written either
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
  sum = 0.0f;
  peak = 1e-33f;  // silence stays silence
  for (unsigned w = 0; w < blockDim.x / kWarp; ++w) {
    sum += sums[w];
    peak = fmaxf(peak, maxima[w]);
  }
  if (a.full_scale != 0.0f) peak = a.full_scale;
  if (blockIdx.x == 0 && threadIdx.x == 0) *a.scale = a.gain_bound * peak;
  return {a.remove_mean ? sum / static_cast<float>(a.n_values) : 0.0f, kLargestHalf / peak};
}

// Places without a sample are zeros: silence.
template <class Sample>
__device__ void fill_line(const PackedFirArgs& a, const FirLayout& at, const RawLine<Sample>& line,
                          const LineLevel& level, uint4* shared) {
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < at.n_chunks; i += static_cast<int>(blockDim.x)) {
    unsigned pair[4] = {};
    const int chunk = i - a.front;
    if (chunk >= 0 && chunk < line.n_chunks) {
      typename ChunkOf<Sample>::Type c;
      line.read(chunk, c);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        pair[k] = as_bits(__floats2half2_rn((value_of(c, 2 * k) - level.mean) * level.to_half,
                                            (value_of(c, 2 * k + 1) - level.mean) * level.to_half));
      }
      const int first = line.first_of(chunk);
      const int last = line.last_of(chunk);
      if (first > 0 || last < kChunk) keep(pair, first, last);
    }
    shared[i + (i >> at.row_log2)] = make_uint4(pair[0], pair[1], pair[2], pair[3]);
  }
}

// The same with zeros between places.
template <class Sample>
__device__ void spread_line(const PackedFirArgs& a, const FirLayout& at, const RawLine<Sample>& line,
                            const LineLevel& level, uint4* shared) {
  for (int i = static_cast<int>(threadIdx.x); i < at.taps; i += static_cast<int>(blockDim.x)) shared[i] = uint4{};
  __syncthreads();
  auto* halves = reinterpret_cast<__half*>(shared);
  for (int v = static_cast<int>(threadIdx.x); v < a.n_values; v += static_cast<int>(blockDim.x)) {
    const int value = a.front * kChunk + v / a.components * a.components * a.spread + v % a.components;
    const int chunk = value / kChunk;
    if (chunk >= at.n_chunks) break;
    const auto x = static_cast<float>(line.chunks[line.shift + v]);
    halves[(chunk + (chunk >> at.row_log2)) * kChunk + value % kChunk] =
        __float2half_rn((x - level.mean) * level.to_half);
  }
}

}  // namespace echoloop::cuda
