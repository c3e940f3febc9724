// A Doppler gate's sums (dsp/gate.h): a warp a band, its rows shared by the lanes and added in a fixed order.
#include "backend/cuda/cuda_gate.h"
#include "backend/cuda/runtime/launch.cuh"

namespace echoloop::cuda {
namespace {

constexpr int kWarp = 32;

__global__ void __launch_bounds__(kWarp* kMaxGateBands)
    gate_kernel(const __grid_constant__ GateGeometry gate, const Complex* __restrict__ pixels, Complex* sums) {
  const int band = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  Complex sum{0.0f, 0.0f};
  for (int row = lane; row < gate.rows; row += kWarp) {
    sum = sum + gate_term(gate, band, row, pixels[gate.first + static_cast<long long>(row) * gate.stride]);
  }
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
