// Colours of drawings without ImGui, equal to those of the window (theme.h).
#pragma once

#include <cstdint>
#include <vector>

namespace echoloop {

// Colours of 8 bit per channel, and images of them. Plain values; any thread.

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

namespace echoloop::ink {

inline constexpr Rgb kText = {232, 236, 239};
inline constexpr Rgb kText2 = {169, 178, 186};
inline constexpr Rgb kMuted = {139, 149, 158};
inline constexpr Rgb kTick = {95, 104, 112};
inline constexpr Rgb kEdge = {58, 66, 74};
inline constexpr Rgb kAccent = {76, 195, 224};

}  // namespace echoloop::ink
