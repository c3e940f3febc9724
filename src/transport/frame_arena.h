// Pieces of the memory that the viewer shares with another process, for frames: the ring's slots, what is read ahead or
// lent to a sender, what the history keeps. The process writes each frame straight into such a piece, and the piece
// goes on as the frame's memory. The memory is large and costs nothing until a piece of it is taken; then the whole
// piece is there, so that reading does not wait for page after page. A piece given back costs nothing again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "core/frame.h"
#include "transport/shared_memory.h"

namespace echoloop {

class FrameArena : public std::enable_shared_from_this<FrameArena> {
 public:
  explicit FrameArena(std::shared_ptr<SharedMemory> memory);

  // Whole pages of its own for `bytes`, given back with the last copy of the owner; empty when none is left.
  FrameMemory allocate(std::size_t bytes);  // any thread
  [[nodiscard]] bool holds(std::span<const std::byte> piece) const;
  [[nodiscard]] std::uint64_t offset_of(std::span<const std::byte> piece) const;  // of what it holds, bytes

 private:
  void give_back(std::size_t offset, std::size_t size);

  const std::shared_ptr<SharedMemory> memory_;
  std::mutex mutex_;
  std::map<std::size_t, std::size_t> free_;  // offset -> size, no two of them side by side. Under mutex_
};

}  // namespace echoloop
