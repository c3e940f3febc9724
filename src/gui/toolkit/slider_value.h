// What a slider's track and its keys make of a value. No drawing. UI thread only.
#pragma once

#include "gui/toolkit/slider_look.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

double to_fraction(const SliderLook& look, double value);  // of the track, 0 to 1
double from_fraction(const SliderLook& look, double fraction);
double round_to(double value, int decimals);

// The value after all keys of this frame; Enter asks for a text.
struct Keyed {
  double value;
  bool typing = false;
};
Keyed after_keys(const SliderLook& look, const Hit& h, double value, double normal);

}  // namespace echoloop
