// One block per line, as its mean needs all of it and lines are many. A line too long for a block's shared memory is
// made in parts by several blocks, each of which reads all of it for the mean. Samples go to shared memory as halves,
// in order; tensor cores multiply stretches of them by the taps (dsp/packed_fir.h) and sum in floats. A thread holds
// pairs of neighbouring outputs, real and imaginary: it rotates them, fetches the following outputs from other lanes,
// and writes two words at a time.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "backend/cuda/fp16/packed_das.h"
#include "backend/cuda/fp16/packed_fir_kernel.h"
#include "backend/cuda/fp16/packed_fir_load.cuh"
#include "backend/cuda/runtime/cuda_error.h"
#include "backend/cuda/runtime/launch.h"
#include "dsp/packed_fir.h"

namespace echoloop::cuda {
namespace {

// Outputs of a unit in a lane's registers: of tile t the blocks of rows lane / 4 and lane / 4 + 8 (`half`), each with
// the outputs 2 (lane % 4) and the next one. Block of row r of tile t: r * kTiles + t.
template <int kTiles>
struct UnitSums {
  float re[kTiles][4] = {};
  float im[kTiles][4] = {};
};

template <int kBlockChunks, int kTiles>
__device__ __forceinline__ void convolve(const PackedFirArgs& a, const uint4* shared, const uint4* taps, int unit,
                                         UnitSums<kTiles>& sums) {
  constexpr int kQueue = fir_queue(kBlockChunks);
  const FirLayout& at = a.at;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int row = (unit * kTileBlocks + lane % kTileBlocks) * ((1 << at.row_log2) + 1);
  const uint4* rows = shared + row;
  const int odd = lane / kTileBlocks;
  const auto load = [&](int chunk, RowChunk* to) {
    const int c = chunk + odd;
    load_rows(rows + gapped(at, c), to[0], to[1]);
  };
  RowChunk queue[kQueue];
#pragma unroll
  for (int c = 0; c < kQueue - 2; c += 2) load(c, queue + c);
#pragma unroll kQueue / 2
  for (int step = 0; step < a.n_steps; ++step) {
    load(kQueue - 2 + 2 * step, queue + kQueue - 2);
    const uint4 tap = taps[step * kWarp + lane];
#pragma unroll
    for (int t = 0; t < kTiles; ++t) {
      const int c = kTiles == 1 ? 0 : t * kBlockChunks;
      multiply_add(sums.re[t], queue[c], queue[c + 1], tap.x, tap.y);
      multiply_add(sums.im[t], queue[c], queue[c + 1], tap.z, tap.w);
    }
#pragma unroll
    for (int c = 0; c < kQueue - 2; ++c) queue[c] = queue[c + 2];
  }
}

__device__ __forceinline__ float2 turned(unsigned turns_step, float scale, int m, float re, float im) {
  const int turns = static_cast<int>(static_cast<unsigned>(m) * turns_step);  // modulo a turn, signed
  const float angle = -6.28318531f * 0x1p-32f * static_cast<float>(turns);
  const float c = __cosf(angle) * scale;
  const float s = __sinf(angle) * scale;
  return make_float2(re * c - im * s, re * s + im * c);
}

__device__ __forceinline__ uint2 word_of(float2 v, float2 next) {
  return make_uint2(as_bits(__floats2half2_rn(v.x, v.y)),
                    as_bits(__floats2half2_rn((next.x - v.x) * kStepScale, (next.y - v.y) * kStepScale)));
}

// The last output of a unit is kept in `ends` for the first of the next. `unit`: index in the part.
template <int kTiles>
__device__ __forceinline__ void write_unit(const PackedFirArgs& a, const LinePart& part, float scale, uint2* line,
                                           float2* ends, int unit, const UnitSums<kTiles>& sums) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int of_line = part.first_unit() + unit;
  const auto output = [&](int t, int half) {
    return kFirBlock * (((of_line * 2 + half) * (kTileBlocks / 2) + lane / 4) * kTiles + t) + 2 * (lane % 4);
  };
  float2 y[kTiles][2][2];
#pragma unroll
  for (int i = 0; i < 4 * kTiles; ++i) {
    const int t = i / 4, half = i / 2 % 2, p = i % 2;
    y[t][half][p] = turned(a.turns_step, scale, output(t, half) + p, sums.re[t][i % 4], sums.im[t][i % 4]);
  }
  if (lane == 0) ends[2 * unit] = y[0][0][0];
  if (lane == kWarp - 1) ends[2 * unit + 1] = y[kTiles - 1][1][1];
  if (unit >= part.own_units()) return;
#pragma unroll
  for (int i = 0; i < 2 * kTiles; ++i) {
    const int t = i / 2, half = i % 2;
    const bool last_tile = t == kTiles - 1;
    // A lane at the start of a block serves the lane at the end of the one before: of the previous tile or row.
    const float2 begins = last_tile ? (lane == 0 ? y[0][1][0] : y[0][half][0]) : y[last_tile ? t : t + 1][half][0];
    const float2 given = lane % 4 == 0 ? begins : y[t][half][0];
    const int from = lane % 4 == 3 && !last_tile ? lane - 3 : lane + 1;
    const float2 own = y[t][half][1];
    const float2 next = make_float2(__shfl_sync(0xffffffffu, given.x, from), __shfl_sync(0xffffffffu, given.y, from));
    const int m = output(t, half);
    if (m >= a.pitch) continue;
    uint2 first = make_uint2(0u, 0u), second = first;
    if (m < a.n_valid - 1) first = word_of(y[t][half][0], own);
    if (m + 1 < a.n_valid - 1) second = word_of(own, next);
    *reinterpret_cast<uint4*>(line + m) = make_uint4(first.x, first.y, second.x, second.y);
  }
}

__device__ void write_rest(const PackedFirArgs& a, const LinePart& part, uint2* line, const float2* ends) {
  const FirLayout& at = a.at;
  const int thread = static_cast<int>(threadIdx.x);
  const int step = static_cast<int>(blockDim.x);
  for (int unit = thread; unit < part.n_units() - 1; unit += step) {
    const int m = (part.first_unit() + unit + 1) * at.unit_outputs - 1;
    if (m < a.n_valid - 1) line[m] = word_of(ends[2 * unit + 1], ends[2 * unit + 2]);
  }
  const uint4 zeros{};
  if (part.is_last())
    for (int m = at.line_units * at.unit_outputs + 2 * thread; m < a.pitch; m += 2 * step)
      *reinterpret_cast<uint4*>(line + m) = zeros;
  if (blockIdx.x != 0 || blockIdx.y != 0) return;
  for (int m = 2 * thread; m < a.window; m += 2 * step) *reinterpret_cast<uint4*>(a.words + m) = zeros;
}

template <class Sample, int kBlockChunks>
__device__ __forceinline__ void condition_line(const PackedFirArgs& a, uint4* shared) {
  const FirLayout& at = a.at;
  const LinePart part{at};
  const RawLine<Sample> line(a);
  HeldChunks<Sample> held;
  read_held(line, held);
  const uint4* taps = a.taps + (a.spread == 1 ? line.shift : 0) * a.n_steps * kWarp;
  if (fir_taps_in_shared(kBlockChunks)) {
    for (int i = static_cast<int>(threadIdx.x); i < a.n_steps * kWarp; i += static_cast<int>(blockDim.x))
      __pipeline_memcpy_async(shared + at.taps + i, taps + i, sizeof(uint4));
    __pipeline_commit();
  }
  const Found found = look_through(line, held);
  if constexpr (kPeakIsLookedFor<Sample>) {
    if (blockIdx.y == 0) count_invalid(a.in.invalid, static_cast<int>(blockIdx.x), found.invalid);
  }
  const LineLevel level = line_level(a, found);
  if constexpr (kPeakIsLookedFor<Sample>) {
    if (a.at_once && threadIdx.x == 0) leave_peak(a, level.peak);
  }
  if (a.spread == 1)
    fill_line(a, line, held, level, shared);
  else
    spread_line(a, line, level, shared);
  __pipeline_wait_prior(0);
  __syncthreads();
  auto* ends = reinterpret_cast<float2*>(shared + at.ends);
  uint2* words = a.words + a.window + static_cast<long long>(blockIdx.x) * a.pitch;
  const int n_warps = static_cast<int>(blockDim.x) / kWarp;
  constexpr int kTiles = fir_tiles(kBlockChunks);
  const uint4* taps_at = fir_taps_in_shared(kBlockChunks) ? shared + at.taps : taps;
  int unit = static_cast<int>(threadIdx.x) / kWarp;
  UnitSums<kTiles> sums;
  if (unit < part.n_units()) convolve<kBlockChunks>(a, shared, taps_at, unit, sums);
  // Reads the frame's peak as late as possible: other blocks may read their lines later than this one.
  __shared__ float peaks[kFirThreads / kWarp];
  if constexpr (kPeakIsLookedFor<Sample>) {
    const float peak = peak_of_warp(a);
    if (threadIdx.x % kWarp == 0) peaks[threadIdx.x / kWarp] = peak;
    __syncthreads();
  }
  const float scale = word_scale<Sample>(a, level, peaks);
  while (unit < part.n_units()) {
    write_unit<kTiles>(a, part, scale, words, ends, unit, sums);
    unit += n_warps;
    if (unit >= part.n_units()) break;
    sums = {};
    convolve<kBlockChunks>(a, shared, taps_at, unit, sums);
  }
  __syncthreads();
  write_rest(a, part, words, ends);
}

// kBlockChunks 16: 16 or more.
template <class Sample, int kBlockChunks>
__global__ void __launch_bounds__(kFirThreads, fir_blocks(kBlockChunks))
    packed_fir_kernel(const __grid_constant__ PackedFirArgs a) {
  extern __shared__ uint4 shared[];
  condition_line<Sample, kBlockChunks>(a, shared);
}

using FirKernel = void (*)(PackedFirArgs);

template <class Sample>
FirKernel kernel_for(int block_chunks) {
  switch (block_chunks) {
    case 1:
      return packed_fir_kernel<Sample, 1>;
    case 2:
      return packed_fir_kernel<Sample, 2>;
    case 4:
      return packed_fir_kernel<Sample, 4>;
    case 8:
      return packed_fir_kernel<Sample, 8>;
    default:
      return packed_fir_kernel<Sample, 16>;
  }
}

FirKernel kernel_for(const PackedFirArgs& a, SampleType type) {
  return type == SampleType::int16 ? kernel_for<std::int16_t>(a.block_chunks) : kernel_for<float>(a.block_chunks);
}

int fir_threads(const PackedFirArgs& a) {
  const int wanted = a.at.n_units * kWarp;
  return wanted < kFirThreads ? wanted : kFirThreads;
}

}  // namespace

