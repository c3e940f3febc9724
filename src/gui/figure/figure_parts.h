// Sizes and colours that layout and drawing of a figure share, in points.
#pragma once

#include <algorithm>

#include "gui/overlay/image_scales.h"
#include "gui/state/figure_size.h"

namespace echoloop::figure {

inline constexpr double kEm = 8.0, kNumberEm = 7.5;
inline constexpr double kMargin = 10.0;
inline constexpr double kTitle = 15.0;     // row of A's and B's titles
inline constexpr double kAxisName = 11.0;  // row of "x, mm"
inline constexpr double kTop = kTopRuler_em * kEm, kLeft = kLeftRuler_em * kEm;
inline constexpr double kBarAway = 14.0, kBar = 9.0, kBarLabels = kBarLabels_em * kEm;
inline constexpr double kBetween = 14.0;  // images with a common depth ruler
inline constexpr double kKeyAway = 20.0, kKeyWidth = 138.0, kKeyColumn = 150.0;
inline constexpr double kKeyHead = 16.0, kKeyRow = 25.0, kPairRow = 12.5, kKeyLine = 11.0;
inline constexpr double kStripAway = 14.0, kStripTitle = 16.0, kStripTimes = 13.0;  // below the image, or a strip
inline constexpr double kCaptionAway = 16.0, kCaptionLine = 11.5;

inline ScaleLook scales(PageGround ground) {
  if (ground == PageGround::dark) return {.em = kEm, .x_apart = 3.5, .z_apart = 3.0};
  return {.em = kEm,
          .x_apart = 3.5,
          .z_apart = 3.0,
          .text = {18, 22, 26},
          .text2 = {66, 74, 82},
          .muted = {92, 100, 108},
          .tick = {120, 128, 136},
          .edge = {150, 158, 166}};
}
inline Rgb paper(PageGround ground) { return ground == PageGround::dark ? Rgb{11, 13, 15} : Rgb{255, 255, 255}; }

// Height of a strip's levels by the width of the whole figure.
inline double strip_height(double width) { return std::max(72.0, 0.22 * width); }

}  // namespace echoloop::figure
