// Page-locked host memory that the device writes into, for one thread. Grows only; the contents are lost then.
#pragma once

#include <cstddef>

#include "backend/cuda/runtime/cuda_error.h"

namespace echoloop::cuda {

class Landing {
 public:
  Landing() = default;
  ~Landing() { CUDA_QUIET(cudaFreeHost(data_)); }
  Landing(const Landing&) = delete;
  Landing& operator=(const Landing&) = delete;

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
