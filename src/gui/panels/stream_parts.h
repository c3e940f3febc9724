// The pieces of the stream panel, one file each. UI thread only.
#pragma once

#include <string>
#include <string_view>

#include "gui/panels/panels.h"

namespace echoloop {

inline constexpr float kStreamLabels = 64;  // width of the first rows' labels in a wide column, at scale 1

void slot_rows(PanelContext& c, Column& column);     // gauge, choice of how many, occupancy over time
void way_rows(PanelContext& c, Column& column);      // memory, streams, lanes, delay
void counter_rows(PanelContext& c, Column& column);  // every frame accounted for, rates, memory
void latency_rows(PanelContext& c, Column& column);  // percentiles and the last ten seconds

// A slider whose left end is off = 0; the rest of its track is logarithmic from `step` on. The new value, a multiple
// of the step, when the user changed it. `look`: track_max, most, decimals, unit and words; right-click switches off.
std::optional<double> slider_from_off(Ui& ui, Column& column, SliderLook look, double value, double step);

}  // namespace echoloop
