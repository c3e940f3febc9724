// Memory that samples live in: a read-only mapping of a file, and anonymous page-aligned blocks.
// Why: frames are lent, never copied; a mapping costs nothing until it is read and a block can be page-locked.
// A mapped file may become shorter, or its disk may fail: intact() is the cheap check before lending, and what was lost
// later is known to core/process_memory.h.
#pragma once

#include <sys/resource.h>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/process_memory.h"

namespace echoloop {

class MappedFile {
 public:
  // Throws Error when the path is missing, a folder, not a regular file, empty or unreadable.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);
  // The file that is open as `fd`, which becomes this object's.
  static std::shared_ptr<const MappedFile> adopt(int fd, const std::string& what);
  // Bytes that are in memory already and outlive it: what a reader sees of a file, without one.
  static std::shared_ptr<const MappedFile> borrow(std::span<const std::byte> bytes);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }
  [[nodiscard]] int descriptor() const { return fd_; }

  // These bytes, to be read from now on; what was lent before stays valid. Pages that were read are let go now and then
  // (they stay in the system's cache): a long recording that is played would otherwise fill the process with its pages.
  // Throws Error, naming `what`, when the file became shorter since it was mapped. [any thread]
  [[nodiscard]] std::span<const std::byte> lend(const std::string& what, std::size_t offset, std::size_t size) const;

 private:
  MappedFile() = default;
  [[nodiscard]] bool intact() const;
  int fd_ = -1;
  mutable std::atomic<std::size_t> lent_{0};  // bytes since pages were let go
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::optional<MappingEntry> entry_;  // of what is mapped
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

// From now on an empty page takes the place of a page of a mapped file that cannot be read, and core/process_memory.h
// has a note of it; faults elsewhere end the program as before. Further calls change nothing. [any thread]
void survive_lost_pages();

// How much memory this process may allocate, for messages about data that need more. Any thread.

// Bytes; the reader process has a limit (reader_sandbox.cpp), and without one this is the largest number.
inline std::size_t memory_limit() {
  struct rlimit limit {};
  return ::getrlimit(RLIMIT_DATA, &limit) == 0 ? static_cast<std::size_t>(limit.rlim_cur) : ~std::size_t{0};
}

// Text from a file for use in a message. Internal to src/formats.

// ASCII, other characters as '?', cut after `most`.
std::string printable(std::string_view text, std::size_t most = 60);

}  // namespace echoloop
