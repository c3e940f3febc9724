// How much memory the machine can still give.
#pragma once

#include <cstddef>
#include <exception>
#include <string>

#include "core/error.h"

namespace echoloop {

// Bytes that new work can take without swapping (MemAvailable of Linux; 1 GiB where that is unknown), at most what a
// limit of this process's address space leaves.
std::size_t free_host_memory();

// In place of std::bad_alloc: what has no memory, and how much there is.
[[nodiscard]] Error no_memory_for(const std::string& what);
// The exception's line; of std::bad_alloc, that of no_memory_for().
[[nodiscard]] std::string line_of(const std::exception& error, const std::string& what);

}  // namespace echoloop
