#include "formats/readers/zea_late.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <span>
#include <string>

#include "core/error.h"
#include "core/units.h"
#include "formats/containers/array_view.h"

namespace echoloop {
namespace {

using hdf5::Node;

constexpr double kWaveform_hz = 250e6;
constexpr std::size_t kMaxWaveforms = std::size_t{1} << 24;  // numbers in all of them

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

// Both ways, and in words.
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

// Where the waveform's envelope is highest: the wave brought down from the centre frequency, over one of its periods.
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

// One a transmit; in older files waveform_000 ... and tx_waveform_indices that say which fired when.
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
      if (!(index >= 0.0 && index < static_cast<double>(each_s.size()))) {
        throw Error(indices->where(), "waveform " + std::to_string(index), "0 to " + std::to_string(each_s.size() - 1));
      }
      peaks_s.push_back(each_s[static_cast<std::size_t>(index)]);
    }
  } else {
    const std::vector<std::size_t> shape = waveforms->extents();
    if (shape.size() != 2 || shape[1] == 0) {
      throw Error(waveforms->where(), "an array of shape " + shape_text(shape), "(transmits, samples)");
    }
    const std::vector<double> all = waveforms->numbers(kMaxWaveforms);
    for (std::size_t k = 0; k < shape[0]; ++k)
      peaks_s.push_back(peak_s(std::span(all).subspan(k * shape[1], shape[1]), center_hz));
  }
  if (peaks_s.size() == n_tx) return peaks_s;
  throw Error(waveforms->where(), std::to_string(peaks_s.size()) + " waveforms",
              "one for each of the " + std::to_string(n_tx) + " transmits");
}

}  // namespace

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

}  // namespace echoloop
