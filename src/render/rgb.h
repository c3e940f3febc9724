// Colours of 8 bit a channel, and pixels of them. Plain values; any thread.
#pragma once

#include <cstdint>
#include <vector>

namespace echoloop {

struct Rgb {
  std::uint8_t r = 0, g = 0, b = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};
inline constexpr Rgb kBlack = {0, 0, 0}, kWhite = {255, 255, 255};

struct RgbImage {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  // [height][width][3], top row first
};

}  // namespace echoloop
