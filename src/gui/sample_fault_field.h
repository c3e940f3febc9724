// "invalid 3 samples  clipped 0.42 %" in the status bar, with the elements in the tooltip. UI thread only.
#pragma once

#include "core/sample_faults.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

enum class FaultWords { all, first };  // of the kinds of faults

// Of all frames since the stream started; 0: no faults.
[[nodiscard]] float sample_faults_width(const Ui& ui, const SampleFaults& since_start, FaultWords words);
// With its left edge at x, in a bar; returns the right edge. `shown`: of the frame on screen.
float draw_sample_faults(Ui& ui, float x, const Rect& bar, const SampleFaults& since_start, const SampleFaults& shown,
                         FaultWords words);

}  // namespace echoloop
