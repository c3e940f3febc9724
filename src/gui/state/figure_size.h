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

// What is accepted, in the window and on the command line.
struct FigureRange {
  double least, most;
  [[nodiscard]] bool holds(double value) const { return value >= least && value <= most; }
};
inline constexpr FigureRange kFigureWidth_mm{60.0, 1000.0}, kFigureScale_mm_per_cm{1.0, 200.0},
    kFigureDpi{72.0, 1200.0};

}  // namespace echoloop
