// The recording that the stand-in for the reader process makes up, in memory and in the file: float32, one transmit,
// two elements; value k of frame f = f + (k mod 1024) / 1024.
#pragma once

#include <cstddef>
#include <cstdint>

namespace echoloop::test {

inline constexpr std::uint64_t kFakeFrames = 20;
inline constexpr int kFakeSamples = 1000;
inline constexpr std::size_t kFakeFileStart = 64;  // where frame 0 begins in the file

inline float fake_value(std::uint64_t frame, std::size_t index) {
  return static_cast<float>(frame) + static_cast<float>(index % 1024) / 1024.0F;
}

}  // namespace echoloop::test
