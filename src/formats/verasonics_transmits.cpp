// What a Verasonics TX sends: the wave that Steer and focus name, when the delays of its elements agree with it, and
// otherwise the delays themselves.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/units.h"
#include "formats/geometry.h"
#include "formats/verasonics_scheme.h"
#include "formats/wave_fit.h"

namespace echoloop::verasonics {
namespace {

constexpr double kTolerance_periods = 0.05;  // clocks of 250 MHz place firing times to 0.02 periods of 5 MHz

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

std::vector<bool> active_elements(const MatNode& tx, std::size_t k, std::size_t n) {
  const std::vector<double> apod = tx.values("Apod", k);
  std::vector<bool> active(n, true);
  for (std::size_t e = 0; e < std::min(n, apod.size()); ++e) active[e] = apod[e] != 0.0;
  return active;
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

// Firing times of TX k in seconds, NaN for elements that are silent; empty without TX.Delay.
std::vector<double> firing_times(const MatNode& tx, std::size_t k, const Scales& s, const std::vector<bool>& active) {
  std::vector<double> delays_s = tx.values("Delay", k);
  if (delays_s.size() < active.size()) return {};
  delays_s.resize(active.size());
  for (std::size_t e = 0; e < active.size(); ++e)
    delays_s[e] = active[e] ? delays_s[e] / s.frequency_hz : std::numeric_limits<double>::quiet_NaN();
  return delays_s;
}

bool same_wave(const Transmit& x, const Transmit& y) {
  return x.kind == y.kind && x.angle_rad == y.angle_rad && x.source_x_m == y.source_x_m && x.source_z_m == y.source_z_m;
}

struct Count {  // of transmits
  int other_than_named = 0, no_wave = 0, without_delays = 0;
};

void tell(const Count& n, Acquisition& a) {
  if (n.without_delays > 0)
    a.assumptions.emplace_back("transmits by TX.Steer and TX.focus: the file has no TX.Delay for every element");
  if (n.other_than_named > 0)
    a.assumptions.emplace_back("TX.Steer and TX.focus do not agree with TX.Delay: the delays are used");
  if (n.no_wave > 0) {
    a.assumptions.emplace_back("TX.Delay of " + std::to_string(n.no_wave) +
                               " transmits is no plane or spherical wave: the earliest arrival is taken");
  }
}

}  // namespace

std::vector<Transmit> transmits(const std::string& what, const MatTree& tree, const Scales& s, const ProbeParts& parts,
                                const Scheme& scheme, Acquisition& a) {
  const MatNode& tx = *tree.find("TX");
  const double late_s = peak_s(tree, s, a) + 2.0 * lens_s(tree, s);
  std::vector<Transmit> all;
  Count count;
  for (std::size_t i = 0; i < scheme.shots.size(); ++i) {
    const std::size_t k = scheme.shots[i].tx;
    const double t0_s = 2.0 * scheme.start_depth[i] / s.frequency_hz - late_s;
    const std::vector<bool> active = active_elements(tx, k, parts.probe.elements.size());
    if (std::none_of(active.begin(), active.end(), [](bool on) { return on; }))
      throw Error(what, "TX(" + std::to_string(k + 1) + ") with no element that sends", "at least one");
    const std::vector<double> delays_s = firing_times(tx, k, s, active);
    const bool named = tx.find("Steer", k) != nullptr || tx.find("focus", k) != nullptr;
    Transmit t = named_wave(tx, k, s, parts);
    if (delays_s.empty()) {
      t.t0_s = t0_s + first_firing_s(t, parts.probe, s.sound_speed_m_s, active);
      ++count.without_delays;
    } else {
      const WaveFit fit = fit_wave(delays_s, parts.probe, s.sound_speed_m_s, kTolerance_periods / s.frequency_hz,
                                   named ? std::vector<Transmit>{t} : std::vector<Transmit>{});
      const bool alone = std::count(active.begin(), active.end(), true) == 1;
      count.other_than_named += named && !alone && !same_wave(t, fit.transmit) ? 1 : 0;
      count.no_wave += fit.transmit.kind == TransmitKind::delays ? 1 : 0;
      t = fit.transmit;
      t.t0_s = t0_s - fit.passage_s;
    }
    all.push_back(std::move(t));
  }
  tell(count, a);
  return all;
}

}  // namespace echoloop::verasonics
