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

double brightest_db(const LevelHistogram& h) {
  double top_db = h.first_db;
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    if (h.counts[i] > 0) top_db = h.first_db + static_cast<double>(i + 1) * h.step_db;
  }
  return h.above > 0 ? h.first_db + static_cast<double>(h.counts.size()) * h.step_db : top_db;
}

void reject_background(ImagingParams& p, const Background& b) {
  set(p, "reject_db", std::round(b.mean_db + kRejectSigmas * b.sigma_db));
}

void fit_window(ImagingParams& p, const Background& b, const LevelHistogram& histogram) {
  const double top_db = brightest_db(histogram);
  const double below = p.objects.kind == ObjectKind::bright ? 1.0 : 4.0;
  const double bottom_db = b.median_db - below * b.sigma_db;
  set(p, "gain_db", -std::ceil(top_db));
  set(p, "dynamic_range_db", std::round(-p.display.gain_db - bottom_db));
}

}  // namespace echoloop
