#include <cmath>

#include "gui/panels/stream_parts.h"

namespace echoloop {

std::optional<double> slider_from_off(Ui& ui, Column& column, SliderLook look, double value, double step) {
  look.track = Track::logarithmic;
  look.track_min = 0.4 * step;  // below half a step: off
  look.least = 0.0;
  if (value <= 0.0) look.unit = "= off";
  const auto wanted = slider(ui, column, look, value, 0.0);
  if (!wanted) return std::nullopt;
  const double whole = std::round(*wanted / step) * step;
  const double kept = whole < step * 0.5 ? 0.0 : std::round(whole * 1e6) / 1e6;  // 0.1 x 3 is not quite 0.3
  if (kept == value) return std::nullopt;
  return kept;
}

}  // namespace echoloop
