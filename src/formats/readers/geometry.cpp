#include "formats/readers/geometry.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/number.h"
#include "core/units.h"

namespace echoloop {
namespace {

void check_pitch(const std::string& what, int n_elements, double pitch_m) {
  if (n_elements > 1 && !(pitch_m > 0.0)) {
    throw Error(what, "pitch of " + std::to_string(pitch_m * 1e3) + " mm for " + counted(n_elements, "element"),
                "a pitch above 0");
  }
}

}  // namespace

Probe make_pitch_probe(const std::string& what, int n_elements, double pitch_m, double width_m) {
  check_pitch(what, n_elements, pitch_m);
  return make_linear_probe("linear array", n_elements, pitch_m, width_m);
}

Probe make_convex_probe(const std::string& what, int n_elements, double pitch_m, double radius_m, double width_m) {
  check_pitch(what, n_elements, pitch_m);
  const double step_rad = 2.0 * std::asin(pitch_m / (2.0 * radius_m));
  const double half_rad = 0.5 * step_rad * (n_elements - 1);
  if (!(radius_m > 0.0) || !(half_rad <= kPi / 2)) {
    throw Error(what,
                counted(n_elements, "element") + " of pitch " + std::to_string(pitch_m * 1e3) + " mm on a radius of " +
                    std::to_string(radius_m * 1e3) + " mm",
                "at most half a circle");
  }
  Probe probe{.name = "convex array",
              .kind = ProbeKind::convex,
              .pitch_m = pitch_m,
              .element_width_m = width_m,
              .elements = {}};
  for (int e = 0; e < n_elements; ++e) {
    const double angle = (e - 0.5 * (n_elements - 1)) * step_rad;
    probe.elements.push_back({.x_m = radius_m * std::sin(angle),
                              .z_m = radius_m * (std::cos(angle) - std::cos(half_rad)),
                              .normal_rad = angle});
  }
  return probe;
}

double first_firing_s(const Transmit& transmit, const Probe& probe, double sound_speed_m_s,
                      const std::vector<bool>& active) {
  const double source = std::hypot(transmit.source_x_m, transmit.source_z_m);
  double first = std::numeric_limits<double>::infinity();
  for (std::size_t e = 0; e < probe.elements.size(); ++e) {
    if (!active.empty() && !active[e]) continue;
    const Element& p = probe.elements[e];
    const double distance = std::hypot(p.x_m - transmit.source_x_m, p.z_m - transmit.source_z_m);
    switch (transmit.kind) {
      case TransmitKind::plane:
        first = std::min(
            first, (p.x_m * std::sin(transmit.angle_rad) + p.z_m * std::cos(transmit.angle_rad)) / sound_speed_m_s);
        break;
      case TransmitKind::diverging:
        first = std::min(first, (distance - source) / sound_speed_m_s);
        break;
      case TransmitKind::focused:
        first = std::min(first, (source - distance) / sound_speed_m_s);
        break;
      case TransmitKind::delays:
        if (!std::isnan(transmit.element_delays_s[e])) first = std::min(first, transmit.element_delays_s[e]);
        break;
    }
  }
  return first;
}

double aperture_width_m(const Probe& probe, const std::vector<bool>& active) {
  const Element* first = nullptr;
  const Element* last = nullptr;
  for (std::size_t e = 0; e < probe.elements.size(); ++e) {
    if (!active.empty() && !active[e]) continue;
    last = &probe.elements[e];
    if (first == nullptr) first = last;
  }
  return first == nullptr ? 0.0 : std::hypot(last->x_m - first->x_m, last->z_m - first->z_m) + probe.pitch_m;
}

double passage_s(const Transmit& t, const Probe& probe, double sound_speed_m_s, double x_m) {
  const double source = std::hypot(t.source_x_m, t.source_z_m), way = std::hypot(x_m - t.source_x_m, t.source_z_m);
  switch (t.kind) {
    case TransmitKind::plane:
      return x_m * std::sin(t.angle_rad) / sound_speed_m_s;
    case TransmitKind::diverging:
      return (way - source) / sound_speed_m_s;
    case TransmitKind::focused:
      return (source - way) / sound_speed_m_s;
    case TransmitKind::delays:
      break;
  }
  double passage = std::numeric_limits<double>::infinity();
  for (std::size_t e = 0; e < probe.elements.size(); ++e) {
    if (std::isnan(t.element_delays_s[e])) continue;
    const Element& p = probe.elements[e];
    passage = std::min(passage, t.element_delays_s[e] + std::hypot(p.x_m - x_m, p.z_m) / sound_speed_m_s);
  }
  return passage;
}

}  // namespace echoloop
