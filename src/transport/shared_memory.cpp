#include "transport/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "core/long_work.h"

namespace echoloop {

bool seal(int memory, std::size_t size) {
  struct stat info {};
  return ::ftruncate(memory, static_cast<off_t>(size)) == 0 &&
         ::fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0 && ::fstat(memory, &info) == 0 &&
         info.st_size == static_cast<off_t>(size);
}

std::shared_ptr<SharedMemory> SharedMemory::map(int memory, std::size_t size) {
  void* const data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (data == MAP_FAILED) return nullptr;
  // The kernel then keeps no record of which pages were read. At the end of the process that record costs three
  // quarters of the time of unmapping, and sockets are closed only after it.
  ::madvise(data, size, MADV_RANDOM);
  return std::make_shared<SharedMemory>(static_cast<std::byte*>(data), size);
}

SharedMemory::~SharedMemory() { ::munmap(data_, size_); }

void SharedMemory::make_resident([[maybe_unused]] std::size_t offset, [[maybe_unused]] std::size_t size) const {
#if defined(MADV_POPULATE_READ)
  constexpr std::size_t kPiece = std::size_t{32} << 20;  // GBs take seconds
  for (std::size_t done = 0; done < size && !long_work_ended(); done += kPiece) {
    ::madvise(data_ + offset + done, std::min(kPiece, size - done), MADV_POPULATE_READ);
  }
#endif
}

void SharedMemory::forget(std::size_t offset, std::size_t size) const { ::madvise(data_ + offset, size, MADV_REMOVE); }

}  // namespace echoloop
