#include "gui/gl/display_window.h"

#include <cmath>

#include "core/param_table.h"

namespace echoloop {
namespace {

void set(ImagingParams& p, std::string_view key, double value) {
  if (const ParamSpec* spec = find_param(key)) set_number(p, *spec, value);
}

}  // namespace

void drag_display_window(ImagingParams& p, WindowGrip grip, const DisplayWindow& start, double moved_db) {
  const double moved = std::round(moved_db);
  switch (grip) {
    case WindowGrip::none:
      break;
    case WindowGrip::top:
      set(p, "dynamic_range_db", start.top_db + moved - start.bottom_db);
      set(p, "gain_db", -(start.bottom_db + p.display.dynamic_range_db));
      break;
    case WindowGrip::bottom:
      set(p, "dynamic_range_db", start.top_db - (start.bottom_db + moved));
      break;
    case WindowGrip::middle:
      set(p, "gain_db", -(start.top_db + moved));
      break;
  }
}

void reset_display_window(ImagingParams& p, const ImagingParams& defaults) {
  p.display.gain_db = defaults.display.gain_db;
  p.display.dynamic_range_db = defaults.display.dynamic_range_db;
}

void key_display_window(ImagingParams& p, const ImagingParams& defaults, const KeyPress& press) {
  const double step = press.shift ? 5.0 : 1.0;
  switch (press.key) {
    case Key::up:
      return set(p, "gain_db", p.display.gain_db + step);
    case Key::down:
      return set(p, "gain_db", p.display.gain_db - step);
    case Key::right:
      return set(p, "dynamic_range_db", p.display.dynamic_range_db + step);
    case Key::left:
      return set(p, "dynamic_range_db", p.display.dynamic_range_db - step);
    case Key::remove:
      return reset_display_window(p, defaults);
    default:
      return;
  }
}

}  // namespace echoloop
