// Order of frame numbers. They count modulo 2^64, as a scanner's do.
#pragma once

#include <cstdint>

namespace echoloop {

[[nodiscard]] constexpr bool is_before(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(a - b) < 0;
}

}  // namespace echoloop
