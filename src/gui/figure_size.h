// How large a figure is, and on which ground. Plain values.
#pragma once

namespace echoloop {

enum class PageGround { white, dark };

enum class FigureSizing { factor, width, scale };
struct FigureSize {
  FigureSizing by = FigureSizing::width;
  double value = 170.0;  // pixels of a grid step; mm of the whole figure; mm of each cm of the image plane
  double dpi = 300.0;    // by factor: kScreenDpi
};
inline constexpr double kScreenDpi = 96.0;

}  // namespace echoloop
