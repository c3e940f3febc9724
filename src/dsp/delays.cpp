#include "dsp/delays.h"

#include <algorithm>
#include <limits>

namespace echoloop {
namespace {

double focused_delay_s(const Transmit& t, double x_m, double z_m, double c_m_s, const BeamAxis* axis) {
  const double to_focus = std::hypot(t.source_x_m, t.source_z_m);
  const double from_focus = std::hypot(x_m - t.source_x_m, z_m - t.source_z_m);
  // "Below" means beyond the focus along the beam's own axis.
  const double sine = axis != nullptr ? axis->sine : t.source_x_m / std::max(to_focus, 1e-12);
  const double cosine = axis != nullptr ? axis->cosine : t.source_z_m / std::max(to_focus, 1e-12);
  const bool below = (x_m - t.source_x_m) * sine + (z_m - t.source_z_m) * cosine >= 0.0;
  return (to_focus + (below ? from_focus : -from_focus)) / c_m_s;
}

double first_arrival_s(const Transmit& t, const Probe& probe, double x_m, double z_m, double c_m_s) {
  double first = std::numeric_limits<double>::infinity();
  for (std::size_t e = 0; e < probe.elements.size(); ++e) {
    if (std::isnan(t.element_delays_s[e])) continue;
    const Element& element = probe.elements[e];
    first = std::min(first, t.element_delays_s[e] + std::hypot(x_m - element.x_m, z_m - element.z_m) / c_m_s);
  }
  return first;
}

}  // namespace

double transmit_delay_s(const Transmit& t, const Probe& probe, double x_m, double z_m, double c_m_s,
                        const BeamAxis* axis) {
  switch (t.kind) {
    case TransmitKind::plane:
      return (x_m * std::sin(t.angle_rad) + z_m * std::cos(t.angle_rad)) / c_m_s;
    case TransmitKind::diverging:
      return (std::hypot(x_m - t.source_x_m, z_m - t.source_z_m) - std::hypot(t.source_x_m, t.source_z_m)) / c_m_s;
    case TransmitKind::focused:
      return focused_delay_s(t, x_m, z_m, c_m_s, axis);
    case TransmitKind::delays:
      break;
  }
  return first_arrival_s(t, probe, x_m, z_m, c_m_s);
}

}  // namespace echoloop
