// The pipeline flat out while an offscreen window takes pictures at 60 Hz.
#pragma once

#include <optional>
#include <string>

#include "app/bench_measure.h"

namespace echoloop {

struct PresentFigures {
  std::string picture;             // how pictures reach the texture
  double frames_per_second = 0.0;  // processed
  double shown_per_second = 0.0;
  StageSummary ui_ms;           // the UI thread's work a window frame
  StageSummary device_wait_ms;  // of that, calls that may wait for the device
};

// Empty where no window can be drawn (built without one, or no OpenGL 4.5).
std::optional<PresentFigures> bench_present(const BenchRun& run, int lanes);

}  // namespace echoloop
