// Sliders: one value, or a range with two thumbs. Values are in the units on screen. UI thread only.
#pragma once

#include <optional>
#include <string_view>

#include "gui/toolkit/ui.h"

namespace echoloop {

enum class Track { linear, logarithmic };
enum class Sign { as_is, always };  // always: +6.0

enum class Fill { from_left, from_normal };  // of the track, to the thumb
enum class Lines { one, two };               // one: label, track and value side by side, for narrow places

struct SliderLook {
  const char* id = "";
  std::string_view label = {};
  std::string_view unit = {};
  int decimals = 0;
  double track_min = 0, track_max = 1;  // reached by dragging
  double least = 0, most = 1;           // reached by typing
  Track track = Track::linear;
  Sign sign = Sign::as_is;
  Lines lines = Lines::two;
  Fill fill = Fill::from_left;
  std::string_view help = {};
  std::string_view why_not = {};
  std::string_view text_at_most = {};   // shown instead of the number at track_max, e.g. "max"
  std::string_view text_at_least = {};  // and of number and unit at track_min, e.g. "off"
  std::string_view title = {};          // of the tooltip, where it is not the label
  bool unknown = false;                 // no value yet: a dash, an empty track
};

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
