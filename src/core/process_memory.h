// Memory available to the program.
#pragma once

#include <cstddef>
#include <exception>
#include <filesystem>
#include <span>
#include <string>

#include "core/error.h"

namespace echoloop {

// Returns the bytes available without swapping (MemAvailable of Linux; 1 GiB if unknown), limited by the process's
// address space and its control groups, which release pages of files. `root` is the folder of proc and sys.
std::size_t free_host_memory(const std::filesystem::path& root = "/");

// Returns an Error that replaces std::bad_alloc: the object without memory, and the free memory.
[[nodiscard]] Error no_memory_for(const std::string& what);
// Returns the exception's line; for std::bad_alloc that of no_memory_for().
[[nodiscard]] std::string line_of(const std::exception& error, const std::string& what);

// Files mapped into memory, and their lost pages: the file was shortened, or its disk failed or was removed. An access
// to such a page ends a program by default (SIGBUS); the handler (formats/base/mapping.h) puts an empty page there and
// notes it here. Readers of samples therefore call require_readable() before using them. All functions: any thread. The
// table has a fixed size and no lock, as a signal handler reads it.

// Entry of a mapping during the object's lifetime. Throws Error if the table is full.
class MappingEntry {
 public:
  MappingEntry(std::string file, std::span<const std::byte> mapping);
  ~MappingEntry();
  MappingEntry(const MappingEntry&) = delete;
  MappingEntry& operator=(const MappingEntry&) = delete;

  static constexpr std::size_t kMost = 256;

 private:
  std::size_t index_ = 0;
};

// Returns true if the memory belongs to a mapped file, so that its bytes may be lost at any time.
[[nodiscard]] bool in_mapped_file(std::span<const std::byte> memory);

// Throws Error, naming the file, if a page of this memory was lost.
void require_readable(std::span<const std::byte> memory);

// Notes that an open file is shorter than its mapping, before a lost page was read.
void note_shorter_file();

// Returns true if a mapped file, or a page of it, was lost since the program's start.
[[nodiscard]] bool files_were_lost();

// Returns false if the address belongs to no mapped file. Does not allocate or lock. [signal handler]
bool note_lost_page(const std::byte* page, std::size_t bytes);

}  // namespace echoloop
