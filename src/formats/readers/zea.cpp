// HDF5 layout of zea: data/raw_data (frame, transmit, time, element, channel) and scan/*, also within event_0, and in
// files of later versions within tracks/track_0, where the array may be described by the group probe.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/acquisition.h"
#include "core/error.h"
#include "core/units.h"
#include "formats/base/format_table.h"
#include "formats/base/library_recording.h"
#include "formats/base/mapping.h"
#include "formats/base/open_request.h"
#include "formats/containers/array_view.h"
#include "formats/containers/hdf5_file.h"
#include "formats/readers/geometry.h"
#include "formats/readers/samples.h"
#include "formats/readers/zea_contents.h"

namespace echoloop {
namespace {

using hdf5::Node;

constexpr std::size_t kMaxZeaTable = std::size_t{1} << 24;  // values: (transmit, element), (frame, transmit)

// Groups of a zea file: its versions differ in those of data, scan and the array.

// Reads the name from the group `probe`, or in older files from the root's attributes; "generic" means none.
void name_probe(const Node& root, const std::optional<Node>& described, Probe& probe) {
  const auto text_of = [&](const char* what) {
    const auto found = described ? described->find(what) : std::nullopt;
    return found && found->is_dataset() ? found->text() : std::string();
  };
  std::string name = text_of("name");
  for (const char* const attribute : {"probe_name", "probe"})
    if (name.empty()) name = root.text_attribute(attribute).value_or(std::string());
  if (!name.empty() && name != "generic") probe.name = printable(name, 60);
  if (text_of("type") == "phased" && probe.kind == ProbeKind::linear) probe.kind = ProbeKind::phased;
}

// Returns the path of the group with data and scan: "" (the root), "event_0", or the first track with channel data,
// "tracks/...". Skipped tracks are noted in a.assumptions.
std::string zea_part(const Node& root, Acquisition& a) {
  if (root.has("event_0")) return "event_0";
  if (!root.has("tracks")) return "";
  const Node tracks = root.at("tracks");
  std::vector<std::string> names = tracks.children();
  if (names.empty()) throw Error(tracks.where(), "no track", "a zea file with tracks/track_0");
  std::stable_sort(names.begin(), names.end(), [](const auto& l, const auto& r) { return l.size() < r.size(); });
  std::string path = names.front();
  for (std::size_t k = names.size(); k-- > 0;) {
    const auto data = tracks.at(names[k]).find("data");
    if (data && data->has("raw_data")) path = names[k];
  }
  if (names.size() > 1) {
    const auto label = tracks.at(path).find("label");
    a.assumptions.push_back("only " + printable(path, 30) + (label ? " (" + printable(label->text(), 60) + ")" : "") +
                            " of " + std::to_string(names.size()) + " tracks is read");
  }
  return "tracks/" + path;
}

// Returns the channel data of the group `data` in `path`; throws Error that lists its contents otherwise, usually
// images.
Node zea_raw_data(const Node& root, const std::string& path, const Node& data) {
  if (auto raw = data.find("raw_data")) return std::move(*raw);
  const std::string held = contents_words(zea_contents(root, {.path = path}));
  throw Error(data.where(), held.empty() ? "no samples" : "no channel data, only " + printable(held, 300),
              "a zea file with data/raw_data");
}

// Reads element positions from scan, or in later files from a group `probe`.
PlacedProbe zea_probe(const Node& root, const Node& scan) {
  const auto described = root.find("probe");
  const bool apart = !scan.has("probe_geometry") && described && described->has("probe_geometry");
  const Node& holder = apart ? *described : scan;
  const Node geometry = holder.at("probe_geometry");
  const std::vector<std::size_t> shape = geometry.extents();
  if (shape.size() != 2 || shape[1] != 3)
    throw Error(geometry.where(), "an array of shape " + shape_text(shape), "(elements, 3): x, y, z");
  PlacedProbe placed = place_probe(
      geometry.where(), places_of(geometry.where(), geometry.numbers(3 * static_cast<std::size_t>(kMaxElements)), 3,
                                  TableOrder::element_first));
  if (const auto width = holder.find("element_width")) placed.probe.element_width_m = width->number();
  name_probe(root, described, placed.probe);
  return placed;
}

// Delays in zea files other than the path through the tissue: the acoustic lens and the length of the transmitted
// pulse.

constexpr double kWaveform_hz = 250e6;
constexpr std::size_t kMaxWaveforms = std::size_t{1} << 24;  // total

std::string fixed(double value, int digits) {
  const std::string text = std::to_string(value);
  return text.substr(0, text.find('.') + 1 + static_cast<std::size_t>(digits));
}

std::optional<double> positive(const Node& holder, const char* name, double most, const char* unit) {
  const auto found = holder.find(name);
  if (!found) return std::nullopt;
  const double value = found->number();
  if (!(value >= 0.0 && value <= most))
    throw Error(found->where(), std::to_string(value) + unit, "0 to " + std::to_string(most) + unit);
  return value;
}

// Returns the two-way delay of the lens, and describes it in a.assumptions.
double lens_s(const Node& root, const Node& scan, Acquisition& a) {
  constexpr double kThickest_m = 0.02, kFastest_m_s = 1e4, kMostWavelengths = 100.0;
  const auto probe = root.find("probe");
  for (const Node* holder : {probe ? &*probe : nullptr, &scan}) {
    if (holder == nullptr || !holder->is_group()) continue;
    const auto thickness_m = positive(*holder, "lens_thickness", kThickest_m, " m");
    const auto speed_m_s = positive(*holder, "lens_sound_speed", kFastest_m_s, " m/s");
    if (!thickness_m || !speed_m_s || *speed_m_s == 0.0 || *thickness_m == 0.0) continue;
    const double late_s = 2.0 * *thickness_m * (1.0 / *speed_m_s - 1.0 / a.sound_speed_m_s);
    a.assumptions.push_back("the lens (" + fixed(1e3 * *thickness_m, 2) + " mm at " +
                            std::to_string(std::lround(*speed_m_s)) + " m/s) delays echoes by " +
                            fixed(1e6 * late_s, 3) +
                            " us, which is subtracted; depths are measured from the elements below the lens");
    return late_s;
  }
  const auto custom = root.find("custom");
  for (const Node* holder : {&scan, custom ? &*custom : nullptr}) {
    if (holder == nullptr || !holder->is_group()) continue;
    const auto wavelengths = positive(*holder, "lens_correction", kMostWavelengths, " wavelengths");
    if (!wavelengths || *wavelengths == 0.0) continue;
    const double late_s = 2.0 * *wavelengths / a.center_hz;
    a.assumptions.push_back("lens_correction (" + fixed(*wavelengths, 2) + " wavelengths each way) delays echoes by " +
                            fixed(1e6 * late_s, 3) + " us, which is subtracted");
    return late_s;
  }
  return 0.0;
}

// Returns the maximum of the waveform's envelope: mixed down from the centre frequency, averaged over one period.
double peak_s(std::span<const double> waveform, double center_hz) {
  const std::size_t n = waveform.size();
  const auto window = std::clamp<std::size_t>(static_cast<std::size_t>(kWaveform_hz / center_hz), 1, n);
  std::vector<std::complex<double>> sum(n + 1);
  for (std::size_t k = 0; k < n; ++k)
    sum[k + 1] = sum[k] + waveform[k] * std::polar(1.0, -2.0 * kPi * center_hz / kWaveform_hz * static_cast<double>(k));
  double highest = 0.0, peak = 0.0;
  for (std::size_t k = 0; k + window <= n; ++k) {
    const double height = std::abs(sum[k + window] - sum[k]);
    if (height > highest) highest = height, peak = static_cast<double>(k) + 0.5 * static_cast<double>(window - 1);
  }
  return peak / kWaveform_hz;
}

// Returns one peak per transmit; older files have waveform_000 ... and for each transmit tx_waveform_indices.
std::vector<double> pulse_peaks_s(const Node& scan, std::size_t n_tx, double center_hz) {
  const auto waveforms = scan.find("waveforms_two_way");
  if (!waveforms) return {};
  std::vector<double> peaks_s;
  if (waveforms->is_group()) {
    std::vector<double> each_s;
    for (const std::string& name : waveforms->children())
      each_s.push_back(peak_s(waveforms->at(name).numbers(kMaxWaveforms), center_hz));
    const auto indices = scan.find("tx_waveform_indices");
    if (!indices || each_s.empty()) return {};
    for (const double index : indices->numbers(static_cast<std::size_t>(kMaxTransmits))) {
      if (!(index >= 0.0 && index < static_cast<double>(each_s.size())))
        throw Error(indices->where(), "waveform " + std::to_string(index), "0 to " + std::to_string(each_s.size() - 1));
      peaks_s.push_back(each_s[static_cast<std::size_t>(index)]);
    }
  } else {
    const std::vector<std::size_t> shape = waveforms->extents();
    if (shape.size() != 2 || shape[1] == 0)
      throw Error(waveforms->where(), "an array of shape " + shape_text(shape), "(transmits, samples)");
    const std::vector<double> all = waveforms->numbers(kMaxWaveforms);
    for (std::size_t k = 0; k < shape[0]; ++k)
      peaks_s.push_back(peak_s(std::span(all).subspan(k * shape[1], shape[1]), center_hz));
  }
  if (peaks_s.size() == n_tx) return peaks_s;
  throw Error(waveforms->where(), counted(peaks_s.size(), "waveform"),
              "one for each of the " + counted(n_tx, "transmit"));
}

// Returns the delay of the echo peaks of each of n_tx transmits relative to the path from its elements to a point and
// back, s. Requires a.center_hz and a.sound_speed_m_s; corrections, and facts missing in the file, are noted in
// a.assumptions. Throws Error for invalid values.
//
// The lens is flat, of thickness d and sound speed cl, on the elements (zea's model, z measured from them): a wave
// straight through it needs d (1/cl - 1/c) more each way; the refraction that zea's beamformer adds to that is below
// 0.03 mm for 1 mm of lens up to 30 degrees. Older files have Verasonics' lens_correction, in wavelengths each way. The
// pulse is waveforms_two_way, sampled at 250 MHz since the firing (Verasonics' TW.Wvfm2Wy).
std::vector<double> zea_late_s(const Node& root, const Node& scan, std::size_t n_tx, Acquisition& a) {
  std::vector<double> late_s = pulse_peaks_s(scan, n_tx, a.center_hz);
  if (late_s.empty()) {
    a.assumptions.emplace_back(
        "no correction for the length of the transmitted pulse: the file has no "
        "waveforms_two_way (in images made by zea, one period is subtracted, " +
            fixed(0.5e3 * a.sound_speed_m_s / a.center_hz, 2) + " mm)",
        "first_sample_s");
    late_s.assign(n_tx, 0.0);
  }
  const double through_lens_s = lens_s(root, scan, a);
  for (double& late : late_s) late += through_lens_s;
  return late_s;
}

constexpr double kZeaTolerance_periods = 0.05;  // of a delay; scanner clocks round to less

std::vector<double> table(const Node& scan, const char* name, std::size_t rows, std::size_t columns) {
  const auto found = scan.find(name);
  if (!found) return {};
  std::vector<double> values = found->numbers(kMaxZeaTable);
  if (values.size() == rows * columns) return values;
  throw Error(found->where(), "an array of shape " + shape_text(found->extents()),
              columns == 1 ? "one for each of the " + counted(rows, "transmit")
                           : "(" + std::to_string(rows) + ", " + std::to_string(columns) + ") numbers");
}

// Transmits of a zea file. Their geometry is t0_delays and tx_apodizations; polar_angles and focus_distances (0 or
// infinite: plane, negative: diverging) are notes on the wave that the delays make. Time is counted from the first
// firing of each transmit, initial_times is that of the first sample; IQ is demodulated on a clock that starts with the
// first sample.
struct Laws {  // for n_tx transmits and n_el elements, row by row; empty if missing in the file
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

// Converts focus_distances of zea's first files from wavelengths; zea, too, treats 1 or more as wavelengths.
void wavelengths_to_metres(Laws& laws, Acquisition& a) {
  const auto far = [](double focus) { return focus >= 1.0 && std::isfinite(focus); };
  if (std::none_of(laws.focus_m.begin(), laws.focus_m.end(), far)) return;
  for (double& focus : laws.focus_m) focus *= a.sound_speed_m_s / a.center_hz;
  a.assumptions.push_back("focus_distances assumed to be in wavelengths: some are 1 or more");
}

// Returns the wave of polar_angles and focus_distances for transmit k, relative to the file's origin.
std::optional<Transmit> noted_wave(const Laws& laws, std::size_t k) {
  constexpr double kFarthest_m = 10.0;  // beyond it a wave is plane for any aperture
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

// Returns the same relative to the file's beam origin, or to the centre of the firing elements (walking apertures).
std::optional<Transmit> noted_wave_from(const Laws& laws, const PlacedProbe& placed, const std::vector<bool>& active,
                                        std::size_t k) {
  auto noted = noted_wave(laws, k);
  if (!noted || noted->kind == TransmitKind::plane) return std::nullopt;
  double x_m = 0.0, z_m = 0.0, n = 0.0;
  for (std::size_t e = 0; e < active.size(); ++e)
    if (active[e]) x_m += placed.probe.elements[e].x_m, z_m += placed.probe.elements[e].z_m, n += 1.0;
  const bool has_origins = !laws.origins_m.empty();
  noted->source_x_m += has_origins ? laws.origins_m[3 * k] - placed.origin_x_m : x_m / n;
  noted->source_z_m += has_origins ? laws.origins_m[3 * k + 2] : z_m / n;
  return noted;
}

// Returns transmit k relative to the array's centre; t0_s without initial_times.
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
  for (const auto& hint : {noted, noted_wave_from(laws, placed, active, k)})
    if (hint) hints.push_back(*hint);
  WaveFit fit = fit_wave(delays_s, placed.probe, a.sound_speed_m_s, kZeaTolerance_periods / a.center_hz, hints);
  fit.transmit.t0_s = -fit.passage_s;
  return fit.transmit;
}

// Counts transmits of opposite polarity: sum of weights below 0.
std::size_t inverted_transmits(const Laws& laws, std::size_t n_tx) {
  const std::size_t n = laws.weights.size() / n_tx;
  std::size_t inverted = 0;
  for (std::size_t k = 0; k < n_tx && n > 0; ++k) {
    const auto row = laws.weights.begin() + static_cast<std::ptrdiff_t>(k * n);
    if (std::accumulate(row, row + static_cast<std::ptrdiff_t>(n), 0.0) < 0.0) ++inverted;
  }
  return inverted;
}

// Adds the n_tx transmits of `scan`, and for IQ the rotation of each one's samples; corrections, and facts missing in
// the file, are noted as assumptions. Requires frequencies and sound speed of parts.acquisition. Throws Error.
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
    a.assumptions.push_back("pulse inversion: " + std::to_string(inverted) + " of " + counted(n_tx, "transmit") +
                            " have the opposite polarity; their sum contains the even harmonics");
  }
  if (n_laws > 0) {
    a.assumptions.push_back("t0_delays of " + counted(n_laws, "transmit") +
                            " is neither a plane nor a spherical wave: the earliest arrival is used");
  }
}

std::string megahertz(double hz) {
  const std::string text = std::to_string(1e-6 * hz);
  return text.substr(0, text.find('.') + 3) + " MHz";
}

// Reads one number, or one per transmit, of which the first is used.
double frequency_hz(const Node& scan, const char* name, Acquisition& a) {
  const std::vector<double> all = scan.at(name).numbers(static_cast<std::size_t>(kMaxTransmits));
  if (std::any_of(all.begin(), all.end(), [&](double f) { return f != all.front(); }))
    a.assumptions.push_back(std::string(name) + " differs between transmits; the value of the first is used");
  return all.front();
}

void set_frequencies(const Node& scan, SignalKind signal, Acquisition& a) {
  a.sampling_hz = scan.at("sampling_frequency").number();
  a.center_hz = frequency_hz(scan, "center_frequency", a);
  const auto speed = scan.find("sound_speed");
  a.sound_speed_m_s = speed ? speed->number() : 1540.0;
  if (!speed) a.assumptions.push_back("sound speed 1540 m/s assumed: not in the file");
  if (!(a.center_hz > 0.0 && a.sound_speed_m_s > 0.0))
    throw Error(scan.where(), "center_frequency or sound_speed not above 0", "positive numbers in Hz and m/s");
  if (const auto percent = scan.find("bandwidth_percent")) {
    const double fraction = percent->number() / 100.0;
    if (fraction > 0.0 && fraction <= 2.0) a.bandwidth_hz = fraction * a.center_hz;
  }
  if (signal == SignalKind::rf) return;
  const bool told = scan.has("demodulation_frequency");
  a.demod_hz = told ? frequency_hz(scan, "demodulation_frequency", a) : a.center_hz;
  if (!told) a.assumptions.push_back("IQ assumed to be demodulated at the centre frequency");
}

// Sets the receive frequency from demodulation_frequency, which zea uses for RF as well: it differs from the pulse's in
// harmonic imaging.
void look_at_harmonic(const Node& scan, Acquisition& a) {
  constexpr double kSame = 0.25;  // of the pulse's frequency; scanners tune receivers slightly off
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
  parts.samples.gain.resize(std::min(parts.samples.gain.size(), n_samples));  // as zea does
  bool even = true;
  for (const double gain : parts.samples.gain) {
    if (!(gain > 0.0 && std::isfinite(gain)))
      throw Error(curve->where(), "a gain of " + std::to_string(gain), "above 0");
    even = even && gain == 1.0;
  }
  if (even && parts.samples.gain.size() == n_samples)
    parts.samples.gain.clear();
  else
    parts.acquisition.assumptions.push_back("time gain compensation in the file is divided out");
}

void set_frame_rate(const Node& scan, std::size_t n_frames, std::size_t n_tx, Acquisition& a) {
  // Shape (frames, transmits), or a flat list without the last.
  const auto found = scan.find("time_to_next_transmit");
  std::vector<double> waits_s = found ? found->numbers(kMaxZeaTable) : std::vector<double>();
  if (found && waits_s.size() != n_frames * n_tx && waits_s.size() + 1 != n_frames * n_tx) {
    throw Error(found->where(), "an array of shape " + shape_text(found->extents()),
                "(" + std::to_string(n_frames) + ", " + std::to_string(n_tx) + ") numbers");
  }
  if (waits_s.size() < n_tx) waits_s.clear();
  double frame_s = 0.0;
  for (std::size_t k = 0; k < n_tx && k < waits_s.size(); ++k) frame_s += waits_s[k];
  if (frame_s > 0.0 && std::isfinite(frame_s))
    a.frame_rate_hz = 1.0 / frame_s;
  else
    a.assumptions.emplace_back("frame rate unknown: the file has no time_to_next_transmit", "frame_rate_hz");
}

}  // namespace

