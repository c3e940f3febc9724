#include "app/stream/spare_memory.h"

#include <malloc.h>

#include <algorithm>

#include "core/free_memory.h"

namespace echoloop {

std::size_t default_history_bytes() {
  constexpr std::size_t kMost = 4'000'000'000;
  return std::min(free_host_memory() / 4, kMost);
}

void give_back_freed_memory() {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

}  // namespace echoloop
