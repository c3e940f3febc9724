// A block takes a line: its mean needs all of it, and lines are many. Samples go to shared memory as floats, in planes
// (dsp/packed_fir.h); a thread makes 8 neighbouring outputs, so that a sample read from shared memory serves 8 of them
// and a tap, read by all lanes at once, 8 too: 16 reads of 16 bytes feed 256 multiply-adds. Outputs pass through
// shared memory to meet their neighbours and to be written in order.
#include <cuda_fp16.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "backend/cuda/packed_fir.h"
#include "backend/cuda/packed_fir_load.cuh"
#include "dsp/packed.h"
#include "dsp/packed_fir.h"

namespace echoloop::cuda {
namespace {

// x: [16] inputs of the thread's 8 outputs for 8 taps.
__device__ __forceinline__ void convolve_block(const float (&x)[2 * kFirBlock], const float4* taps,
                                               float (&re)[kFirBlock], float (&im)[kFirBlock]) {
#pragma unroll
  for (int pair = 0; pair < kFirBlock / 2; ++pair) {
    const float4 t = taps[pair];
#pragma unroll
    for (int r = 0; r < kFirBlock; ++r) {
      re[r] = fmaf(t.x, x[r + 2 * pair], re[r]);
      im[r] = fmaf(t.y, x[r + 2 * pair], im[r]);
    }
#pragma unroll
    for (int r = 0; r < kFirBlock; ++r) {
      re[r] = fmaf(t.z, x[r + 2 * pair + 1], re[r]);
      im[r] = fmaf(t.w, x[r + 2 * pair + 1], im[r]);
    }
  }
}

__device__ __forceinline__ void convolve_real(const float (&x)[2 * kFirBlock], const float4* taps,
                                              float (&sums)[kFirBlock]) {
#pragma unroll
  for (int quad = 0; quad < kFirBlock / 4; ++quad) {
    const float4 t = taps[quad];
#pragma unroll
    for (int r = 0; r < kFirBlock; ++r) {
      sums[r] = fmaf(t.x, x[r + 4 * quad], sums[r]);
      sums[r] = fmaf(t.y, x[r + 4 * quad + 1], sums[r]);
      sums[r] = fmaf(t.z, x[r + 4 * quad + 2], sums[r]);
      sums[r] = fmaf(t.w, x[r + 4 * quad + 3], sums[r]);
    }
  }
}

__device__ __forceinline__ void read_block(const float* plane, int place, float* x) {
  const float4 a = *reinterpret_cast<const float4*>(plane + fir_gaps(place));
  const float4 b = *reinterpret_cast<const float4*>(plane + fir_gaps(place + 4));
  x[0] = a.x, x[1] = a.y, x[2] = a.z, x[3] = a.w;
  x[4] = b.x, x[5] = b.y, x[6] = b.z, x[7] = b.w;
}

// Outputs of interpolation phase l: to the second filter's planes, or to the line.
__device__ void first_filter(const PackedFirArgs& a, const FirLayout& at, float* shared, const LineLevel& level,
                             int l) {
  const int n_planes = a.components << a.decimation_log2;
  const float* taps = shared + at.taps + 2 * l * n_planes * a.taps_per_plane;
  auto* outputs = reinterpret_cast<float2*>(shared + at.outputs);
  const Complex dc = a.dc_gain[l];
  const int step = kFirBlock * static_cast<int>(blockDim.x);
  for (int place = kFirBlock * static_cast<int>(threadIdx.x); place < at.n_first; place += step) {
    float re[kFirBlock];
    float im[kFirBlock];
#pragma unroll
    for (int r = 0; r < kFirBlock; ++r) {
      re[r] = -level.mean * dc.re;
      im[r] = -level.mean * dc.im;
    }
    const float4* tap = reinterpret_cast<const float4*>(taps);
    for (int plane = 0; plane < n_planes; ++plane) {
      const float* in = shared + plane * at.first_stride;
      float x[2 * kFirBlock];
      read_block(in, place, x);
#pragma unroll 2
      for (int j = 0; j < a.taps_per_plane; j += kFirBlock) {
        read_block(in, place + j + kFirBlock, x + kFirBlock);
        convolve_block(x, tap, re, im);
        tap += kFirBlock / 2;
#pragma unroll
        for (int k = 0; k < kFirBlock; ++k) x[k] = x[k + kFirBlock];
      }
    }
#pragma unroll
    for (int r = 0; r < kFirBlock; ++r) {
      const int m = (place + r - at.extend) * a.interpolation + l;
      const int turns = static_cast<int>(static_cast<unsigned>(m) * a.turns_step);  // modulo a turn, signed
      const float angle = -6.28318531f * 0x1p-32f * static_cast<float>(turns);
      const float c = __cosf(angle) * level.scale;
      const float s = __sinf(angle) * level.scale;
      const float2 y = make_float2(re[r] * c - im[r] * s, re[r] * s + im[r] * c);
      if (a.n_line_taps == 0) {
        outputs[fir_output_place(m)] = y;
      } else {
        const int to = at.second + fir_gaps(m + a.n_line_taps / 2);
        shared[to] = y.x;
        shared[to + at.second_stride] = y.y;
      }
    }
  }
}

__device__ void second_filter(const PackedFirArgs& a, const FirLayout& at, float* shared) {
  auto* outputs = reinterpret_cast<float2*>(shared + at.outputs);
  const int step = kFirBlock * static_cast<int>(blockDim.x);
  for (int place = kFirBlock * static_cast<int>(threadIdx.x); place < at.n_last; place += step) {
    float sums[2][kFirBlock] = {};
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      const float* in = shared + at.second + part * at.second_stride;
      const float4* tap = reinterpret_cast<const float4*>(shared + at.line_taps);
      float x[2 * kFirBlock];
      read_block(in, place, x);
#pragma unroll 2
      for (int j = 0; j < a.n_line_taps; j += kFirBlock) {
        read_block(in, place + j + kFirBlock, x + kFirBlock);
        convolve_real(x, tap, sums[part]);
        tap += kFirBlock / 4;
#pragma unroll
        for (int k = 0; k < kFirBlock; ++k) x[k] = x[k + kFirBlock];
      }
    }
#pragma unroll
    for (int r = 0; r < kFirBlock; ++r) outputs[fir_output_place(place + r)] = make_float2(sums[0][r], sums[1][r]);
  }
}

__device__ __forceinline__ unsigned as_bits(__half2 v) { return *reinterpret_cast<unsigned*>(&v); }

__device__ void write_words(const PackedFirArgs& a, const float2* outputs) {
  uint2* line = a.words + a.window + static_cast<long long>(blockIdx.x) * a.pitch;
  for (int m = static_cast<int>(threadIdx.x); m < a.pitch; m += static_cast<int>(blockDim.x)) {
    uint2 word = make_uint2(0u, 0u);
    if (m < a.n_valid - 1) {
      const float2 v = outputs[fir_output_place(m)];
      const float2 next = outputs[fir_output_place(m + 1)];
      word.x = as_bits(__floats2half2_rn(v.x, v.y));
      word.y = as_bits(__floats2half2_rn((next.x - v.x) * kStepScale, (next.y - v.y) * kStepScale));
    }
    line[m] = word;
  }
  if (blockIdx.x == 0) {
    for (int m = static_cast<int>(threadIdx.x); m < a.window; m += static_cast<int>(blockDim.x)) {
      a.words[m] = make_uint2(0u, 0u);
    }
  }
}

template <class Sample>
__global__ void __launch_bounds__(kFirThreads, 3) packed_fir_kernel(const __grid_constant__ PackedFirArgs a) {
  extern __shared__ __align__(16) float shared[];
  const FirLayout at = fir_layout(a);
  const int n_taps = at.line_taps - at.taps;
  for (int i = static_cast<int>(threadIdx.x); i < n_taps; i += static_cast<int>(blockDim.x)) {
    shared[at.taps + i] = reinterpret_cast<const float*>(a.taps)[i];
  }
  for (int i = static_cast<int>(threadIdx.x); i < a.n_line_taps; i += static_cast<int>(blockDim.x)) {
    shared[at.line_taps + i] = a.line_taps[i];
  }
  const float sum = load_line(a, at, static_cast<const Sample*>(nullptr), shared);
  const LineLevel level = line_level(a, sum);
  fill_ends(a, at, shared, level.mean);
  __syncthreads();
  for (int l = 0; l < a.interpolation; ++l) first_filter(a, at, shared, level, l);
  __syncthreads();
  if (a.n_line_taps > 0) {
    second_filter(a, at, shared);
    __syncthreads();
  }
  write_words(a, reinterpret_cast<const float2*>(shared + at.outputs));
}

__global__ void __launch_bounds__(kFirThreads)
    peaks_kernel(const float* __restrict__ raw, std::size_t n, float* peaks) {
  __shared__ float of_warp[kFirThreads / kWarp];
  float peak = 0.0f;
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * kFirThreads;
#pragma unroll 8
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * kFirThreads + threadIdx.x; i < n; i += step) {
    peak = fmaxf(peak, fabsf(__ldg(raw + i)));
  }
  for (int s = kWarp / 2; s > 0; s /= 2) peak = fmaxf(peak, __shfl_xor_sync(0xffffffffu, peak, s));
  if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp] = peak;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (const float w : of_warp) peak = fmaxf(peak, w);
  peaks[blockIdx.x] = peak;
}

}  // namespace

