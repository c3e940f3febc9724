// First part of the packed conditioner (packed_fir_launch.cu): mean and largest sample of a line, and its samples as
// halves in shared memory. A thread keeps what it read of the line for the second step; of longer lines it reads the
// rest again, from the multiprocessor's cache.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

#include "backend/cuda/fp16/packed_barrier.cuh"
#include "backend/cuda/fp16/packed_fir_kernel.h"
#include "backend/cuda/kernels/invalid.cuh"

namespace echoloop::cuda {

// Largest sample of a frame of floats, to which the packed conditioner (packed_fir_launch.cu) scales its words. If all
// its blocks are on the device at once, each writes its line's peak and waits for the others'; otherwise find_peaks()
// has written them.

inline constexpr float kLeastPeak = 1e-33f;  // avoids division by zero

template <class Sample>
inline constexpr bool kPeakIsLookedFor = sizeof(Sample) == sizeof(float);  // int16 has a full scale

__device__ __forceinline__ void leave_peak(const PackedFirArgs& a, float peak) {
  const FirPeak left = static_cast<FirPeak>(a.launch) << 32 | __float_as_uint(peak);
  *static_cast<volatile FirPeak*>(a.peaks + blockIdx.x) = left;
}

// Returns the largest of the frame's peaks read by this warp; all warps together read all. Waits for missing ones; a
// wait of seconds means that not all blocks are running: it ends the kernel instead of hanging the device.
__device__ inline float peak_of_warp(const PackedFirArgs& a) {
  constexpr long long kPatienceCycles = 1LL << 33;  // about 4 s
  constexpr int kAtOnce = 4;
  wait_for_earlier_kernel();  // find_peaks(), if launched, has ended; nothing is written before
  const volatile FirPeak* peaks = a.peaks;
  const long long start = clock64();
  const int n = a.n_peaks();
  float peak = kLeastPeak;
  for (int i = static_cast<int>(threadIdx.x); i < n; i += kAtOnce * static_cast<int>(blockDim.x)) {
    FirPeak left[kAtOnce];
    const auto place = [&](int k) { return i + k * static_cast<int>(blockDim.x); };
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) left[k] = place(k) < n ? peaks[place(k)] : FirPeak{};
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      if (place(k) >= n) break;
      while (static_cast<unsigned>(left[k] >> 32) != a.launch) {
        if (clock64() - start > kPatienceCycles) __trap();
        left[k] = peaks[place(k)];
      }
      peak = fmaxf(peak, __uint_as_float(static_cast<unsigned>(left[k])));
    }
  }
  for (int step = kWarp / 2; step > 0; step /= 2) peak = fmaxf(peak, __shfl_xor_sync(0xffffffffu, peak, step));
  return peak;
}

__device__ __forceinline__ unsigned as_bits(__half2 v) { return *reinterpret_cast<unsigned*>(&v); }

// Eight samples as in memory.
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

// Partial results of a thread.
struct Found {
  float sum = 0.0f;
  float peak = 0.0f;  // of floats only
  unsigned invalid = 0;
};

__device__ __forceinline__ void look(const CountChunk& c, Found& found) {
  int sum = 0;
#pragma unroll
  for (const unsigned p : c.pair) sum = __dp2a_lo(static_cast<int>(p), 0x0101, sum);
  found.sum += static_cast<float>(sum);
}

__device__ __forceinline__ void look(const FloatChunk& c, Found& found) {
#pragma unroll
  for (const float raw : c.x) {
    const float x = read_sample(raw, found.invalid);
    found.sum += x;
    found.peak = fmaxf(found.peak, fabsf(x));
  }
}

__device__ __forceinline__ float value_of(const CountChunk& c, int i) {
  return static_cast<float>(static_cast<std::int16_t>(c.pair[i / 2] >> i % 2 * 16));
}
__device__ __forceinline__ float value_of(const FloatChunk& c, int i) { return valid_sample(c.x[i]); }

template <class Sample>
struct ChunkOf;
template <>
struct ChunkOf<std::int16_t> {
  using Type = CountChunk;
};
template <>
struct ChunkOf<float> {
  using Type = FloatChunk;
};

// Chunks that a thread keeps in registers, as far as the matrix products allow.
template <class Sample>
inline constexpr int kHeld = sizeof(Sample) == 2 ? 8 : 4;

// Part of a line made by this block: blockIdx.x counts lines, blockIdx.y their parts. Recomputed at each use to save
// registers for the products.
struct LinePart {
  const FirLayout& at;

  __device__ __forceinline__ int first_unit() const {
    return static_cast<int>(blockIdx.y) * at.part_units;
  }  // of the line
  __device__ __forceinline__ int own_units() const { return min(at.part_units, at.line_units - first_unit()); }
  // Units computed: also the following one.
  __device__ __forceinline__ int n_units() const { return min(at.n_units, at.line_units - first_unit()); }
  // Chunks of the line, and of the silence before it, that precede the part.
  __device__ __forceinline__ int skip() const { return first_unit() * kTileBlocks << at.row_log2; }
  __device__ __forceinline__ bool is_last() const { return blockIdx.y == gridDim.y - 1u; }
};

