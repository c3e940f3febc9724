#include "backend/cuda/runtime/device_buffer.h"

#include <atomic>

namespace echoloop::cuda {
namespace {

std::atomic<std::size_t> in_use{0};  // bytes

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
  in_use.fetch_add(bytes, std::memory_order_relaxed);
}

void DeviceBuffer::release() noexcept {
  if (data_ != nullptr) CUDA_QUIET(pooled_ ? cudaFreeAsync(data_, free_on_.get()) : cudaFree(data_));
  in_use.fetch_sub(capacity_, std::memory_order_relaxed);
  data_ = nullptr;
  capacity_ = 0;
}

std::size_t DeviceBuffer::bytes_in_use() noexcept { return in_use.load(std::memory_order_relaxed); }

}  // namespace echoloop::cuda
