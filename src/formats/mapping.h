// Memory that samples live in: a read-only mapping of a file, and anonymous page-aligned blocks.
// Why: frames are lent, never copied; a mapping costs nothing until it is read and a block can be page-locked.
// A mapped file that somebody shortens later would fault on access: intact() is the cheap check before lending.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace echoloop {

class MappedFile {
 public:
  // Throws Error when the path is missing, a folder, not a regular file, empty or unreadable.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);
  // Bytes that are in memory already and outlive it: what a reader sees of a file, without one.
  static std::shared_ptr<const MappedFile> borrow(std::span<const std::byte> bytes);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }
  [[nodiscard]] bool intact() const;  // the file is still at least as long as when it was mapped [any thread]

 private:
  MappedFile() = default;
  int fd_ = -1;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

class MemoryBlock {
 public:
  // Zeroed, page-aligned. Throws Error (naming `what`) when the machine has not that much memory.
  static std::shared_ptr<MemoryBlock> allocate(const std::string& what, std::size_t size);
  MemoryBlock(const MemoryBlock&) = delete;
  MemoryBlock& operator=(const MemoryBlock&) = delete;
  ~MemoryBlock();

  [[nodiscard]] std::span<std::byte> bytes() const { return {data_, size_}; }

 private:
  MemoryBlock() = default;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace echoloop