bool looks_like_zea(const Node& root) {
  if (root.has("event_0") || (root.has("tracks") && root.at("tracks").is_group())) return true;
  if (!root.has("data") || !root.at("data").is_group()) return false;
  if (root.has("scan") || H5Aexists(root.id(), "event_structure") > 0) return true;
  const Node data = root.at("data");
  return data.has("raw_data") || data.has("image") || data.has("image_sc");  // images: refused with their own message
}

LibraryRecording read_zea(const OpenRequest& request, const Node& root) {
  Hdf5Parts parts{.acquisition = {}, .samples = {}, .format = "zea"};
  Acquisition& a = parts.acquisition;
  const std::string path = zea_part(root, a);
  const Node part = path.empty() ? root : root.at_path(path);
  if (const auto data = part.find("data"); data && !data->has("raw_data"))
    if (auto images = read_zea_picture(request, root, path)) return std::move(*images);
  const Node raw = zea_raw_data(root, path, part.at("data")), scan = part.at("scan");
  const std::vector<std::size_t> shape = raw.extents();
  if (shape.size() != 5 || shape[4] < 1 || shape[4] > 2 || shape[1] > static_cast<std::size_t>(kMaxTransmits)) {
    throw Error(raw.where(), "samples of shape " + shape_text(shape),
                "axes (frame, transmit, time, element, channel) with 1 (RF) or 2 (IQ) channels");
  }
  parts.samples.axes = {Axis::frame, Axis::transmit, Axis::time, Axis::element, Axis::iq};
  parts.samples.datasets = {path + (path.empty() ? "" : "/") + "data/raw_data"};
  set_frequencies(scan, shape[4] == 2 ? SignalKind::iq : SignalKind::rf, a);
  const PlacedProbe placed = zea_probe(root, scan);
  a.probe = placed.probe;
  if (const std::string moved = moved_text(placed); !moved.empty()) a.assumptions.push_back(moved);
  add_zea_transmits(root, scan, placed, shape[1], parts);
  look_at_harmonic(scan, a);  // after all uses of the pulse's wavelength
  set_gain(scan, shape[2], parts);
  set_frame_rate(scan, shape[0], shape[1], a);
  if (root.has("event_1")) a.assumptions.push_back("only event_0 is read; the file contains more events");
  LibraryRecording recording = make_hdf5_recording(request, root, std::move(parts));
  recording.contents =
      zea_contents(root, {.path = path, .shift_x_m = -placed.origin_x_m, .frame_times_s = frame_times_s(recording)});
  return recording;
}

}  // namespace echoloop
