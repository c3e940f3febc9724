#include "backend/cuda/device_buffer.h"

namespace echoloop::cuda {
namespace {

bool device_has_pools() {
  int device = 0;
  int supported = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device));
  return supported != 0;
}

}  // namespace

void DeviceBuffer::grow(std::size_t bytes) {
  if (bytes <= capacity_) return;
  release();
  pooled_ = device_has_pools();
  if (pooled_) {
    CUDA_CHECK(cudaMallocAsync(&data_, bytes, allocate_on_.get()));
  } else {
    CUDA_CHECK(cudaMalloc(&data_, bytes));
  }
  capacity_ = bytes;
}

void DeviceBuffer::release() noexcept {
  if (data_ != nullptr) CUDA_QUIET(pooled_ ? cudaFreeAsync(data_, free_on_.get()) : cudaFree(data_));
  data_ = nullptr;
  capacity_ = 0;
}

}  // namespace echoloop::cuda
