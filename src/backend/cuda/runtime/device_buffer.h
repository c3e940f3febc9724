// Owned device memory. Allocated and freed in stream order where supported: a release never waits for the frames that
// still use the buffer. Buffers only grow, at a change of plan; the steady state allocates nothing.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "backend/cuda/runtime/cuda_error.h"
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

  // Allocates at least `bytes`; growing loses the contents.
  void grow(std::size_t bytes);
  template <class T>
  void grow_for(std::size_t count) {
    grow(count * sizeof(T));
  }

  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }

  // Returns the bytes in all buffers of the program. [any thread]
  [[nodiscard]] static std::size_t bytes_in_use() noexcept;

 private:
  void release() noexcept;

  StreamView allocate_on_;
  StreamView free_on_;
  void* data_ = nullptr;
  std::size_t capacity_ = 0;
  bool pooled_ = false;
};

// Page-locked host memory that results are copied into, for one thread. Only grows, losing its contents.

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

// Tables of a plan on the device: one copy for all lanes that use the same part of a plan, freed with the last of them.
// A part is identified by its address, unique while the copy keeps the part alive. Tables are copied on a stream of
// their own, so that host and frames in flight do not wait for each other. Processing thread only.

using TableBytes = std::span<const std::byte>;

class DeviceTables {
 public:
  // Copies `tables` of `part` into one allocation.
  DeviceTables(std::shared_ptr<const void> part, std::initializer_list<TableBytes> tables, StreamView copy_on,
               StreamView use_on);

  [[nodiscard]] const void* part() const { return part_.get(); }
  // Makes kernels queued on `stream` later wait for the tables.
  void make_wait(StreamView stream) const { copied_.make_wait(stream); }
  template <class T>
  [[nodiscard]] const T* table(std::size_t index) const {
    return reinterpret_cast<const T*>(memory_.as<std::byte>() + offsets_[index]);
  }

 private:
  std::shared_ptr<const void> part_;
  DeviceBuffer memory_;
  std::vector<std::size_t> offsets_;
  Event copied_{EventUse::order};
};

class TableCache {
 public:
  TableCache(StreamView copy_on, StreamView use_on) : copy_on_(copy_on), use_on_(use_on) {}

  // Returns the device's copy of `part`; copies it if no lane holds one. Tables are indexed in the order of `tables`.
  std::shared_ptr<const DeviceTables> get(const std::shared_ptr<const void>& part,
                                          std::initializer_list<TableBytes> tables);

 private:
  StreamView copy_on_;
  StreamView use_on_;
  std::vector<std::weak_ptr<const DeviceTables>> known_;
};

}  // namespace echoloop::cuda
