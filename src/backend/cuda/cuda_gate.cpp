#include "backend/cuda/cuda_gate.h"

#include <utility>

namespace echoloop::cuda {

CudaGateDevice::CudaGateDevice(std::shared_ptr<Context> context) : context_(std::move(context)) {
  void* memory = nullptr;
  CUDA_CHECK(cudaHostAlloc(&memory, kSlots * kMaxGateBands * sizeof(Complex), cudaHostAllocMapped));
  host_ = static_cast<Complex*>(memory);
  void* seen = nullptr;
  const cudaError_t status = cudaHostGetDevicePointer(&seen, memory, 0);
  if (status != cudaSuccess) {
    CUDA_QUIET(cudaFreeHost(memory));
    CUDA_CHECK(status);
  }
  device_ = static_cast<Complex*>(seen);
}

CudaGateDevice::~CudaGateDevice() {
  if (device_lost()) return;
  CUDA_QUIET(cudaSetDevice(context_->device));
  context_->processing.view().synchronize_quietly();  // kernels may still write
  CUDA_QUIET(cudaFreeHost(host_));
}

bool CudaGateDevice::take(const GateGeometry& gate, const PixelView& pixels) {
  if (taken_ - returned_ >= kSlots) return false;
  const auto at = static_cast<std::size_t>(taken_ % kSlots);
  const StreamView processing = context_->processing.view();
  sum_gate(gate, pixels.values, device_ + at * kMaxGateBands, processing);
  slots_[at].there.record(processing);
  slots_[at].bands = gate.bands;
  ++taken_;
  return true;
}

std::span<const Complex> CudaGateDevice::next() {
  const auto at = static_cast<std::size_t>(returned_ % kSlots);
  if (returned_ == taken_ || !slots_[at].there.passed()) return {};
  ++returned_;
  return {host_ + at * kMaxGateBands, static_cast<std::size_t>(slots_[at].bands)};
}

void CudaGateDevice::wait() {
  if (taken_ > returned_) slots_[static_cast<std::size_t>((taken_ - 1) % kSlots)].there.synchronize();
}

}  // namespace echoloop::cuda
