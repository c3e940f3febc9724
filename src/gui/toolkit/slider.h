// Sliders: one value, or a range with two thumbs. Values are in the units on screen. UI thread only.
#pragma once

#include <optional>

#include "gui/toolkit/slider_look.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

struct Interval {
  double low = 0, high = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

// The new value when the user changed it. `normal`: the default, which right-click restores.
std::optional<double> slider(Ui& ui, Column& column, const SliderLook& look, double value, double normal);
std::optional<Interval> range_slider(Ui& ui, Column& column, const SliderLook& look, Interval value, Interval normal,
                                     double least_width);

// A slider whose left end is off = 0; the rest of its track is logarithmic from `step` on. The new value, a multiple
// of the step, when the user changed it. `look`: track_max, most, decimals, unit and words; right-click switches off.
std::optional<double> slider_from_off(Ui& ui, Column& column, SliderLook look, double value, double step);

// Where the thumb of a slider of one line is, in a row.
float thumb_x(const Ui& ui, const Rect& row, const SliderLook& look, double value);

}  // namespace echoloop
