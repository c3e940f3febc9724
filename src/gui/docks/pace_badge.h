// "source held back: 23 of 50 fps  playing at 0.46×", in the status bar and in presentation. UI thread only.
#pragma once

#include "core/stream_pace.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

enum class PaceWords { all, first };  // of the two; the first is the more urgent one

// 0 while the stream is as fast as it should be.
[[nodiscard]] float pace_width(const Ui& ui, const StreamPace& pace, Type type, PaceWords words);
// With its left edge at x; returns the right edge.
float draw_pace(const Ui& ui, float x, const Rect& line, const StreamPace& pace, Type type, PaceWords words);

}  // namespace echoloop
