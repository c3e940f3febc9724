// zea's HDF5 layout: data/raw_data (frame, transmit, time, element, channel) and scan/*, also within event_0, and in
// files of zea's later versions within tracks/track_0, where the array may be described by the group probe.
// Here frequencies, gain and frame rate; zea_layout.h: where things lie; zea_transmits.h: the waves.
#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "formats/base/format_table.h"
#include "formats/base/library_recording.h"
#include "formats/base/open_request.h"
#include "formats/readers/hdf5_samples.h"
#include "formats/readers/placed_probe.h"
#include "formats/readers/zea_layout.h"
#include "formats/readers/zea_transmits.h"

namespace echoloop {
namespace {

using hdf5::Node;

std::string megahertz(double hz) {
  const std::string text = std::to_string(1e-6 * hz);
  return text.substr(0, text.find('.') + 3) + " MHz";
}

// One number, or one for each transmit of which the first counts.
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
    parts.acquisition.assumptions.push_back("time gain compensation in the file is divided out");
  }
}

void set_frame_rate(const Node& scan, std::size_t n_frames, std::size_t n_tx, Acquisition& a) {
  // (frames, transmits), or one after the other without the last.
  const auto found = scan.find("time_to_next_transmit");
  std::vector<double> waits_s = found ? found->numbers(kMaxZeaTable) : std::vector<double>();
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
  set_frequencies(scan, shape[4] == 2 ? SignalKind::iq : SignalKind::rf, a);
  const PlacedProbe placed = zea_probe(root, scan);
  a.probe = placed.probe;
  if (const std::string moved = moved_text(placed); !moved.empty()) a.assumptions.push_back(moved);
  add_zea_transmits(root, scan, placed, shape[1], parts);
  look_at_harmonic(scan, a);  // now that what counts in the pulse's wavelengths is done
  set_gain(scan, shape[2], parts);
  set_frame_rate(scan, shape[0], shape[1], a);
  if (root.has("event_1")) a.assumptions.push_back("only event_0 is read; the file contains more events");
  return make_hdf5_recording(request, root, std::move(parts));
}

}  // namespace echoloop
