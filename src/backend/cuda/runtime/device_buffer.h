// Device memory, owned. Allocated and freed in stream order where the device can: giving a buffer back never waits for
// the frames that still use it. Buffers grow only, at a change of plan; the steady state allocates nothing.
#pragma once

#include <cstddef>

#include "backend/cuda/runtime/stream.h"

namespace echoloop::cuda {

class DeviceBuffer {
 public:
  // Allocations are ordered on `allocate_on`, frees on `free_on`: the stream of the last work that uses the memory.
  DeviceBuffer(StreamView allocate_on, StreamView free_on) : allocate_on_(allocate_on), free_on_(free_on) {}
  explicit DeviceBuffer(StreamView stream) : DeviceBuffer(stream, stream) {}
  ~DeviceBuffer() { release(); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  // At least `bytes`; the contents are lost when it grows.
  void grow(std::size_t bytes);
  template <class T>
  void grow_for(std::size_t count) {
    grow(count * sizeof(T));
  }

  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }

  // Bytes in all buffers of the program. [any thread]
  [[nodiscard]] static std::size_t bytes_in_use() noexcept;

 private:
  void release() noexcept;

  StreamView allocate_on_;
  StreamView free_on_;
  void* data_ = nullptr;
  std::size_t capacity_ = 0;
  bool pooled_ = false;
};

}  // namespace echoloop::cuda
