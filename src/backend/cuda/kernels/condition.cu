// Condition stage of the analytic recipe, around the two transforms: lines widened to float, mean removed, zero padded;
// then the band selected. One block per line, as its mean needs all of it and lines are many.
#include <cstdint>

#include "backend/cuda/kernels/invalid.cuh"
#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/runtime/launch.h"
#include "dsp/fir_design.h"

namespace echoloop::cuda {
namespace {

constexpr int kWarp = 32;

// Returns the sum over the block's threads, in a fixed order, to every thread.
__device__ double block_sum(double v) {
  __shared__ double of_warp[kThreads / kWarp];
  for (int step = kWarp / 2; step > 0; step /= 2) v += __shfl_xor_sync(0xffffffffu, v, step);
  __syncthreads();  // earlier readers are done
  if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp] = v;
  __syncthreads();
  double sum = 0.0;
  for (const double w : of_warp) sum += w;
  return sum;
}

// Reads raw values once, as they may be in host memory: the second pass uses the output of the first, each thread its
// own values.
template <class Sample, bool kRemoveMean>
__global__ void __launch_bounds__(kThreads)
    widen_kernel(const Sample* __restrict__ raw, WidenShape shape, float* values) {
  const long long line = blockIdx.x;
  const Sample* in = raw + line * shape.n_values;
  float* out = values + line * shape.pitch;
  const int c = shape.components;
  double sum[2] = {0.0, 0.0};
  unsigned invalid = 0;
  // Whole samples per thread: (I, Q) pairs stay together.
  const int first = static_cast<int>(threadIdx.x) * c;
  const int step = kThreads * c;
  for (int i = first; i < shape.n_values; i += step) {
    const float v = read_sample(in[i], invalid);
    out[i] = v;
    if (kRemoveMean) sum[0] += static_cast<double>(v);
    if (c == 2) {
      const float q = read_sample(in[i + 1], invalid);
      out[i + 1] = q;
      if (kRemoveMean) sum[1] += static_cast<double>(q);
    }
  }
  count_invalid(shape.invalid, static_cast<int>(blockIdx.x), invalid);
  for (int i = shape.n_values + static_cast<int>(threadIdx.x); i < shape.n_padded; i += kThreads) out[i] = 0.0f;
  if (!kRemoveMean) return;
  const double n = static_cast<double>(shape.n_values / c);
  const auto mean = static_cast<float>(block_sum(sum[0]) / n);
  const float mean_q = c == 2 ? static_cast<float>(block_sum(sum[1]) / n) : 0.0f;
  for (int i = first; i < shape.n_values; i += step) {
    out[i] -= mean;
    if (c == 2) out[i + 1] -= mean_q;
  }
}

template <class Sample>
void launch_widen(const std::byte* raw, const WidenShape& shape, Mean mean, float* values, StreamView stream) {
  const auto* samples = reinterpret_cast<const Sample*>(raw);
  const auto n_blocks = static_cast<unsigned>(shape.n_lines);
  if (mean == Mean::remove)
    widen_kernel<Sample, true><<<n_blocks, kThreads, 0, stream.get()>>>(samples, shape, values);
  else
    widen_kernel<Sample, false><<<n_blocks, kThreads, 0, stream.get()>>>(samples, shape, values);
  CUDA_CHECK_LAUNCH("widen_lines");
}

__global__ void __launch_bounds__(kThreads)
    select_kernel(const Complex* __restrict__ spectrum, const float* __restrict__ response, BandShape shape,
                  Complex* __restrict__ selected) {
  const long long line = blockIdx.x;
  const Complex* in = spectrum + line * shape.n_bins;
  Complex* out = selected + line * shape.n_out;
  for (int m = static_cast<int>(threadIdx.x); m < shape.n_out; m += kThreads)
    out[m] = select_band(in, response, m, shape.n_in, shape.n_out, shape.bin_offset, shape.input);
}

}  // namespace

bool kernels_fit_device() {
  cudaFuncAttributes attributes{};
  return succeeded_quietly(cudaFuncGetAttributes(&attributes, select_kernel));
}

void widen_lines(const std::byte* raw, SampleType type, const WidenShape& shape, Mean mean, float* values,
                 StreamView stream) {
  if (type == SampleType::int16)
    launch_widen<std::int16_t>(raw, shape, mean, values, stream);
  else
    launch_widen<float>(raw, shape, mean, values, stream);
}

void select_bands(const Complex* spectrum, const float* response, const BandShape& shape, Complex* selected,
                  StreamView stream) {
  select_kernel<<<static_cast<unsigned>(shape.n_lines), kThreads, 0, stream.get()>>>(spectrum, response, shape,
                                                                                     selected);
  CUDA_CHECK_LAUNCH("select_bands");
}

// Injected faults: a device that is busy, refuses work, or is lost.

namespace {

// Returns the device's real time, independent of its frequency; steps of up to 1 us.
__device__ unsigned long long device_ns() {
  unsigned long long ns = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

__global__ void busy_kernel(unsigned long long ns) {
  const unsigned long long begin = device_ns();
  while (device_ns() - begin < ns) __nanosleep(500);
}

__global__ void empty_kernel() {}

__global__ void fatal_kernel() { __trap(); }

}  // namespace

void keep_busy(double ms, StreamView stream) {
  busy_kernel<<<1, 1, 0, stream.get()>>>(static_cast<unsigned long long>(ms * 1e6));
  CUDA_CHECK_LAUNCH("keep_busy");
}

void launch_refused(StreamView stream) {
  constexpr unsigned kTooManyThreads = 4096;  // a block may have 1024
  empty_kernel<<<1, kTooManyThreads, 0, stream.get()>>>();
  CUDA_CHECK_LAUNCH("a block of 4096 threads (injected fault)");
}

void launch_fatal(StreamView stream) {
  fatal_kernel<<<1, 1, 0, stream.get()>>>();
  CUDA_CHECK_LAUNCH("a kernel that traps (injected fault)");
}

// One column of an image: one thread per row.

namespace {

__global__ void __launch_bounds__(kThreads)
    column_kernel(const float* __restrict__ image, const __grid_constant__ ColumnShape shape, float* column) {
  const int row = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (row < shape.nz) column[row] = image[static_cast<long long>(row) * shape.nx + shape.column];
}

}  // namespace

void gather_column(const float* image, const ColumnShape& shape, float* column, StreamView stream) {
  column_kernel<<<blocks_for(static_cast<std::size_t>(shape.nz)), kThreads, 0, stream.get()>>>(image, shape, column);
  CUDA_CHECK_LAUNCH("gather_column");
}

}  // namespace echoloop::cuda
