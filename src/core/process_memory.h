// How much memory the machine can still give.
#pragma once

#include <cstddef>
#include <exception>
#include <filesystem>
#include <span>
#include <string>

#include "core/error.h"

namespace echoloop {

// Bytes that new work can take without swapping (MemAvailable of Linux; 1 GiB where that is unknown), at most what the
// limits of this process leave: of its address space, and of its control groups, which give pages of files back. `root`
// is the folder of proc and sys.
std::size_t free_host_memory(const std::filesystem::path& root = "/");

// In place of std::bad_alloc: what has no memory, and how much there is.
[[nodiscard]] Error no_memory_for(const std::string& what);
// The exception's line; of std::bad_alloc, that of no_memory_for().
[[nodiscard]] std::string line_of(const std::exception& error, const std::string& what);

// The files that are mapped into memory, and which of their pages were lost: the file became shorter, or its disk
// failed or was removed. An access to such a page ends a program by default (SIGBUS); the handler
// (formats/base/mapping.h) puts an empty page there and notes it here. Who has read samples therefore asks
// require_readable() before their use. All functions: any thread. The table has a fixed size and no lock, as a signal
// handler reads it.

// A mapping in the table, as long as this object exists. Throws Error when the table is full.
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

// Whether the memory belongs to a mapped file, so that its bytes may be lost at any time.
[[nodiscard]] bool in_mapped_file(std::span<const std::byte> memory);

// Throws Error, naming the file, when a page of this memory was lost.
void require_readable(std::span<const std::byte> memory);

// Notes that an open file was found to be shorter than its mapping, before one of its lost pages was read.
void note_shorter_file();

// Whether a mapped file, or a page of it, was lost since the program started.
[[nodiscard]] bool files_were_lost();

// False when the address belongs to no mapped file. Nothing here allocates or locks. [signal handler]
bool note_lost_page(const std::byte* page, std::size_t bytes);

}  // namespace echoloop
