#include "transport/frame_arena.h"

#include <algorithm>
#include <iterator>
#include <utility>

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

}  // namespace echoloop
