// Page-locked host memory that results are copied into, for one thread. Grows only; the contents are lost then.
#pragma once

#include <cstddef>

#include "backend/cuda/runtime/cuda_error.h"

namespace echoloop::cuda {

class ReadbackBuffer {
 public:
  ReadbackBuffer() = default;
  ~ReadbackBuffer() { CUDA_QUIET(cudaFreeHost(data_)); }
  ReadbackBuffer(const ReadbackBuffer&) = delete;
  ReadbackBuffer& operator=(const ReadbackBuffer&) = delete;

  void grow(std::size_t bytes) {
    if (bytes <= capacity_) return;
    CUDA_QUIET(cudaFreeHost(data_));
    data_ = nullptr;
    capacity_ = 0;
    CUDA_CHECK(cudaHostAlloc(&data_, bytes, cudaHostAllocDefault));
    capacity_ = bytes;
  }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace echoloop::cuda
