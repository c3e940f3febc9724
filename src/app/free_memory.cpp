#include "app/free_memory.h"

#include <algorithm>

namespace echoloop {

std::size_t default_history_bytes() {
  constexpr std::size_t kMost = 4'000'000'000;
  return std::min(free_host_memory() / 4, kMost);
}

}  // namespace echoloop
