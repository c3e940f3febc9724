// What a Verasonics TX sends: the wave that Steer and focus name, when the delays of its elements agree with it, and
// otherwise the delays themselves.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/units.h"
#include "formats/geometry.h"
#include "formats/verasonics_scheme.h"

namespace echoloop::verasonics {
namespace {

constexpr double kDelayTolerance = 0.125;  // periods

Transmit named_wave(const MatNode& tx, std::size_t k, const Scales& s, const ProbeParts& probe) {
  const std::vector<double> steer = tx.values("Steer", k);
  const std::vector<double> origin = tx.values("Origin", k);
  const double focus_m = tx.number("focus", k).value_or(0.0) * s.wavelength_m;
  const double angle = steer.empty() ? 0.0 : steer[0];
  Transmit t;
  if (focus_m == 0.0 || !std::isfinite(focus_m)) {
    t.angle_rad = angle;
    return t;
  }
  t.kind = focus_m < 0.0 ? TransmitKind::diverging : TransmitKind::focused;
  const double x_m = origin.empty() ? 0.0 : origin[0] * s.wavelength_m;
  const double z_m = origin.size() < 3 ? 0.0 : origin[2] * s.wavelength_m;
  t.source_x_m = x_m + focus_m * std::sin(angle) - probe.origin_x_m;
  t.source_z_m = z_m + focus_m * std::cos(angle);
  return t;
}

// When the wave reaches element e, from passing the origin.
double law_s(const Transmit& t, const Element& e, double c) {
  const double source = std::hypot(t.source_x_m, t.source_z_m);
  const double distance = std::hypot(e.x_m - t.source_x_m, e.z_m - t.source_z_m);
  if (t.kind == TransmitKind::diverging) return (distance - source) / c;
  if (t.kind == TransmitKind::focused) return (source - distance) / c;
  return (e.x_m * std::sin(t.angle_rad) + e.z_m * std::cos(t.angle_rad)) / c;
}

std::vector<bool> active_elements(const MatNode& tx, std::size_t k, std::size_t n) {
  const std::vector<double> apod = tx.values("Apod", k);
  std::vector<bool> active(n, true);
  for (std::size_t e = 0; e < std::min(n, apod.size()); ++e) active[e] = apod[e] != 0.0;
  return active;
}

struct Fit {
  double shift_s = 0.0;  // when the wave passes the origin, on the clock of the delays
  double worst_s = 0.0;
};

Fit fit(const Transmit& t, const Probe& probe, const std::vector<double>& delays_s, const std::vector<bool>& active,
        double c) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t e = 0; e < probe.elements.size(); ++e) {
    if (!active[e]) continue;
    const double off = delays_s[e] - law_s(t, probe.elements[e], c);
    low = std::min(low, off);
    high = std::max(high, off);
  }
  return {0.5 * (low + high), 0.5 * (high - low)};
}

double lens_s(const MatTree& tree, const Scales& s) {
  return tree.find("Trans")->number("lensCorrection").value_or(0.0) * s.element_unit_m / s.sound_speed_m_s;
}

double peak_s(const MatTree& tree, const Scales& s, Acquisition& a) {
  const MatNode* tw = tree.find("TW");
  const auto peak = tw == nullptr ? std::nullopt : tw->number("peak");
  if (!peak) {
    a.assumptions.emplace_back("no correction for the length of the transmitted pulse: the file has no TW.peak",
                               "first_sample_s");
  }
  return peak.value_or(0.0) / s.frequency_hz;
}

}  // namespace

std::vector<Transmit> transmits(const std::string& what, const MatTree& tree, const Scales& s, const ProbeParts& parts,
                                const Scheme& scheme, Acquisition& a) {
  const MatNode& tx = *tree.find("TX");
  const std::size_t n = parts.probe.elements.size();
  const double late_s = peak_s(tree, s, a) + 2.0 * lens_s(tree, s);
  std::vector<Transmit> all;
  bool by_delays = false;
  for (std::size_t i = 0; i < scheme.shots.size(); ++i) {
    const std::size_t k = scheme.shots[i].tx;
    const double t0_s = 2.0 * scheme.start_depth[i] / s.frequency_hz - late_s;
    const std::vector<bool> active = active_elements(tx, k, n);
    if (std::none_of(active.begin(), active.end(), [](bool on) { return on; }))
      throw Error(what, "TX(" + std::to_string(k + 1) + ") with no element that sends", "at least one");
    std::vector<double> delays_s = tx.values("Delay", k);
    for (double& d : delays_s) d /= s.frequency_hz;
    Transmit t = named_wave(tx, k, s, parts);
    if (delays_s.size() < n) {
      t.t0_s = t0_s + first_firing_s(t, parts.probe, s.sound_speed_m_s, active);
    } else if (const Fit f = fit(t, parts.probe, delays_s, active, s.sound_speed_m_s);
               f.worst_s <= kDelayTolerance / s.frequency_hz) {
      t.t0_s = t0_s - f.shift_s;
    } else {
      by_delays = true;
      delays_s.resize(n);
      for (std::size_t e = 0; e < n; ++e) {
        if (!active[e]) delays_s[e] = std::numeric_limits<double>::quiet_NaN();
      }
      t = {};
      t.kind = TransmitKind::delays;
      t.element_delays_s = std::move(delays_s);
      t.t0_s = t0_s;
    }
    all.push_back(std::move(t));
  }
  if (by_delays) a.assumptions.emplace_back("TX.Steer and TX.focus do not agree with TX.Delay: the delays are used");
  return all;
}

}  // namespace echoloop::verasonics
