// The sixteen bytes before every message between two processes: to a reader process (formats/sandbox) and from a sender
// beside a scanner (senders/README.md). Little-endian, as every machine is that the program runs on.
#pragma once

#include <cstdint>

namespace echoloop {

inline constexpr std::uint32_t kMessageMark = 0x4f4843e1;  // no text, no common file begins so

struct MessageHeader {
  std::uint32_t mark = kMessageMark;
  std::uint32_t kind = 0;
  std::uint64_t size = 0;  // bytes of the payload that follows
};
static_assert(sizeof(MessageHeader) == 16);

}  // namespace echoloop
