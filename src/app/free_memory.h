// How much memory the machine can still give.
#pragma once

#include <cstddef>

namespace echoloop {

// Bytes that new work can take without swapping (MemAvailable of Linux; elsewhere the free pages).
std::size_t free_host_memory();

// Budget for looking back when the user names none: a quarter of what is free, at most 4 GB.
std::size_t default_history_bytes();

}  // namespace echoloop
