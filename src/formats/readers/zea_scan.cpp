// The table scan of a zea file, and the delays of echoes apart from the path through the tissue: the acoustic lens and
// the length of the transmitted pulse.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/acquisition.h"
#include "core/error.h"
#include "core/units.h"
#include "formats/base/echo_spectrum.h"
#include "formats/base/mapping.h"
#include "formats/containers/array_view.h"
#include "formats/containers/hdf5_file.h"
#include "formats/readers/zea.h"

namespace echoloop {
namespace {

using hdf5::Node;

constexpr double kWaveform_hz = 250e6;
constexpr std::size_t kMaxWaveforms = std::size_t{1} << 24;  // total

std::optional<double> positive(const Node& holder, const char* name, double most, const char* unit) {
  const auto found = holder.find(name);
  if (!found) return std::nullopt;
  const double value = found->number();
  if (!(value >= 0.0 && value <= most))
    throw Error(found->where(), std::to_string(value) + unit, "0 to " + std::to_string(most) + unit);
  return value;
}

// Returns one peak per transmit; older files have waveform_000 ... and for each transmit tx_waveform_indices.
std::vector<double> pulse_peaks_s(const Node& scan, const std::vector<double>& center_hz) {
  const std::size_t n_tx = center_hz.size();
  const auto waveforms = scan.find("waveforms_two_way");
  if (!waveforms) return {};
  std::vector<double> peaks_s;
  if (waveforms->is_group()) {
    std::vector<double> each_s;
    for (const std::string& name : waveforms->children())
      each_s.push_back(pulse_peak_s(waveforms->at(name).numbers(kMaxWaveforms), kWaveform_hz, center_hz.front()));
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
    for (std::size_t k = 0; k < std::min(shape[0], n_tx); ++k)
      peaks_s.push_back(pulse_peak_s(std::span(all).subspan(k * shape[1], shape[1]), kWaveform_hz, center_hz[k]));
    if (shape[0] > n_tx) peaks_s.resize(shape[0]);
  }
  if (peaks_s.size() == n_tx) return peaks_s;
  throw Error(waveforms->where(), counted(peaks_s.size(), "waveform"),
              "one for each of the " + counted(n_tx, "transmit"));
}

// Lens of the group probe, in old files of scan; nullopt: none. Notes one without a sound speed.
std::optional<Lens> described_lens(const ZeaPart& part, Acquisition& a) {
  constexpr double kThickest_m = 0.02, kFastest_m_s = 1e4;
  const auto probe = part.root.find("probe");
  for (const Node* holder : {probe ? &*probe : nullptr, &part.scan}) {
    if (holder == nullptr || !holder->is_group()) continue;
    const auto thickness_m = positive(*holder, "lens_thickness", kThickest_m, " m");
    const auto speed_m_s = positive(*holder, "lens_sound_speed", kFastest_m_s, " m/s");
    if (!thickness_m || !speed_m_s || *thickness_m == 0.0) continue;
    if (*speed_m_s > 0.0) return Lens{*thickness_m, *speed_m_s};
    a.assumptions.emplace_back(
        "lens_sound_speed = 0: the lens of " + fixed_text(1e3 * *thickness_m, 2) + " mm is ignored", "lens");
  }
  return std::nullopt;
}

// Returns the two-way delay of Verasonics' lens_correction of older files; describes it in a.assumptions.
double lens_correction_s(const ZeaPart& part, Acquisition& a) {
  constexpr double kMostWavelengths = 100.0;
  const auto custom = part.root.find("custom");
  for (const Node* holder : {&part.scan, custom ? &*custom : nullptr}) {
    if (holder == nullptr || !holder->is_group()) continue;
    const auto wavelengths = positive(*holder, "lens_correction", kMostWavelengths, " wavelengths");
    if (!wavelengths || *wavelengths == 0.0) continue;
    const double late_s = 2.0 * *wavelengths / a.center_hz;
    a.assumptions.emplace_back("lens_correction (" + fixed_text(*wavelengths, 2) +
                                   " wavelengths each way) delays echoes by " + fixed_text(1e6 * late_s, 3) +
                                   " us, which is subtracted",
                               "lens");
    return late_s;
  }
  return 0.0;
}

// Sets the refracting lens of the probe, or returns the two-way delay straight through it.
//
// The lens is flat, of thickness d and sound speed cl, on the elements (zea's model, z measured from them). A wave
// straight through it needs d (1/cl - 1/c) more each way.
double lens_s(const ZeaPart& part, Acquisition& a) {
  const std::string how = part.request.word("lens").value_or("auto");
  if (how == "off") {
    a.assumptions.emplace_back("the lens is ignored", "lens");
    return 0.0;
  }
  const auto lens = described_lens(part, a);
  if (!lens) {
    if (how != "auto")
      throw Error(part.request.what(), "lens = " + how, "a file with lens_thickness and lens_sound_speed");
    return lens_correction_s(part, a);
  }
  const std::string described =
      fixed_text(1e3 * lens->thickness_m, 2) + " mm at " + std::to_string(std::lround(lens->sound_speed_m_s)) + " m/s";
  if (how != "straight") {
    a.probe.lens = *lens;
    a.assumptions.emplace_back("paths are refracted at the lens (" + described +
                                   "), pixel by pixel without the fast kernels; depths are measured from the elements",
                               "lens");
    return 0.0;
  }
  const double late_s = 2.0 * lens->thickness_m * (1.0 / lens->sound_speed_m_s - 1.0 / a.sound_speed_m_s);
  a.assumptions.emplace_back("the lens (" + described + ") delays echoes by " + fixed_text(1e6 * late_s, 3) +
                                 " us straight through it, which is subtracted; depths are measured from the elements",
                             "lens");
  return late_s;
}

bool receives_only(const ZeaScan& scan, std::size_t k) {
  for (std::size_t e = 0; e < scan.n_el; ++e)
    if (scan.fires(k, e)) return false;
  return true;
}

// Sets the delays of the echo peaks relative to the path from the elements to a point and back. The pulse is
// waveforms_two_way, sampled at 250 MHz since the firing (Verasonics' TW.Wvfm2Wy).
void set_late(const ZeaPart& part, ZeaScan& s, Acquisition& a) {
  const auto given_s = part.request.number("pulse_peak_s");
  s.late_s = given_s ? std::vector<double>(s.n_tx, *given_s) : pulse_peaks_s(part.scan, s.center_hz);
  bool any = false;
  for (std::size_t k = 0; k < s.n_tx; ++k) any = any || !receives_only(s, k);
  if (s.late_s.empty()) {
    s.late_s.assign(s.n_tx, 0.0);
    if (any) {
      a.assumptions.emplace_back(
          "no correction for the length of the transmitted pulse: the file has no "
          "waveforms_two_way (in images made by zea, one period is subtracted, " +
              fixed_text(0.5e3 * a.sound_speed_m_s / a.center_hz, 2) + " mm)",
          "first_sample_s");
    }
  }
  const double through_lens_s = lens_s(part, a);
  for (double& late : s.late_s) late += through_lens_s;
}

std::vector<double> table(const Node& scan, const char* name, std::size_t rows, std::size_t columns) {
  const auto found = scan.find(name);
  if (!found) return {};
  std::vector<double> values = found->numbers(kMaxZeaTable);
  if (values.size() == rows * columns) return values;
  throw Error(found->where(), "an array of shape " + shape_text(found->extents()),
              columns == 1 ? "one for each of the " + counted(rows, "transmit")
                           : "(" + std::to_string(rows) + ", " + std::to_string(columns) + ") numbers");
}

// Reads one number, or one for each transmit.
std::vector<double> frequencies_hz(const Node& scan, const char* name, std::size_t n_tx) {
  const Node found = scan.at(name);
  std::vector<double> all = found.numbers(static_cast<std::size_t>(kMaxTransmits));
  if (all.size() == 1) all.assign(n_tx, all.front());
  if (all.size() != n_tx)
    throw Error(found.where(), counted(all.size(), "number"), "1, or one for each of the " + counted(n_tx, "transmit"));
  if (!std::ranges::all_of(all, [](double f) { return f > 0.0 && std::isfinite(f); }))
    throw Error(found.where(), "a frequency not above 0", "positive numbers in Hz");
  return all;
}

// Sets one centre frequency and one band over all transmits.
void set_band(const ZeaPart& part, const ZeaScan& s, Acquisition& a) {
  const auto [low, high] = std::ranges::minmax(s.center_hz);
  a.center_hz = low == high ? low : 0.5 * (low + high);
  if (const auto percent = part.scan.find("bandwidth_percent")) {
    const double fraction = percent->number() / 100.0;
    if (fraction > 0.0 && fraction <= 2.0) a.bandwidth_hz = fraction * a.center_hz;
  }
  if (low == high) return;
  if (a.bandwidth_hz > 0.0) a.bandwidth_hz += high - low;
  a.assumptions.emplace_back("centre frequencies differ between transmits, " + fixed_text(1e-6 * low, 2) + " to " +
                                 fixed_text(1e-6 * high, 2) + " MHz" + ": one band over all, about their middle",
                             "center_hz");
}

void set_frequencies(const ZeaPart& part, SignalKind signal, ZeaScan& s, Acquisition& a) {
  a.sampling_hz = part.scan.at("sampling_frequency").number();
  s.center_hz = frequencies_hz(part.scan, "center_frequency", s.n_tx);
  const auto speed = part.scan.find("sound_speed");
  a.sound_speed_m_s = speed ? speed->number() : 1540.0;
  if (!speed) a.assumptions.push_back("sound speed 1540 m/s assumed: not in the file");
  if (!(a.sound_speed_m_s > 0.0)) throw Error(part.scan.where(), "sound_speed not above 0", "a positive number in m/s");
  set_band(part, s, a);
  const bool stated = part.scan.has("demodulation_frequency");
  if (signal == SignalKind::iq) {
    s.demod_hz = stated ? frequencies_hz(part.scan, "demodulation_frequency", s.n_tx) : s.center_hz;
    a.demod_hz = s.demod_hz.front();
    if (!stated) a.assumptions.push_back("IQ assumed to be demodulated at the centre frequency");
  } else if (stated) {
    s.demod_hz = part.scan.at("demodulation_frequency").numbers(static_cast<std::size_t>(kMaxTransmits));
    s.demod_hz.resize(s.n_tx, s.demod_hz.front());
  }
  constexpr double kTwice = 0.1;  // relative; scanners tune receivers slightly off
  s.harmonic = stated && std::abs(s.demod_hz.front() - 2.0 * s.center_hz.front()) <= kTwice * 2.0 * s.center_hz.front();
}

std::vector<std::size_t> read_receivers(const Node& scan, const ZeaScan& s) {
  const std::vector<double> all = table(scan, "rx_aperture_indices", s.n_tx, s.n_rx);
  if (all.empty() && s.n_rx != s.n_el) {
    throw Error(scan.where(), "samples of " + std::to_string(s.n_rx) + " channels of " + counted(s.n_el, "element"),
                "rx_aperture_indices, the element of each channel");
  }
  std::vector<std::size_t> receivers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string row = " in row " + std::to_string(i / s.n_rx);
    if (!(all[i] >= 0.0 && all[i] < static_cast<double>(s.n_el) && all[i] == std::floor(all[i])))
      throw Error(scan.where(), "rx_aperture_indices " + std::to_string(std::lround(all[i])) + row,
                  "0 to " + std::to_string(s.n_el - 1));
    const auto element = static_cast<std::size_t>(all[i]);
    const auto first = receivers.begin() + static_cast<std::ptrdiff_t>(i / s.n_rx * s.n_rx);
    if (std::find(first, receivers.end(), element) != receivers.end())
      throw Error(scan.where(), "rx_aperture_indices " + std::to_string(element) + " twice" + row, "each element once");
    receivers.push_back(element);
  }
  return receivers;
}

// Converts focus_distances of zea's first files from wavelengths; zea, too, treats 1 or more as wavelengths.
void wavelengths_to_metres(ZeaScan& s, Acquisition& a) {
  const auto far = [](double focus) { return focus >= 1.0 && std::isfinite(focus); };
  if (std::none_of(s.focus_m.begin(), s.focus_m.end(), far)) return;
  for (double& focus : s.focus_m) focus *= a.sound_speed_m_s / a.center_hz;
  a.assumptions.push_back("focus_distances assumed to be in wavelengths: some are 1 or more");
}

template <class T>
void keep_rows(std::vector<T>& all, std::size_t n_tx, const std::vector<std::size_t>& rows) {
  if (all.empty()) return;
  const std::size_t n = all.size() / n_tx;
  std::vector<T> kept;
  for (const std::size_t row : rows)
    kept.insert(kept.end(), all.begin() + static_cast<std::ptrdiff_t>(row * n),
                all.begin() + static_cast<std::ptrdiff_t>((row + 1) * n));
  all = std::move(kept);
}

void read_laws(const ZeaPart& part, ZeaScan& s, Acquisition& a) {
  const Node& scan = part.scan;
  s.delays_s = table(scan, "t0_delays", s.n_tx, s.n_el);
  s.weights = table(scan, "tx_apodizations", s.n_tx, s.n_el);
  s.polar_rad = table(scan, "polar_angles", s.n_tx, 1);
  s.azimuth_rad = table(scan, "azimuth_angles", s.n_tx, 1);
  s.focus_m = table(scan, "focus_distances", s.n_tx, 1);
  s.initial_s = table(scan, "initial_times", s.n_tx, 1);
  s.origins_m = table(scan, "transmit_origins", s.n_tx, 3);
  for (const double weight : s.weights)
    if (!std::isfinite(weight)) throw Error(scan.where(), "tx_apodizations that are not finite", "finite weights");
  for (const double time_s : s.initial_s)
    if (!std::isfinite(time_s)) throw Error(scan.where(), "initial_times that are not finite", "finite times");
  const bool matrix = leaves_plane(a.probe);
  for (const double azimuth : s.azimuth_rad) {
    if (!matrix && !(std::abs(std::sin(azimuth)) < 1e-3)) {
      throw Error(scan.where(), "azimuth_angles of " + std::to_string(azimuth / kRadiansPerDegree) + " deg",
                  "waves in the plane of the array");
    }
  }
  if (s.delays_s.empty() && (s.polar_rad.empty() || matrix))
    throw Error(scan.where(), "neither t0_delays nor polar_angles", matrix ? "t0_delays" : "t0_delays or polar_angles");
  if (s.initial_s.empty())
    a.assumptions.emplace_back("first sample assumed at the first firing: the file has no initial_times",
                               "first_sample_s");
  if (s.delays_s.empty())
    a.assumptions.push_back("transmits from polar_angles and focus_distances: the file has no t0_delays");
  for (std::size_t i = 0; i < s.delays_s.size(); ++i) {
    if (!s.fires(i / s.n_el, i % s.n_el) || std::abs(s.delays_s[i]) < 1.0) continue;
    throw Error(scan.where(),
                "t0_delays of " + std::to_string(s.delays_s[i]) + " s for transmit " + std::to_string(i / s.n_el),
                "finite delays within 1 s");
  }
  wavelengths_to_metres(s, a);
}

}  // namespace

std::string fixed_text(double value, int digits) {
  const std::string text = std::to_string(value);
  return text.substr(0, text.find('.') + 1 + static_cast<std::size_t>(digits));
}

void ZeaScan::keep(const std::vector<std::size_t>& rows) {
  for (auto* const all : {&delays_s, &weights, &polar_rad, &azimuth_rad, &focus_m, &initial_s, &origins_m, &center_hz,
                          &demod_hz, &late_s})
    keep_rows(*all, n_tx, rows);
  keep_rows(receivers, n_tx, rows);
  n_tx = rows.size();
}

ZeaScan read_zea_scan(const ZeaPart& part, const std::vector<std::size_t>& shape, Acquisition& a) {
  ZeaScan s;
  s.n_tx = shape[1];
  s.n_rx = shape[3];
  s.n_el = a.probe.elements.size();
  set_frequencies(part, shape[4] == 2 ? SignalKind::iq : SignalKind::rf, s, a);
  read_laws(part, s, a);
  set_late(part, s, a);
  s.receivers = read_receivers(part.scan, s);
  return s;
}

}  // namespace echoloop
