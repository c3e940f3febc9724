// zea's HDF5 layout: data/raw_data (frame, transmit, time, element, channel) and scan/*, also within event_0, and in
// files of zea's later versions within tracks/track_0, where the array may be described by the group probe.
// The transmit geometry is t0_delays and tx_apodizations; polar_angles and focus_distances (0 or infinite: plane,
// negative: diverging) are notes that say which wave the delays make. Time is counted from the first firing of each
// transmit, initial_times is that of the first sample; IQ is demodulated on a clock that begins with the first sample.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "core/units.h"
#include "formats/geometry.h"
#include "formats/hdf5_formats.h"
#include "formats/hdf5_samples.h"
#include "formats/placed_probe.h"
#include "formats/wave_fit.h"
#include "formats/zea_late.h"
#include "formats/zea_layout.h"

namespace echoloop {
namespace {

using hdf5::Node;

constexpr std::size_t kMaxTable = std::size_t{1} << 24;  // (transmit, element) and (frame, transmit)
constexpr double kTolerance_periods =
    0.05;  // of a delay: a twentieth of a wavelength, clocks of scanners round to less

std::vector<double> table(const Node& scan, const char* name, std::size_t rows, std::size_t columns) {
  const auto found = scan.find(name);
  if (!found) return {};
  std::vector<double> values = found->numbers(kMaxTable);
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
    throw Error(scan.where(), "neither t0_delays nor polar_angles", "what each transmit is");
  return laws;
}

// zea's first files have focus_distances in wavelengths, and zea takes 1 or more as such.
void wavelengths_to_metres(Laws& laws, Acquisition& a) {
  const auto far = [](double focus) { return focus >= 1.0 && std::isfinite(focus); };
  if (std::none_of(laws.focus_m.begin(), laws.focus_m.end(), far)) return;
  for (double& focus : laws.focus_m) focus *= a.sound_speed_m_s / a.center_hz;
  a.assumptions.push_back("focus_distances taken as wavelengths: some are 1 or more");
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
  if (!any) throw Error(scan.where(), "transmit " + std::to_string(k) + " without a firing element", "one or more");
  std::optional<Transmit> noted = noted_wave(laws, k);
  if (noted) move_origin(placed, a.sound_speed_m_s, *noted);
  if (laws.delays_s.empty()) {
    noted->t0_s = first_firing_s(*noted, placed.probe, a.sound_speed_m_s, active);
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
  WaveFit fit = fit_wave(delays_s, placed.probe, a.sound_speed_m_s, kTolerance_periods / a.center_hz, hints);
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

void add_transmits(const Node& root, const Node& scan, const PlacedProbe& placed, std::size_t n_tx, Hdf5Parts& parts) {
  Acquisition& a = parts.acquisition;
  Laws laws = read_laws(scan, n_tx, placed.probe.elements.size());
  wavelengths_to_metres(laws, a);
  const std::vector<double> late_s = zea_late_s(root, scan, n_tx, a);
  if (laws.initial_s.empty())
    a.assumptions.emplace_back("first sample taken at the first firing: the file has no initial_times",
                               "first_sample_s");
  if (laws.delays_s.empty())
    a.assumptions.push_back("transmits by polar_angles and focus_distances: the file has no t0_delays");
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
                            " transmits have the opposite polarity; in their sum the harmonics remain");
  }
  if (n_laws > 0) {
    a.assumptions.push_back("t0_delays of " + std::to_string(n_laws) +
                            " transmits are no plane or spherical wave: the earliest arrival is taken");
  }
}

std::string megahertz(double hz) {
  const std::string text = std::to_string(1e-6 * hz);
  return text.substr(0, text.find('.') + 3) + " MHz";
}

// One number, or one for each transmit of which the first counts.
double frequency_hz(const Node& scan, const char* name, Acquisition& a) {
  const std::vector<double> all = scan.at(name).numbers(static_cast<std::size_t>(kMaxTransmits));
  if (std::any_of(all.begin(), all.end(), [&](double f) { return f != all.front(); }))
    a.assumptions.push_back(std::string(name) + " differs between transmits; that of the first is taken");
  return all.front();
}

void set_frequencies(const Node& scan, bool iq, Acquisition& a) {
  a.sampling_hz = scan.at("sampling_frequency").number();
  a.center_hz = frequency_hz(scan, "center_frequency", a);
  const auto speed = scan.find("sound_speed");
  a.sound_speed_m_s = speed ? speed->number() : 1540.0;
  if (!speed) a.assumptions.push_back("sound speed 1540 m/s assumed: the file has none");
  if (!(a.center_hz > 0.0 && a.sound_speed_m_s > 0.0))
    throw Error(scan.where(), "center_frequency or sound_speed not above 0", "positive numbers in Hz and m/s");
  if (const auto percent = scan.find("bandwidth_percent")) {
    const double fraction = percent->number() / 100.0;
    if (fraction > 0.0 && fraction <= 2.0) a.bandwidth_hz = fraction * a.center_hz;
  }
  if (!iq) return;
  const bool told = scan.has("demodulation_frequency");
  a.demod_hz = told ? frequency_hz(scan, "demodulation_frequency", a) : a.center_hz;
  if (!told) a.assumptions.push_back("IQ taken as demodulated at the centre frequency");
}

// demodulation_frequency is where zea looks for echoes, in RF as well: another one than the pulse's in harmonic
// imaging.
void look_at_harmonic(const Node& scan, Acquisition& a) {
  constexpr double kSame = 0.25;  // of the pulse's frequency; scanners tune their receivers a little apart
  if (!scan.has("demodulation_frequency")) return;
  const double received_hz = scan.at("demodulation_frequency").numbers(static_cast<std::size_t>(kMaxTransmits)).front();
  if (!(received_hz > 0.0) || std::abs(received_hz - a.center_hz) <= kSame * a.center_hz) return;
  a.assumptions.emplace_back("harmonic imaging: transmitted at " + megahertz(a.center_hz) + ", received at " +
                                 megahertz(received_hz) + " (demodulation_frequency)",
                             "center_hz");
  a.center_hz = received_hz;
}

void set_gain(const Node& scan, std::size_t n_samples, Hdf5Parts& parts) {
  const auto curve = scan.find("tgc_gain_curve");
  if (!curve) return;
  parts.samples.gain = curve->numbers(static_cast<std::size_t>(kMaxSamples));
  parts.samples.gain.resize(std::min(parts.samples.gain.size(), n_samples));  // zea takes the beginning, too
  bool even = true;
  for (const double gain : parts.samples.gain) {
    if (!(gain > 0.0 && std::isfinite(gain)))
      throw Error(curve->where(), "a gain of " + std::to_string(gain), "above 0");
    even = even && gain == 1.0;
  }
  if (even && parts.samples.gain.size() == n_samples) {
    parts.samples.gain.clear();
  } else {
    parts.acquisition.assumptions.push_back("the file's time gain compensation is divided out");
  }
}

void set_frame_rate(const Node& scan, std::size_t n_frames, std::size_t n_tx, Acquisition& a) {
  // (frames, transmits), or one after the other without the last.
  const auto found = scan.find("time_to_next_transmit");
  std::vector<double> waits_s = found ? found->numbers(kMaxTable) : std::vector<double>();
  if (found && waits_s.size() != n_frames * n_tx && waits_s.size() + 1 != n_frames * n_tx) {
    throw Error(found->where(), "an array of shape " + shape_text(found->extents()),
                "(" + std::to_string(n_frames) + ", " + std::to_string(n_tx) + ") numbers");
  }
  if (waits_s.size() < n_tx) waits_s.clear();
  double frame_s = 0.0;
  for (std::size_t k = 0; k < n_tx && k < waits_s.size(); ++k) frame_s += waits_s[k];
  if (frame_s > 0.0 && std::isfinite(frame_s)) {
    a.frame_rate_hz = 1.0 / frame_s;
  } else {
    a.assumptions.emplace_back("frame rate unknown: the file has no time_to_next_transmit", "frame_rate_hz");
  }
}

}  // namespace

LibraryRecording read_zea(const OpenRequest& request, const Node& root) {
  Hdf5Parts parts{.acquisition = {}, .samples = {}, .format = "zea"};
  Acquisition& a = parts.acquisition;
  const std::string path = zea_part(root, a);
  const Node part = path.empty() ? root : root.at_path(path);
  const Node raw = zea_raw_data(part.at("data")), scan = part.at("scan");
  const std::vector<std::size_t> shape = raw.extents();
  if (shape.size() != 5 || shape[4] < 1 || shape[4] > 2 || shape[1] > static_cast<std::size_t>(kMaxTransmits)) {
    throw Error(raw.where(), "samples of shape " + shape_text(shape),
                "axes (frame, transmit, time, element, channel) with 1 (RF) or 2 (IQ) channels");
  }
  parts.samples.axes = {Axis::frame, Axis::transmit, Axis::time, Axis::element, Axis::iq};
  parts.samples.datasets = {path + (path.empty() ? "" : "/") + "data/raw_data"};
  set_frequencies(scan, shape[4] == 2, a);
  const PlacedProbe placed = zea_probe(root, scan);
  a.probe = placed.probe;
  if (const std::string moved = moved_text(placed); !moved.empty()) a.assumptions.push_back(moved);
  add_transmits(root, scan, placed, shape[1], parts);
  look_at_harmonic(scan, a);  // now that what counts in the pulse's wavelengths is done
  set_gain(scan, shape[2], parts);
  set_frame_rate(scan, shape[0], shape[1], a);
  if (root.has("event_1")) a.assumptions.push_back("only event_0 is read; the file holds more");
  return make_hdf5_recording(request, root, std::move(parts));
}

}  // namespace echoloop
