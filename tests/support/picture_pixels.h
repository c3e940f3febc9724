// Colours in an image of the window, or of a film.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "gui/overlay/transfer_function.h"

namespace echoloop::testing {

template <class X, class Y>
Rgb pixel(const RgbImage& p, X x, Y y) {
  const auto column = static_cast<std::size_t>(x), row = static_cast<std::size_t>(y);
  const std::uint8_t* rgb = &p.rgb[3 * (row * static_cast<std::size_t>(p.width) + column)];
  return {rgb[0], rgb[1], rgb[2]};
}

// Returns the level of a gray image.
template <class X, class Y>
int gray_at(const RgbImage& p, X x, Y y) {
  return pixel(p, x, y).r;
}

// Returns the difference of the channel in which they differ most.
inline int distance(const Rgb& a, const Rgb& b) {
  return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b)});
}

inline bool is_gray(const Rgb& c) { return distance(c, {c.g, c.g, c.g}) <= 4; }

}  // namespace echoloop::testing
