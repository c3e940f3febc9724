// Pieces of the memory that the viewer shares with another process, for frames: the ring's slots, frames read ahead,
// lent to a sender or kept by the history. The process writes each frame directly into a piece, which remains the
// frame's memory. The memory is large and costs nothing until a piece is allocated; then the whole piece is resident,
// so that reading does not wait for single pages. A freed piece costs nothing again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "core/frame.h"

namespace echoloop {

// Memory that the viewer shares with another process: a reader process, or a sender at a scanner. The viewer makes it,
// fixes its size and maps it; the other process gets its descriptor.

// Sets the size of a file of memfd_create(.., MFD_ALLOW_SEALING), and seals it: a process that shortened it could crash
// the other. Returns false if the system refuses, or the file has another size (errno).
[[nodiscard]] bool seal(int memory, std::size_t size);

class SharedMemory {
 public:
  // Maps the whole file, writable although the viewer only reads: drivers refuse to page-lock read-only memory. Returns
  // null without room for it.
  static std::shared_ptr<SharedMemory> map(int memory, std::size_t size);
  // Owns an existing mapping.
  SharedMemory(std::byte* data, std::size_t size) : data_(data), size_(size) {}
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();
  [[nodiscard]] std::span<std::byte> bytes() const { return {data_, size_}; }
  // Allocates these whole pages at once instead of page by page on reading (as happens if the program ends meanwhile:
  // core/error.h).
  void make_resident(std::size_t offset, std::size_t size) const;
  void forget(std::size_t offset, std::size_t size) const;  // whole pages: drops their contents and frees them

 private:
  std::byte* data_;
  std::size_t size_;
};

class FrameArena : public std::enable_shared_from_this<FrameArena> {
 public:
  explicit FrameArena(std::shared_ptr<SharedMemory> memory);

  // Returns whole pages for `bytes`, freed with the last copy of the owner; empty if none is left.
  FrameMemory allocate(std::size_t bytes);  // any thread
  [[nodiscard]] bool holds(std::span<const std::byte> piece) const;
  [[nodiscard]] std::uint64_t offset_of(std::span<const std::byte> piece) const;  // `piece` is from this arena; bytes

 private:
  void give_back(std::size_t offset, std::size_t size);

  const std::shared_ptr<SharedMemory> memory_;
  std::mutex mutex_;
  std::map<std::size_t, std::size_t> free_;  // offset -> size, never adjacent. Under mutex_
};

}  // namespace echoloop
