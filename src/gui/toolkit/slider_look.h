// How a slider looks and which values it has. Values are in the units on screen. Plain values; UI thread only.
#pragma once

#include <string_view>

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

}  // namespace echoloop
