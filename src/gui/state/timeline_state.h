// What the timeline panel remembers from frame to frame. Plain values. UI thread only.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/timing_trace.h"
#include "gui/state/rect.h"

namespace echoloop {

inline constexpr std::array<int, 5> kTimelineFrames = {2, 5, 10, 20, 50};

// The part of time on screen, from the first frame's begin; fit: whatever the chosen frames take.
struct TimelineZoom {
  bool fit = true;
  double from_ns = 0.0;
  double width_ns = 0.0;
  friend bool operator==(const TimelineZoom&, const TimelineZoom&) = default;
};

struct TimelineState {
  bool paused = false;
  std::vector<Span> kept;  // while paused
  TimelineZoom zoom;
  std::int64_t cut_ns = 0;  // how much of each frame was drawn last; 0 = all
  Rect area;                // of the lanes in the last frame, pixels; empty = not drawn
  float wheel = 0.0F;       // turned over the area, with Ctrl
};

}  // namespace echoloop
