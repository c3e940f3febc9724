#include "transport/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "core/long_work.h"

namespace echoloop {
namespace {

constexpr std::size_t kAtOnce = std::size_t{32} << 20;  // GBs take seconds
constexpr int kCollapse = 25;                           // MADV_COLLAPSE of Linux 6.1, which older libraries do not name

std::size_t in_huge_pages(std::size_t bytes) {
  return (bytes + SharedMemory::kHugePage - 1) / SharedMemory::kHugePage * SharedMemory::kHugePage;
}

}  // namespace

bool seal(int memory, std::size_t size) {
  struct stat info {};
  return ::ftruncate(memory, static_cast<off_t>(size)) == 0 &&
         ::fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0 && ::fstat(memory, &info) == 0 &&
         info.st_size == static_cast<off_t>(size);
}

std::shared_ptr<SharedMemory> SharedMemory::map(int memory, std::size_t size) {
  // At a multiple of the size of a huge page, without which its pages could not be mapped as huge ones.
  void* const room = ::mmap(nullptr, size + kHugePage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return nullptr;
  const auto skipped = in_huge_pages(reinterpret_cast<std::uintptr_t>(room)) - reinterpret_cast<std::uintptr_t>(room);
  auto* const begin = static_cast<std::byte*>(room) + skipped;
  if (skipped > 0) ::munmap(room, skipped);
  const std::size_t pages = (size + kPage - 1) / kPage * kPage;
  ::munmap(begin + pages, kHugePage - skipped);
  if (::mmap(begin, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory, 0) == MAP_FAILED) {
    ::munmap(begin, size);
    return nullptr;
  }
  // The kernel then keeps no record of which pages were read. At the end of the process that record costs three
  // quarters of the time of unmapping, and sockets are closed only after it.
  ::madvise(begin, size, MADV_RANDOM);
  return std::make_shared<SharedMemory>(begin, size);
}

SharedMemory::~SharedMemory() { ::munmap(data_, size_); }

void SharedMemory::make_resident([[maybe_unused]] std::size_t offset, [[maybe_unused]] std::size_t size) const {
#if defined(MADV_POPULATE_READ)
  for (std::size_t done = 0; done < size && !long_work_ended(); done += kAtOnce) {
    ::madvise(data_ + offset + done, std::min(kAtOnce, size - done), MADV_POPULATE_READ);
  }
#endif
}

void SharedMemory::take_huge_pages([[maybe_unused]] std::size_t offset, [[maybe_unused]] std::size_t size) const {
#if defined(MADV_POPULATE_READ)
  const std::size_t end = std::min(in_huge_pages(offset + size), size_ / kHugePage * kHugePage);
  for (std::size_t begin = in_huge_pages(offset); begin < end && !long_work_ended(); begin += kAtOnce) {
    const std::size_t until = std::min(begin + kAtOnce, end);
    for (std::size_t at = begin; at < until; at += kHugePage) {  // an empty one is refused
      ::madvise(data_ + at, 1, MADV_POPULATE_READ);
    }
    ::madvise(data_ + begin, until - begin, kCollapse);
  }
#endif
}

void SharedMemory::forget(std::size_t offset, std::size_t size) const { ::madvise(data_ + offset, size, MADV_REMOVE); }

}  // namespace echoloop
