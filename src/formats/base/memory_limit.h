// How much memory this process may allocate, for messages about data that need more. Any thread.
#pragma once

#include <sys/resource.h>

#include <cstddef>

namespace echoloop {

// Bytes; the reader process has a limit (reader_sandbox.cpp), and without one this is the largest number.
inline std::size_t memory_limit() {
  struct rlimit limit {};
  return ::getrlimit(RLIMIT_DATA, &limit) == 0 ? static_cast<std::size_t>(limit.rlim_cur) : ~std::size_t{0};
}

}  // namespace echoloop