// Line within the chunks of the frame's memory. Its first and last chunk may hold samples of other lines or end beyond
// the frame: their samples are read one by one by single lanes.
template <class Sample>
struct RawLine {
  using Chunk = typename ChunkOf<Sample>::Type;
  const Sample* chunks;  // start of the first one
  int shift;             // samples of the first chunk before the line
  int n_chunks;
  int n_values;

  __device__ explicit RawLine(const PackedFirArgs& a) {
    const Sample* first = reinterpret_cast<const Sample*>(a.in.raw) + static_cast<long long>(blockIdx.x) * a.n_values;
    shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(first) / sizeof(Sample) % kChunk);
    chunks = first - shift;
    n_values = a.n_values;
    n_chunks = (shift + n_values + kChunk - 1) / kChunk;
  }
  // Returns the index of the line's i-th whole chunk.
  __device__ __forceinline__ int inner(int i) const { return i + 1; }
  __device__ __forceinline__ int n_inner() const { return n_chunks - 2; }
  __device__ __forceinline__ void read(int i, Chunk& c) const { fetch(chunks + inner(i) * kChunk, c); }
  // Returns the place of the thread's sample in the first or last chunk, from the first's start; negative: none.
  __device__ __forceinline__ int edge_place() const {
    const int thread = static_cast<int>(threadIdx.x);
    const int place = thread < kChunk ? thread : (n_chunks - 2) * kChunk + thread;
    return thread < kChunk * (n_chunks > 1 ? 2 : 1) ? place : -1;
  }
  __device__ __forceinline__ bool has(int place) const { return place >= shift && place < shift + n_values; }
};

template <class Sample>
using HeldChunks = typename ChunkOf<Sample>::Type[kHeld<Sample>];

template <class Sample>
__device__ __forceinline__ void read_held(const RawLine<Sample>& line, HeldChunks<Sample>& held) {
#pragma unroll
  for (int k = 0; k < kHeld<Sample>; ++k) {
    const int i = static_cast<int>(threadIdx.x + k * blockDim.x);
    if (i >= line.n_inner()) break;
    line.read(i, held[k]);
  }
}

template <class Sample>
__device__ __forceinline__ Found look_through(const RawLine<Sample>& line, const HeldChunks<Sample>& held) {
  Found found;
  const int edge = line.edge_place();
  if (edge >= 0 && line.has(edge)) {
    const float x = read_sample(line.chunks[edge], found.invalid);
    found.sum = x;
    found.peak = fabsf(x);
  }
#pragma unroll
  for (int k = 0; k < kHeld<Sample>; ++k) {
    if (static_cast<int>(threadIdx.x + k * blockDim.x) >= line.n_inner()) break;
    look(held[k], found);
  }
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x + kHeld<Sample> * blockDim.x); i < line.n_inner();
       i += static_cast<int>(blockDim.x)) {
    typename RawLine<Sample>::Chunk c;
    line.read(i, c);
    look(c, found);
  }
  return found;
}

struct LineLevel {
  float mean;
  float peak;     // scaled as in `to_half`
  float to_half;  // factor of a sample minus the mean
};

// Returns sum and maximum over the block, in a fixed order.
__device__ inline LineLevel line_level(const PackedFirArgs& a, Found found) {
  __shared__ float sums[kFirThreads / kWarp];
  __shared__ float maxima[kFirThreads / kWarp];
  for (int step = kWarp / 2; step > 0; step /= 2) {
    found.sum += __shfl_xor_sync(0xffffffffu, found.sum, step);
    found.peak = fmaxf(found.peak, __shfl_xor_sync(0xffffffffu, found.peak, step));
  }
  if (threadIdx.x % kWarp == 0) {
    sums[threadIdx.x / kWarp] = found.sum;
    maxima[threadIdx.x / kWarp] = found.peak;
  }
  __syncthreads();
  float sum = 0.0f;
  float peak = kLeastPeak;
  for (unsigned w = 0; w < blockDim.x / kWarp; ++w) {
    sum += sums[w];
    peak = fmaxf(peak, maxima[w]);
  }
  if (a.full_scale != 0.0f) peak = a.full_scale;
  return {a.remove_mean ? sum / static_cast<float>(a.n_values) : 0.0f, peak, kLargestHalf / peak};
}

// Returns the factor from sums of products of halves to words; sets the frame's scale. peaks: one per warp.
template <class Sample>
__device__ inline float word_scale(const PackedFirArgs& a, const LineLevel& level, const float* peaks) {
  float peak = a.full_scale;
  if constexpr (kPeakIsLookedFor<Sample>)
    for (unsigned w = 0; w < blockDim.x / kWarp; ++w) peak = fmaxf(peak, peaks[w]);
  if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0) *a.scale = a.gain_bound * peak;
  return a.word_scale * (level.peak / peak);
}

