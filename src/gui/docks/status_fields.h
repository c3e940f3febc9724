// Warnings of the status bar and of presentation: "Processing limits: 23 of 50 fps  playing at 0.46×", and
// "invalid 3 samples  clipped 0.42 %" with the elements in the tooltip. UI thread only.
#pragma once

#include "core/sample_faults.h"
#include "core/stream_pace.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

enum class PaceWords { all, first };  // of the two; the first is the more urgent one

// 0 while the stream is as fast as it should be.
[[nodiscard]] float pace_width(const Ui& ui, const StreamPace& pace, Type type, PaceWords words);
// With its left edge at x; returns the right edge.
float draw_pace(const Ui& ui, float x, const Rect& line, const StreamPace& pace, Type type, PaceWords words);

enum class FaultWords { all, first };  // of the kinds of faults

// Of all frames since the stream started; 0: no faults.
[[nodiscard]] float sample_faults_width(const Ui& ui, const SampleFaults& since_start, FaultWords words);
// With its left edge at x, in a bar; returns the right edge. `shown`: of the frame on screen.
float draw_sample_faults(Ui& ui, float x, const Rect& bar, const SampleFaults& since_start, const SampleFaults& shown,
                         FaultWords words);

}  // namespace echoloop
