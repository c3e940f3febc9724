// Host memory for ring slots in CUDA's kinds, and page-locking of memory owned elsewhere.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/plain_array.h"

namespace echoloop::cuda {

// Host memory that kernels can read in place; filled where slots are made, queried by lanes. A block may hold many
// slots: any part of it is found. The caller of a lane keeps a frame's block alive until uploaded().
class MappedRanges {
 public:
  void add(std::span<std::byte> host, const std::byte* device);  // any thread
  void remove(const std::byte* host);                            // any thread
  // Returns the device address of `samples`, nullptr outside mapped memory. [any thread]
  [[nodiscard]] const std::byte* find(std::span<const std::byte> samples) const;
  [[nodiscard]] bool empty() const;  // any thread

 private:
  struct Range {
    std::size_t bytes;
    const std::byte* device;
  };
  mutable std::mutex mutex_;
  std::map<const std::byte*, Range> ranges_;  // by start address, disjoint; under mutex_
};

// Memory of one kind; pageable if the system cannot lock that many pages.
class HostPages {
 public:
  HostPages(std::size_t bytes, HostMemory kind);
  ~HostPages();
  HostPages(const HostPages&) = delete;
  HostPages& operator=(const HostPages&) = delete;
  [[nodiscard]] std::span<std::byte> bytes() { return {data_, bytes_}; }
  [[nodiscard]] HostMemory kind() const { return kind_; }

 private:
  [[nodiscard]] bool lock_huge_pages();

  std::size_t bytes_;
  HostMemory kind_;
  PlainArray<std::byte> huge_;  // locked memory, if not empty
  std::byte* data_ = nullptr;
};

// Page-locked memory of ended streams, kept for the next one. Any thread.
class KeptPages {
 public:
  void keep(std::size_t most_bytes);
  [[nodiscard]] std::unique_ptr<HostPages> take(std::size_t bytes, HostMemory kind);
  void give(std::unique_ptr<HostPages> pages);

 private:
  std::mutex mutex_;
  // Under mutex_.
  std::size_t most_bytes_ = 0, bytes_ = 0;
  std::vector<std::unique_ptr<HostPages>> pages_;
};

class HostBlock final : public HostMemoryBlock {
 public:
  HostBlock(std::size_t bytes, HostMemory kind, std::shared_ptr<MappedRanges> mapped,
            std::shared_ptr<KeptPages> kept = nullptr);
  ~HostBlock() override;
  HostBlock(const HostBlock&) = delete;
  HostBlock& operator=(const HostBlock&) = delete;
  std::span<std::byte> bytes() override { return pages_->bytes(); }
  [[nodiscard]] HostMemory kind() const override { return kind_; }

 private:
  std::unique_ptr<HostPages> pages_;
  HostMemory kind_;
  std::shared_ptr<MappedRanges> mapped_;
  std::shared_ptr<KeptPages> kept_;  // null: pages are freed
};

// Returns nullptr if the pages cannot be locked.
std::unique_ptr<PageLock> lock_pages(std::span<const std::byte> memory, int device);

}  // namespace echoloop::cuda