void allow_packed_fir(PackedFirArgs& a, SampleType type) {
  const auto* kernel = reinterpret_cast<const void*>(kernel_for(a, type));
  allow_all_shared_memory(kernel);
  if (a.full_scale != 0.0f) return;
  int device = 0;
  int multiprocessors = 0;
  int blocks = 0;  // per multiprocessor
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, fir_threads(a),
                                                           static_cast<std::size_t>(fir_shared_bytes(a))));
  a.at_once = a.at.n_parts == 1 && blocks * multiprocessors >= a.n_lines;
}

void run_packed_fir(PackedFirArgs& a, SampleType type, StreamView stream) {
  ++a.launch;
  auto start = LaunchStart::in_turn;
  if (a.full_scale == 0.0f) {
    if (!a.at_once) find_peaks(a, stream);
    start = a.at_once ? LaunchStart::together : earliest_start();
  }
  launch(reinterpret_cast<const void*>(kernel_for(a, type)),
         {.blocks = static_cast<std::size_t>(a.n_lines),
          .rows = a.at.n_parts,
          .threads = fir_threads(a),
          .shared_bytes = fir_shared_bytes(a),
          .start = start},
         a, stream);
}

// Finds the largest sample of a frame of floats, before the packed conditioner scales them to halves: for frames whose
// lines do not fit on the device at once.

namespace {

__global__ void __launch_bounds__(kThreads) peaks_kernel(const __grid_constant__ PackedFirArgs a) {
  allow_next_kernel();  // run_packed_fir() may start to read its lines
  const auto* raw = reinterpret_cast<const float*>(a.in.raw);
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
    const auto size = [](float x) { return fabsf(valid_sample(x)); };
    peak = fmaxf(fmaxf(peak, fmaxf(size(v.x), size(v.y))), fmaxf(size(v.z), size(v.w)));
  }
  if (first < head) peak = fmaxf(peak, fabsf(valid_sample(raw[first])));
  const std::size_t tail = head + 4 * n_fours + first;
  if (tail < n) peak = fmaxf(peak, fabsf(valid_sample(raw[tail])));
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