PackedFirArgs packed_fir_args(const Acquisition& a, const PackedFir& fir, const PackedLineShape& shape,
                              const PackedFirMemory& m) {
  constexpr float kInt16Full = 32768.0f;
  int log2 = 0;
  while (1 << log2 < fir.decimation) ++log2;
  const double turns = fir.turns_per_sample - std::floor(fir.turns_per_sample);
  const bool rf = a.signal == SignalKind::rf;
  return {.raw = m.raw,
          .n_lines = a.n_transmits() * a.n_elements(),
          .n_samples = a.n_samples,
          .components = fir.components,
          .decimation_log2 = log2,
          .interpolation = fir.interpolation,
          .taps_per_plane = fir.taps_per_plane,
          .n_line_taps = static_cast<int>(fir.line_taps.size()),
          .n_out = shape.n_valid,
          .n_valid = shape.n_valid,
          .pitch = shape.pitch,
          .window = shape.window,
          .turns_step = static_cast<unsigned>(static_cast<unsigned long long>(std::llround(turns * 0x1p32))),
          .remove_mean = rf,
          .gain_bound = (rf ? 2.0f : 1.0f) * fir.gain_bound,  // less its mean, a sample may be twice as large
          .full_scale = a.sample_type == SampleType::int16 ? kInt16Full : 0.0f,
          .peaks = m.peaks,
          .taps = m.taps,
          .dc_gain = m.dc_gain,
          .line_taps = m.line_taps,
          .words = m.words,
          .scale = m.scale};
}

