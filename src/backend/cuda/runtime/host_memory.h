// Host memory for ring slots in the kinds that CUDA knows, and page-locking of memory that somebody else owns.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "backend/backend.h"

namespace echoloop::cuda {

// Which host memory kernels may read in place. Filled where slots are made, asked by lanes. A block may hold many
// slots: any part of it is found. Whoever hands a frame to a lane keeps its block alive until uploaded().
class MappedRanges {
 public:
  void add(std::span<std::byte> host, const std::byte* device);  // any thread
  void remove(const std::byte* host);                            // any thread
  // Device address of `samples`, nullptr when they do not lie in mapped memory. [any thread]
  [[nodiscard]] const std::byte* find(std::span<const std::byte> samples) const;
  [[nodiscard]] bool empty() const;  // any thread

 private:
  struct Range {
    std::size_t bytes;
    const std::byte* device;
  };
  mutable std::mutex mutex_;
  std::map<const std::byte*, Range> ranges_;  // by where they begin, disjoint; under mutex_
};

// Gives pageable memory, and says so, when the system will not lock that many pages.
class HostBlock final : public HostMemoryBlock {
 public:
  HostBlock(std::size_t bytes, HostMemory kind, std::shared_ptr<MappedRanges> mapped);
  ~HostBlock() override;
  HostBlock(const HostBlock&) = delete;
  HostBlock& operator=(const HostBlock&) = delete;
  std::span<std::byte> bytes() override { return {data_, bytes_}; }
  [[nodiscard]] HostMemory kind() const override { return kind_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_;
  HostMemory kind_;
  std::shared_ptr<MappedRanges> mapped_;
};

// nullptr when the pages cannot be locked.
std::unique_ptr<PageLock> lock_pages(std::span<const std::byte> memory, int device);

}  // namespace echoloop::cuda
