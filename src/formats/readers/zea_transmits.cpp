#include "formats/readers/zea_transmits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "core/units.h"
#include "formats/readers/geometry.h"
#include "formats/readers/wave_fit.h"
#include "formats/readers/zea_late.h"
#include "formats/readers/zea_layout.h"

namespace echoloop {
namespace {

using hdf5::Node;

constexpr double kZeaTolerance_periods =
    0.05;  // of a delay: a twentieth of a wavelength, clocks of scanners round to less

std::vector<double> table(const Node& scan, const char* name, std::size_t rows, std::size_t columns) {
  const auto found = scan.find(name);
  if (!found) return {};
  std::vector<double> values = found->numbers(kMaxZeaTable);
  if (values.size() == rows * columns) return values;
  throw Error(found->where(), "an array of shape " + shape_text(found->extents()),
              columns == 1 ? "one for each of the " + std::to_string(rows) + " transmits"
                           : "(" + std::to_string(rows) + ", " + std::to_string(columns) + ") numbers");
}

struct Laws {  // of n_tx transmits and n_el elements, row by row; empty where the file has none
  std::vector<double> delays_s, weights, polar_rad, azimuth_rad, focus_m, initial_s, origins_m;
};

Laws read_laws(const Node& scan, std::size_t n_tx, std::size_t n_el) {
  Laws laws{.delays_s = table(scan, "t0_delays", n_tx, n_el),
            .weights = table(scan, "tx_apodizations", n_tx, n_el),
            .polar_rad = table(scan, "polar_angles", n_tx, 1),
            .azimuth_rad = table(scan, "azimuth_angles", n_tx, 1),
            .focus_m = table(scan, "focus_distances", n_tx, 1),
            .initial_s = table(scan, "initial_times", n_tx, 1),
            .origins_m = table(scan, "transmit_origins", n_tx, 3)};
  for (const double azimuth : laws.azimuth_rad) {
    if (!(std::abs(std::sin(azimuth)) < 1e-3)) {
      throw Error(scan.where(), "azimuth_angles of " + std::to_string(azimuth / kRadiansPerDegree) + " deg",
                  "waves in the plane y = 0");
    }
  }
  if (laws.delays_s.empty() && laws.polar_rad.empty())
    throw Error(scan.where(), "neither t0_delays nor polar_angles", "t0_delays or polar_angles");
  return laws;
}

// zea's first files have focus_distances in wavelengths, and zea takes 1 or more as such.
void wavelengths_to_metres(Laws& laws, Acquisition& a) {
  const auto far = [](double focus) { return focus >= 1.0 && std::isfinite(focus); };
  if (std::none_of(laws.focus_m.begin(), laws.focus_m.end(), far)) return;
  for (double& focus : laws.focus_m) focus *= a.sound_speed_m_s / a.center_hz;
  a.assumptions.push_back("focus_distances assumed to be in wavelengths: some are 1 or more");
}

// What polar_angles and focus_distances say of transmit k, about the file's origin.
std::optional<Transmit> noted_wave(const Laws& laws, std::size_t k) {
  constexpr double kFarthest_m = 10.0;  // beyond it a wave is plane within any aperture
  if (laws.polar_rad.empty()) return std::nullopt;
  Transmit t;
  const double focus_m = laws.focus_m.empty() ? 0.0 : laws.focus_m[k];
  if (focus_m == 0.0 || !(std::abs(focus_m) < kFarthest_m)) {
    t.angle_rad = laws.polar_rad[k];
    return t;
  }
  t.kind = focus_m < 0.0 ? TransmitKind::diverging : TransmitKind::focused;
  t.source_x_m = focus_m * std::sin(laws.polar_rad[k]);
  t.source_z_m = focus_m * std::cos(laws.polar_rad[k]);
  return t;
}

// The same about what the file calls the beam's origin, or the middle of the firing elements: walking apertures.
std::optional<Transmit> noted_wave_from(const Laws& laws, const PlacedProbe& placed, const std::vector<bool>& active,
                                        std::size_t k) {
  auto noted = noted_wave(laws, k);
  if (!noted || noted->kind == TransmitKind::plane) return std::nullopt;
  double x_m = 0.0, z_m = 0.0, n = 0.0;
  for (std::size_t e = 0; e < active.size(); ++e) {
    if (active[e]) x_m += placed.probe.elements[e].x_m, z_m += placed.probe.elements[e].z_m, n += 1.0;
  }
  const bool told = !laws.origins_m.empty();
  noted->source_x_m += told ? laws.origins_m[3 * k] - placed.origin_x_m : x_m / n;
  noted->source_z_m += told ? laws.origins_m[3 * k + 2] : z_m / n;
  return noted;
}

// Transmit k, about the array's centre; t0 without initial_times.
Transmit zea_transmit(const Node& scan, const Laws& laws, const PlacedProbe& placed, const Acquisition& a,
                      std::size_t k) {
  const std::size_t n = placed.probe.elements.size();
  std::vector<bool> active(n, true);
  bool any = false;
  for (std::size_t e = 0; e < n; ++e) {
    active[e] = laws.weights.empty() || laws.weights[k * n + e] != 0.0;
    any = any || active[e];
  }
  if (!any)
    throw Error(scan.where(), "transmit " + std::to_string(k) + " without a firing element",
                "at least one firing element");
  std::optional<Transmit> noted = noted_wave(laws, k);
  if (noted) move_origin(placed, a.sound_speed_m_s, *noted);
  if (laws.delays_s.empty()) {
    noted->t0_s = first_firing_s(*noted, placed.probe, a.sound_speed_m_s, active);
    noted->aperture_m = aperture_width_m(placed.probe, active);
    return *noted;
  }
  std::vector<double> delays_s(n);
  for (std::size_t e = 0; e < n; ++e) {
    const double delay = laws.delays_s[k * n + e];
    if (active[e] && !(std::abs(delay) < 1.0)) {
      throw Error(scan.where(), "t0_delays of " + std::to_string(delay) + " s for transmit " + std::to_string(k),
                  "finite delays within 1 s");
    }
    delays_s[e] = active[e] ? delay : std::numeric_limits<double>::quiet_NaN();
  }
  std::vector<Transmit> hints;
  for (const auto& hint : {noted, noted_wave_from(laws, placed, active, k)}) {
    if (hint) hints.push_back(*hint);
  }
  WaveFit fit = fit_wave(delays_s, placed.probe, a.sound_speed_m_s, kZeaTolerance_periods / a.center_hz, hints);
  fit.transmit.t0_s = -fit.passage_s;
  return fit.transmit;
}

// Weights below 0: fired with the opposite polarity.
std::size_t inverted_transmits(const Laws& laws, std::size_t n_tx) {
  const std::size_t n = laws.weights.size() / n_tx;
  std::size_t inverted = 0;
  for (std::size_t k = 0; k < n_tx && n > 0; ++k) {
    const auto row = laws.weights.begin() + static_cast<std::ptrdiff_t>(k * n);
    if (std::accumulate(row, row + static_cast<std::ptrdiff_t>(n), 0.0) < 0.0) ++inverted;
  }
  return inverted;
}

}  // namespace

void add_zea_transmits(const Node& root, const Node& scan, const PlacedProbe& placed, std::size_t n_tx,
                       Hdf5Parts& parts) {
  Acquisition& a = parts.acquisition;
  Laws laws = read_laws(scan, n_tx, placed.probe.elements.size());
  wavelengths_to_metres(laws, a);
  const std::vector<double> late_s = zea_late_s(root, scan, n_tx, a);
  if (laws.initial_s.empty())
    a.assumptions.emplace_back("first sample assumed at the first firing: the file has no initial_times",
                               "first_sample_s");
  if (laws.delays_s.empty())
    a.assumptions.push_back("transmits from polar_angles and focus_distances: the file has no t0_delays");
  std::size_t n_laws = 0;
  for (std::size_t k = 0; k < n_tx; ++k) {
    Transmit t = zea_transmit(scan, laws, placed, a, k);
    t.t0_s += (laws.initial_s.empty() ? 0.0 : laws.initial_s[k]) - late_s[k];
    if (t.kind == TransmitKind::delays) ++n_laws;
    if (a.demod_hz > 0.0) parts.samples.rotation_rad.push_back(-2.0 * kPi * a.demod_hz * t.t0_s);
    a.transmits.push_back(std::move(t));
  }
  if (const std::size_t inverted = inverted_transmits(laws, n_tx); inverted > 0 && inverted < n_tx) {
    a.assumptions.push_back("pulse inversion: " + std::to_string(inverted) + " of " + std::to_string(n_tx) +
                            " transmits have the opposite polarity; their sum contains the even harmonics");
  }
  if (n_laws > 0) {
    a.assumptions.push_back("t0_delays of " + std::to_string(n_laws) +
                            " transmits is neither a plane nor a spherical wave: the earliest arrival is used");
  }
}

}  // namespace echoloop
