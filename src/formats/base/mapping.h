// Memory of samples: a read-only mapping of a file, and anonymous page-aligned blocks.
// Reason: frames are lent, never copied; a mapping costs no memory until read, and a block can be page-locked. A mapped
// file may be shortened, or its disk may fail: intact() is the cheap check before lending; core/process_memory.h
// records later losses.
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
  // Throws Error if the path is missing, a folder, not a regular file, empty or unreadable.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);
  // Maps the file open as `fd` and owns the descriptor. Throws Error as open() does.
  static std::shared_ptr<const MappedFile> adopt(int fd, const std::string& what);
  // Wraps bytes already in memory that outlive the object, so that readers can use them without a file.
  static std::shared_ptr<const MappedFile> borrow(std::span<const std::byte> bytes);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }
  [[nodiscard]] int descriptor() const { return fd_; }

  // Returns these bytes; earlier results remain valid. At intervals, pages that were read are released (they remain in
  // the system's cache), as a long recording would otherwise fill the process with its pages. Throws Error, naming
  // `what`, if the file was shortened since it was mapped. [any thread]
  [[nodiscard]] std::span<const std::byte> lend(const std::string& what, std::size_t offset, std::size_t size) const;

 private:
  MappedFile() = default;
  [[nodiscard]] bool intact() const;
  int fd_ = -1;
  mutable std::atomic<std::size_t> lent_{0};  // bytes lent since pages were released
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::optional<MappingEntry> entry_;  // empty if not mapped
};

class MemoryBlock {
 public:
  // Returns zeroed, page-aligned memory. Throws Error (naming `what`) if the machine lacks that much memory.
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

// Installs a handler that replaces unreadable pages of mapped files by empty pages and notes them in
// core/process_memory.h; other faults end the program as before. Further calls have no effect. [any thread]
void survive_lost_pages();

// Memory that this process may allocate, for messages about data that need more. Any thread.

// Returns the limit in bytes: that of the reader process (reader_sandbox.cpp), or the largest number without one.
inline std::size_t memory_limit() {
  struct rlimit limit {};
  return ::getrlimit(RLIMIT_DATA, &limit) == 0 ? static_cast<std::size_t>(limit.rlim_cur) : ~std::size_t{0};
}

// Text from a file for use in a message. Internal to src/formats.

// Returns ASCII text with other characters as '?', cut after `most`.
std::string printable(std::string_view text, std::size_t most = 60);

}  // namespace echoloop
