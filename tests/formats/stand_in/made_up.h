// The recording that the stand-in for the reader process makes up, in memory and in the file: float32, one transmit,
// two elements; value k of frame f = f + (k mod 1024) / 1024.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace echoloop::test {

inline constexpr std::uint64_t kFakeFrames = 20;
inline constexpr int kFakeSamples = 1000;
inline constexpr std::size_t kFakeFileStart = 64;  // where frame 0 begins in the file

inline float fake_value(std::uint64_t frame, std::size_t index) {
  return static_cast<float>(frame) + static_cast<float>(index % 1024) / 1024.0F;
}

inline bool is_frame(std::span<const std::byte> samples, std::uint64_t frame) {
  std::vector<float> values(samples.size() / sizeof(float));
  std::memcpy(values.data(), samples.data(), values.size() * sizeof(float));
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k] != fake_value(frame, k)) return false;
  }
  return !values.empty();
}

}  // namespace echoloop::test
