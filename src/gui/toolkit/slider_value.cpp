#include "gui/toolkit/slider_value.h"

#include <algorithm>
#include <cmath>

namespace echoloop {
namespace {

// The largest 1, 2 or 5 times a power of ten that `value` reaches.
double round_step(double value) {
  const double decade = std::pow(10.0, std::floor(std::log10(value) + 1e-9));
  for (const double part : {5.0, 2.0}) {
    if (value >= part * decade * (1 - 1e-9)) return part * decade;
  }
  return decade;
}

constexpr double kStepsOfTrack = 100;  // an arrow's; Page goes ten at once

// What a key makes of a value: arrows a hundredth of the track, with Shift the last digit; Page ten times an arrow;
// Home and End the ends of the track, Delete the default.
double keyed(const SliderLook& look, const KeyPress& press, double value, double normal) {
  const double digit = std::pow(10.0, -look.decimals);
  const double arrow = std::max(digit, round_step((look.track_max - look.track_min) / kStepsOfTrack));
  const auto moved = [&](double steps) {
    const double one = std::copysign(digit, steps);
    if (press.shift) return value + one;
    if (look.track == Track::linear) return value + steps * arrow;
    const double next = from_fraction(look, to_fraction(look, value) + steps / kStepsOfTrack);
    return next == round_to(value, look.decimals) ? value + one : next;
  };
  switch (press.key) {
    case Key::left:
    case Key::down:
      return moved(-1);
    case Key::right:
    case Key::up:
      return moved(1);
    case Key::page_down:
      return moved(-10);
    case Key::page_up:
      return moved(10);
    case Key::home:
      return look.track_min;
    case Key::end:
      return look.track_max;
    case Key::remove:
      return normal;
    default:
      return value;
  }
}

}  // namespace

double to_fraction(const SliderLook& look, double value) {
  const double v = std::clamp(value, look.track_min, look.track_max);
  if (look.track == Track::logarithmic) return std::log(v / look.track_min) / std::log(look.track_max / look.track_min);
  return look.track_max > look.track_min ? (v - look.track_min) / (look.track_max - look.track_min) : 0.0;
}

double round_to(double value, int decimals) {
  const double step = std::pow(10.0, decimals);
  return std::round(value * step) / step;
}

double from_fraction(const SliderLook& look, double fraction) {
  const double f = std::clamp(fraction, 0.0, 1.0);
  const double v = look.track == Track::logarithmic ? look.track_min * std::pow(look.track_max / look.track_min, f)
                                                    : look.track_min + f * (look.track_max - look.track_min);
  return std::clamp(round_to(v, look.decimals), look.track_min, look.track_max);
}

Keyed after_keys(const SliderLook& look, const Hit& h, double value, double normal) {
  Keyed k{value};
  for (const KeyPress& press : h.keys) {
    k.typing = k.typing || press.key == Key::enter;
    const double next = keyed(look, press, k.value, normal);
    const double least = std::min(look.track_min, k.value), most = std::max(look.track_max, k.value);
    if (next != k.value) k.value = std::clamp(round_to(next, look.decimals), least, most);
  }
  return k;
}

}  // namespace echoloop
