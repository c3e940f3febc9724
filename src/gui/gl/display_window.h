// The range of levels that the picture shows, as two ends that can be dragged: on the colour bar and on the histogram.
// Any thread.
#pragma once

#include "core/params.h"
#include "gui/state/keys.h"

namespace echoloop {

struct DisplayWindow {
  double top_db, bottom_db;
};
inline DisplayWindow display_window(const ImagingParams& p) {
  return {-p.display.gain_db, -p.display.gain_db - p.display.dynamic_range_db};
}

enum class WindowGrip { none, top, middle, bottom };

// An end of `start`, or all of it, moved by whole decibels: sets dynamic range and gain within their limits.
void drag_display_window(ImagingParams& p, WindowGrip grip, const DisplayWindow& start, double moved_db);

// Up and Down: gain, 1 dB; Right and Left: dynamic range, 1 dB; with Shift 5 dB; Delete: as in `defaults`.
void key_display_window(ImagingParams& p, const ImagingParams& defaults, const KeyPress& press);
void reset_display_window(ImagingParams& p, const ImagingParams& defaults);

}  // namespace echoloop