void allow_packed_fir(int shared_bytes) {
  CUDA_CHECK(
      cudaFuncSetAttribute(packed_fir_kernel<std::int16_t>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  CUDA_CHECK(cudaFuncSetAttribute(packed_fir_kernel<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
}

void run_packed_fir(const PackedFirArgs& a, SampleType type, StreamView stream) {
  const auto blocks = static_cast<unsigned>(a.n_lines);
  const int wanted = (fir_layout(a).n_first / kFirBlock + kWarp - 1) / kWarp * kWarp;
  const auto threads = static_cast<unsigned>(wanted < kFirThreads ? wanted : kFirThreads);
  const auto shared = static_cast<std::size_t>(fir_shared_bytes(a));
  if (type == SampleType::int16) {
    packed_fir_kernel<std::int16_t><<<blocks, threads, shared, stream.get()>>>(a);
  } else {
    packed_fir_kernel<float><<<blocks, threads, shared, stream.get()>>>(a);
  }
  CUDA_CHECK_LAUNCH("run_packed_fir");
}

void find_peaks(const float* raw, std::size_t n, float* peaks, StreamView stream) {
  peaks_kernel<<<kPeakPartials, kFirThreads, 0, stream.get()>>>(raw, n, peaks);
  CUDA_CHECK_LAUNCH("find_peaks");
}

}  // namespace echoloop::cuda
