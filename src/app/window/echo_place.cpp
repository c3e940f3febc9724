#include "app/window/echo_place.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/scan_lines.h"
#include "core/transmits.h"
#include "dsp/delays.h"

namespace echoloop {
namespace {

// How far the ends of a law of delays differ: least where the wave leaves straight.
double slant_s(const std::vector<double>& delays_s) {
  double first = std::numeric_limits<double>::quiet_NaN(), last = first;
  for (const double delay : delays_s) {
    if (std::isnan(delay)) continue;
    if (std::isnan(first)) first = delay;
    last = delay;
  }
  return std::abs(last - first);
}

// Smaller is nearer: to broadside, and of beams and waves from a point, to the place.
std::vector<double> off_axis(const Acquisition& a, PlanePoint at) {
  std::vector<double> off;
  const auto lines = find_scan_lines(a);
  const double along = !lines ? 0.0 : lines->parallel ? at.x_m : std::atan2(at.x_m, at.z_m - sector_apex_z_m(a.probe));
  for (std::size_t i = 0; i < a.transmits.size(); ++i) {
    const Transmit& t = a.transmits[i];
    if (lines) {
      off.push_back(std::abs(lines->at[i] - along));
    } else if (t.kind == TransmitKind::plane) {
      off.push_back(std::abs(t.angle_rad));
    } else if (t.kind == TransmitKind::delays) {
      off.push_back(slant_s(t.element_delays_s));
    } else {
      off.push_back(std::abs(t.source_x_m - at.x_m));
    }
  }
  return off;
}

}  // namespace

std::optional<EchoPlace> nearest_echo(const Acquisition& a, double c_m_s, PlanePoint at) {
  if (a.transmits.empty()) return std::nullopt;
  EchoPlace echo;
  const std::vector<double> off = off_axis(a, at);
  echo.transmit = static_cast<int>(std::min_element(off.begin(), off.end()) - off.begin()) + 1;
  double way_back_m = std::numeric_limits<double>::infinity();
  for (int e = 0; e < a.n_elements(); ++e) {
    const Element& element = a.probe.elements[static_cast<std::size_t>(e)];
    const double away = std::hypot(at.x_m - element.x_m, at.z_m - element.z_m);
    if (!(away < way_back_m)) continue;
    way_back_m = away;
    echo.element = e + 1;
  }
  if (echo.element == 0) return std::nullopt;
  const Transmit& t = a.transmits[static_cast<std::size_t>(echo.transmit - 1)];
  const auto axes = picked_axes(a, {.first = echo.transmit - 1, .count = 1});
  const double time_s = transmit_delay_s(t, a.probe, at.x_m, at.z_m, c_m_s, axes.empty() ? nullptr : &axes[0]) +
                        way_back_m / c_m_s - t.t0_s;
  const double sample = std::round(time_s * a.sampling_hz);
  if (!(sample >= 0.0 && sample < a.n_samples)) return std::nullopt;
  echo.sample = static_cast<int>(sample);
  return echo;
}

}  // namespace echoloop
