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

namespace echoloop {

// Memory that the viewer shares with another process: a reader process, or a sender beside a scanner. The viewer makes
// it, gives it its size for good and maps it; the other process gets its descriptor.

// Gives the file of memfd_create(.., MFD_ALLOW_SEALING) this size, and seals it: a process that shortened it could
// crash the other. False when the system refuses, or the file has another size (errno).
[[nodiscard]] bool seal(int memory, std::size_t size);

class SharedMemory {
 public:
  // All of the file, writable, though the viewer only reads: drivers refuse to page-lock what cannot be written. Null
  // when there is no room for it.
  static std::shared_ptr<SharedMemory> map(int memory, std::size_t size);
  // Takes over a mapping.
  SharedMemory(std::byte* data, std::size_t size) : data_(data), size_(size) {}
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();
  [[nodiscard]] std::span<std::byte> bytes() const { return {data_, size_}; }
  // Takes memory for these whole pages and maps them at once, not page by page as they are read (which they are where
  // the program ends meanwhile: core/long_work.h).
  void make_resident(std::size_t offset, std::size_t size) const;
  void forget(std::size_t offset, std::size_t size) const;  // whole pages: what is there is lost, its memory free

 private:
  std::byte* data_;
  std::size_t size_;
};

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
