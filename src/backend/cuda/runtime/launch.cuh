// Helpers for launches; for .cu files only.
#pragma once

#include <cstddef>

namespace echoloop::cuda {

inline constexpr int kThreads = 256;

// Returns the blocks for one thread per item. Pixel counts stay below 2^27 and line counts below 2^28 (limits in
// core/): no overflow.
inline unsigned blocks_for(std::size_t n, int threads = kThreads) {
  return static_cast<unsigned>((n + static_cast<std::size_t>(threads) - 1) / static_cast<std::size_t>(threads));
}

}  // namespace echoloop::cuda
