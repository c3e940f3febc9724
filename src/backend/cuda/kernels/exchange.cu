#include "backend/cuda/kernels/exchange.h"
#include "backend/cuda/runtime/cuda_error.h"
#include "backend/cuda/runtime/launch.h"
#include "dsp/methods/das_channels.h"

namespace echoloop::cuda {
namespace {

// One thread per pixel and element; neighbouring threads write neighbouring elements.
__global__ void channels_kernel(const __grid_constant__ DasGeometry geometry, const Complex* __restrict__ lines,
                                int first, long long n, Complex* __restrict__ channels) {
  const long long at = static_cast<long long>(blockIdx.x) * kThreads + static_cast<long long>(threadIdx.x);
  if (at >= n) return;
  const auto element = static_cast<int>(at % geometry.n_el);
  const long long pixel = at / geometry.n_el;
  const DasChannels<DasForm::general> from(geometry, lines, static_cast<int>(pixel % geometry.nx),
                                           first + static_cast<int>(pixel / geometry.nx));
  channels[at] = channel_of_pixel(from, element, [&](int t) { return from.transmit(t); });
}

__device__ __forceinline__ bool fits(float value) { return isfinite(value); }
__device__ __forceinline__ bool fits(Complex value) { return isfinite(value.re) && isfinite(value.im); }
__device__ __forceinline__ void put(float from, Complex& to) { to = {from, 0.0f}; }
template <class T>
__device__ __forceinline__ void put(T from, T& to) {
  to = from;
}

template <class From>
__global__ void count_wrong_kernel(const From* __restrict__ from, std::size_t n, unsigned* wrong) {
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const unsigned found = __syncthreads_count(static_cast<int>(at < n && !fits(from[at])));
  if (threadIdx.x == 0 && found > 0) atomicAdd(wrong, found);
}

template <class From, class To>
__global__ void take_kernel(const From* __restrict__ from, std::size_t n, To* __restrict__ to, AnswerCheck check) {
  const unsigned wrong = *check.wrong;
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (at == 0) *check.seen = wrong;
  if (at < n && wrong == 0) put(from[at], to[at]);
}

template <class From, class To>
void take(const From* from, std::size_t n, To* to, const AnswerCheck& check, StreamView stream) {
  CUDA_CHECK(cudaMemsetAsync(check.wrong, 0, sizeof(unsigned), stream.get()));
  count_wrong_kernel<<<blocks_for(n), kThreads, 0, stream.get()>>>(from, n, check.wrong);
  take_kernel<<<blocks_for(n), kThreads, 0, stream.get()>>>(from, n, to, check);
  CUDA_CHECK_LAUNCH("take an answer");
}

}  // namespace

void take_amplitudes(const float* from, std::size_t n, Complex* to, const AnswerCheck& check, StreamView stream) {
  take(from, n, to, check, stream);
}

void take_pixels(const Complex* from, std::size_t n, Complex* to, const AnswerCheck& check, StreamView stream) {
  take(from, n, to, check, stream);
}

void take_levels(const float* from, std::size_t n, float* to, const AnswerCheck& check, StreamView stream) {
  take(from, n, to, check, stream);
}

void delay_channels(const DasGeometry& g, const Complex* lines, int first, int rows, Complex* channels,
                    StreamView stream) {
  const long long n = static_cast<long long>(rows) * g.nx * g.n_el;
  channels_kernel<<<blocks_for(static_cast<std::size_t>(n)), kThreads, 0, stream.get()>>>(g, lines, first, n, channels);
  CUDA_CHECK_LAUNCH("delay_channels");
}

}  // namespace echoloop::cuda