__device__ __forceinline__ int gapped(const FirLayout& at, int chunk) { return chunk + (chunk >> at.row_log2); }

template <class Chunk>
__device__ __forceinline__ uint4 as_halves(const Chunk& c, const LineLevel& level) {
  unsigned pair[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    pair[k] = as_bits(__floats2half2_rn((value_of(c, 2 * k) - level.mean) * level.to_half,
                                        (value_of(c, 2 * k + 1) - level.mean) * level.to_half));
  }
  return make_uint4(pair[0], pair[1], pair[2], pair[3]);
}

// Fills places without a sample with zeros.
template <class Sample>
__device__ __forceinline__ void fill_line(const PackedFirArgs& a, const RawLine<Sample>& line,
                                          const HeldChunks<Sample>& held, const LineLevel& level, uint4* shared) {
  const FirLayout& at = a.at;
  const int front = a.front - LinePart{at}.skip();  // chunks of the part before the line
  const int thread = static_cast<int>(threadIdx.x);
  const int step = static_cast<int>(blockDim.x);
  const int n_inner = min(line.n_inner(), at.n_chunks - front - 1);
  const int first = max(-front - line.inner(0), 0);  // of the line, in this part
#pragma unroll
  for (int k = 0; k < kHeld<Sample>; ++k) {
    const int i = thread + k * step;
    if (i >= n_inner) break;
    if (i >= first) shared[gapped(at, front + line.inner(i))] = as_halves(held[k], level);
  }
#pragma unroll 4
  for (int i = thread + max(kHeld<Sample> * step, first); i < n_inner; i += step) {
    typename RawLine<Sample>::Chunk c;
    line.read(i, c);
    shared[gapped(at, front + line.inner(i))] = as_halves(c, level);
  }
  for (int i = thread; i < front; i += step) shared[gapped(at, i)] = uint4{};
  for (int i = max(front + line.n_chunks, 0) + thread; i < at.n_chunks; i += step) shared[gapped(at, i)] = uint4{};
  const int edge = line.edge_place();
  const int chunk = front + edge / kChunk;
  if (edge >= 0 && chunk >= 0 && chunk < at.n_chunks) {
    const float x =
        line.has(edge) ? (valid_sample(static_cast<float>(line.chunks[edge])) - level.mean) * level.to_half : 0.0f;
    reinterpret_cast<__half*>(shared + gapped(at, chunk))[edge % kChunk] = __float2half_rn(x);
  }
}

// Same as fill_line(), with zeros between samples.
template <class Sample>
__device__ __forceinline__ void spread_line(const PackedFirArgs& a, const RawLine<Sample>& line, const LineLevel& level,
                                            uint4* shared) {
  const FirLayout& at = a.at;
  const int skip = LinePart{at}.skip();
  for (int i = static_cast<int>(threadIdx.x); i < at.taps; i += static_cast<int>(blockDim.x)) shared[i] = uint4{};
  __syncthreads();
  auto* halves = reinterpret_cast<__half*>(shared);
  for (int v = static_cast<int>(threadIdx.x); v < a.n_values; v += static_cast<int>(blockDim.x)) {
    const int value = a.front * kChunk + v / a.components * a.components * a.spread + v % a.components;
    const int chunk = value / kChunk - skip;
    if (chunk < 0) continue;
    if (chunk >= at.n_chunks) break;
    const float x = valid_sample(static_cast<float>(line.chunks[line.shift + v]));
    halves[gapped(at, chunk) * kChunk + value % kChunk] = __float2half_rn((x - level.mean) * level.to_half);
  }
}

// Matrix instructions on halves with float sums (PTX ISA: ldmatrix, mma.m16n8k16; before compute capability 8.0 two of
// mma.m16n8k8).

// Two adjacent chunks of 16 rows: lane i gives the address of row i % 16 of chunk i / 16. low, high: rows 0-7 and 8-15
// of a chunk.
struct RowChunk {
  unsigned low;
  unsigned high;
};

__device__ __forceinline__ void load_rows(const void* row, RowChunk& first, RowChunk& second) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(first.low), "=r"(first.high), "=r"(second.low), "=r"(second.high)
               : "r"(address)
               : "memory");
}

// sums [16 rows][8]: 0, 1: row lane / 4, columns 2 (lane % 4) + 0, 1; 2, 3: row lane / 4 + 8.
__device__ __forceinline__ void multiply_add(float (&sums)[4], RowChunk first, RowChunk second, unsigned b0,
                                             unsigned b1) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(first.low), "r"(first.high), "r"(second.low), "r"(second.high), "r"(b0), "r"(b1));
#else
  const auto eighth = [&sums](RowChunk rows, unsigned b) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(rows.low), "r"(rows.high), "r"(b));
  };
  eighth(first, b0);
  eighth(second, b1);
#endif
}

}  // namespace echoloop::cuda
