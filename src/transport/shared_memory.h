// Memory that the viewer shares with another process: a reader process, or a sender beside a scanner. The viewer makes
// it, gives it its size for good and maps it; the other process gets its descriptor.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace echoloop {

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

}  // namespace echoloop
