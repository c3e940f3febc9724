// Pipeline at full speed while an offscreen window shows images at 60 Hz.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "bench/program/bench_measure.h"

namespace echoloop {

struct PresentFigures {
  std::string picture;             // path of images to the texture
  double frames_per_second = 0.0;  // processed; median of the turns
  double shown_per_second = 0.0;   // of the last turn
  StageSummary ui_ms;              // the UI thread's work per window frame, all turns
  StageSummary texture_ms;         // of that, passing a new image to its texture
};

struct WindowSize {
  int width, height;  // pixels
};
inline constexpr WindowSize kUsualWindow{1600, 900};
inline constexpr WindowSize kLargeWindow{3840, 2160};

// Returns nullopt without a window (not built, or no OpenGL 4.5).
std::optional<PresentFigures> bench_present(const BenchRun& run, const WindowSize& window, int lanes, int turns,
                                            const std::function<void()>& before_each);

}  // namespace echoloop
