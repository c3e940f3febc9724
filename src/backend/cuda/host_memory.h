// Host memory for ring slots in the kinds that CUDA knows, and page-locking of memory that somebody else owns.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backend/backend.h"

namespace echoloop::cuda {

// Which host memory kernels may read in place. Filled where slots are made, asked by lanes.
class MappedRanges {
 public:
  void add(std::span<std::byte> host, const std::byte* device);  // any thread
  void remove(const std::byte* host);                            // any thread
  // Device address of `samples`, nullptr when they do not lie in mapped memory. [any thread]
  [[nodiscard]] const std::byte* find(std::span<const std::byte> samples) const;

 private:
  struct Range {
    std::span<std::byte> host;
    const std::byte* device;
  };
  mutable std::mutex mutex_;
  std::vector<Range> ranges_;  // under mutex_
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
