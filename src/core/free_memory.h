// How much memory the machine can still give.
#pragma once

#include <cstddef>

namespace echoloop {

// Bytes that new work can take without swapping (MemAvailable of Linux; 1 GiB where that is unknown).
std::size_t free_host_memory();

}  // namespace echoloop
