// Host memory for ring slots in the kinds that CUDA knows, and page-locking of memory that somebody else owns.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/plain_array.h"

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

// Memory of one kind; pageable where the system will not lock that many pages.
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
  PlainArray<std::byte> huge_;  // where it is not empty it is what is locked
  std::byte* data_ = nullptr;
};

// Page-locked memory of streams that have ended, for the next one. Any thread.
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
  std::shared_ptr<KeptPages> kept_;  // null: they are freed
};

// nullptr when the pages cannot be locked.
std::unique_ptr<PageLock> lock_pages(std::span<const std::byte> memory, int device);

}  // namespace echoloop::cuda
