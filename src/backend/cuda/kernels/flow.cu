// Flow kernels between cuBLAS's matrix products and cuSOLVER's eigenvectors.
#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/runtime/launch.h"
#include "dsp/gate_spectrum.h"
#include "dsp/level.h"

namespace echoloop::cuda {
namespace {

// Returns the sum over pixels of conj(x_i) x_j for a new frame j. Block sums are floats, their sum is double.
__device__ cuDoubleComplex block_sum(const GramShape& s, const Complex* __restrict__ parts, int i, int j) {
  const long long columns = s.n - s.n_known;
  const Complex* part = parts + static_cast<long long>(j - s.n_known) * s.n + i;
  cuDoubleComplex sum{0.0, 0.0};
  for (int b = 0; b < s.n_blocks; ++b) {
    sum.x += static_cast<double>(part[b * columns * s.n].re);
    sum.y += static_cast<double>(part[b * columns * s.n].im);
  }
  return sum;
}

__global__ void __launch_bounds__(kThreads)
    fold_kernel(GramShape s, const Complex* __restrict__ parts, const cuDoubleComplex* __restrict__ before,
                cuDoubleComplex* __restrict__ now) {
  const int at = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (at >= s.n * s.n) return;
  const int i = at % s.n;
  const int j = at / s.n;
  const int gone = s.n - s.n_known;
  if (i < s.n_known && j < s.n_known) {
    if (s.fold == GramFold::begin) now[at] = before[(j + gone) * s.n + i + gone];
    return;
  }
  const cuDoubleComplex sum = j >= s.n_known ? block_sum(s, parts, i, j) : cuConj(block_sum(s, parts, j, i));
  now[at] = s.fold == GramFold::begin ? sum : cuCadd(now[at], sum);
}

__global__ void __launch_bounds__(kThreads)
    keep_kernel(const cuDoubleComplex* __restrict__ v, int n, int first, int end, Keep keep, Complex* __restrict__ w) {
  const int at = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (at >= n * n) return;
  const int s = at % n;
  const int t = at / n;
  double re = 0.0;
  double im = 0.0;
  for (int k = first; k < end; ++k) {
    const cuDoubleComplex a = v[k * n + s];
    const cuDoubleComplex b = v[k * n + t];
    re += a.x * b.x + a.y * b.y;
    im += a.y * b.x - a.x * b.y;
  }
  const double one = s == t ? 1.0 : 0.0;
  const bool rest = keep == Keep::rest;
  w[at] = {static_cast<float>(rest ? one - re : re), static_cast<float>(rest ? -im : im)};
}

// Returns the sum over a block, in a fixed order.
__device__ double block_sum(double v, double* shared) {
  shared[threadIdx.x] = v;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  const double sum = shared[0];
  __syncthreads();
  return sum;
}

__global__ void __launch_bounds__(kThreads)
    axial_kernel(const Complex* __restrict__ frame, int nx, long long n, AxialLag* __restrict__ parts) {
  __shared__ double shared[kThreads];
  double re = 0.0;
  double im = 0.0;
  double power = 0.0;
  for (long long i = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x; i < n; i += kLagParts * kThreads) {
    const Complex above = frame[i];
    const Complex product = lag_product(frame[i + nx], above);
    re += static_cast<double>(product.re);
    im += static_cast<double>(product.im);
    power += static_cast<double>(above.re * above.re + above.im * above.im);
  }
  const AxialLag sum{block_sum(re, shared), block_sum(im, shared), block_sum(power, shared)};
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(kThreads) finish_kernel(const Complex* __restrict__ y, FlowPictures out) {
  const int p = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (p >= out.count) return;
  Complex before = y[p];
  FlowSums now{before.re * before.re + before.im * before.im, {0.0f, 0.0f}};
  for (int t = 1; t < out.n_frames; ++t) {
    const Complex v = y[t * out.pitch + p];
    now.power += v.re * v.re + v.im * v.im;
    now.r1 = now.r1 + lag_product(v, before);
    before = v;
  }
  now.power /= static_cast<float>(out.n_frames);
  const FlowSums shown = out.keep > 0.0f ? persist(out.shown[p], now, out.keep) : now;
  out.shown[p] = shown;
  out.power_db[p] = power_db(shown.power, out.reference_db);
  out.velocity_m_s[p] = kasai_velocity_m_s(shown.r1, out.scale_m_s);
  if (out.low_rank_db != nullptr) out.low_rank_db[p] = to_db(magnitude(before), out.reference_db);
}

}  // namespace

void fold_gram(const GramShape& shape, const Complex* parts, const cuDoubleComplex* before, cuDoubleComplex* now,
               StreamView stream) {
  const auto n = static_cast<std::size_t>(shape.n);
  fold_kernel<<<blocks_for(n * n), kThreads, 0, stream.get()>>>(shape, parts, before, now);
  CUDA_CHECK_LAUNCH("fold_gram");
}

void keep_columns(const cuDoubleComplex* v, int n, int first, int end, Keep keep, Complex* w, StreamView stream) {
  const auto size = static_cast<std::size_t>(n);
  keep_kernel<<<blocks_for(size * size), kThreads, 0, stream.get()>>>(v, n, first, end, keep, w);
  CUDA_CHECK_LAUNCH("keep_columns");
}

void sum_axial_lags(const Complex* frame, int nx, int nz, AxialLag* parts, StreamView stream) {
  const long long n = static_cast<long long>(nx) * (nz - 1);
  axial_kernel<<<kLagParts, kThreads, 0, stream.get()>>>(frame, nx, n, parts);
  CUDA_CHECK_LAUNCH("sum_axial_lags");
}

void finish_flow(const Complex* y, const FlowPictures& out, StreamView stream) {
  finish_kernel<<<blocks_for(static_cast<std::size_t>(out.count)), kThreads, 0, stream.get()>>>(y, out);
  CUDA_CHECK_LAUNCH("finish_flow");
}

// Sums of a Doppler gate (dsp/gate_spectrum.h): a warp per band, its rows shared by the lanes, added in a fixed order.

namespace {

constexpr int kWarp = 32;

__global__ void __launch_bounds__(kWarp* kMaxGateBands)
    gate_kernel(const __grid_constant__ GateGeometry gate, const Complex* __restrict__ pixels, Complex* sums) {
  const int band = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  Complex sum{0.0f, 0.0f};
  for (int row = lane; row < gate.rows; row += kWarp)
    sum = sum + gate_term(gate, band, row, pixels[gate.first + static_cast<long long>(row) * gate.stride]);
  for (int step = kWarp / 2; step > 0; step /= 2) {
    sum.re += __shfl_down_sync(0xffffffffU, sum.re, step);
    sum.im += __shfl_down_sync(0xffffffffU, sum.im, step);
  }
  if (lane == 0) sums[band] = sum;
}

}  // namespace

void sum_gate(const GateGeometry& gate, const Complex* pixels, Complex* sums, StreamView stream) {
  gate_kernel<<<1, static_cast<unsigned>(kWarp * gate.bands), 0, stream.get()>>>(gate, pixels, sums);
  CUDA_CHECK_LAUNCH("sum_gate");
}

}  // namespace echoloop::cuda
