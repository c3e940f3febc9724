#include "transport/frame_arena.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/error.h"

namespace echoloop {
namespace {

constexpr std::size_t kPage = 4096;

}  // namespace

FrameArena::FrameArena(std::shared_ptr<SharedMemory> memory)
    : memory_(std::move(memory)), free_{{0, memory_->bytes().size() / kPage * kPage}} {}

FrameMemory FrameArena::allocate(std::size_t bytes) {
  if (bytes == 0 || bytes > memory_->bytes().size()) return {};
  const std::size_t size = (bytes + kPage - 1) / kPage * kPage;
  std::size_t offset = 0;
  {
    const std::scoped_lock lock(mutex_);
    const auto place = std::find_if(free_.begin(), free_.end(), [size](const auto& at) { return at.second >= size; });
    if (place == free_.end()) return {};
    offset = place->first;
    const std::size_t left = place->second - size;
    free_.erase(place);
    if (left > 0) free_[offset + size] = left;
  }
  memory_->make_resident(offset, size);
  std::byte* const data = memory_->bytes().data() + offset;
  return {.bytes = {data, bytes},
          .owner = std::shared_ptr<const void>(
              data, [arena = shared_from_this(), offset, size](const void*) { arena->give_back(offset, size); }),
          .kind = HostMemory::pageable};
}

void FrameArena::give_back(std::size_t offset, std::size_t size) {
  memory_->forget(offset, size);
  const std::scoped_lock lock(mutex_);
  auto place = free_.emplace(offset, size).first;
  const auto next = std::next(place);
  if (next != free_.end() && offset + size == next->first) {
    place->second += next->second;
    free_.erase(next);
  }
  if (place == free_.begin()) return;
  const auto before = std::prev(place);
  if (before->first + before->second == offset) {
    before->second += place->second;
    free_.erase(place);
  }
}

bool FrameArena::holds(std::span<const std::byte> piece) const {
  const std::span<const std::byte> all = memory_->bytes();
  return !piece.empty() && piece.data() >= all.data() && piece.data() + piece.size() <= all.data() + all.size();
}

std::uint64_t FrameArena::offset_of(std::span<const std::byte> piece) const {
  return static_cast<std::uint64_t>(piece.data() - memory_->bytes().data());
}

bool seal(int memory, std::size_t size) {
  struct stat info {};
  return ::ftruncate(memory, static_cast<off_t>(size)) == 0 &&
         ::fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0 && ::fstat(memory, &info) == 0 &&
         info.st_size == static_cast<off_t>(size);
}

std::shared_ptr<SharedMemory> SharedMemory::map(int memory, std::size_t size) {
  void* const data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (data == MAP_FAILED) return nullptr;
  // Keeps the kernel from recording which pages were read. That record costs three quarters of the time of unmapping at
  // the end of the process, and sockets are closed only after it.
  ::madvise(data, size, MADV_RANDOM);
  return std::make_shared<SharedMemory>(static_cast<std::byte*>(data), size);
}

SharedMemory::~SharedMemory() { ::munmap(data_, size_); }

void SharedMemory::make_resident([[maybe_unused]] std::size_t offset, [[maybe_unused]] std::size_t size) const {
#if defined(MADV_POPULATE_READ)
  constexpr std::size_t kPiece = std::size_t{32} << 20;  // GBs need seconds
  for (std::size_t done = 0; done < size && !long_work_ended(); done += kPiece)
    ::madvise(data_ + offset + done, std::min(kPiece, size - done), MADV_POPULATE_READ);
#endif
}

void SharedMemory::forget(std::size_t offset, std::size_t size) const { ::madvise(data_ + offset, size, MADV_REMOVE); }

}  // namespace echoloop
