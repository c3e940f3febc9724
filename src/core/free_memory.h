// How much memory the machine can still give.
#pragma once

#include <cstddef>
#include <exception>
#include <filesystem>
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

}  // namespace echoloop
