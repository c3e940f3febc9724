// Photoacoustic data of IPASC (HDF5, version 1 and 2 of the consortium's format): binary_time_series_data (detector,
// sample, wavelength, frame), meta_data (sampling rate, speed of sound), meta_data_device/detectors, one group each
// with its position in m. Sound starts at all points at once, with the pulse of light, the time of sample 0.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/acquisition.h"
#include "core/error.h"
#include "core/units.h"
#include "formats/base/format_table.h"
#include "formats/base/mapping.h"
#include "formats/base/open_request.h"
#include "formats/containers/array_view.h"
#include "formats/containers/hdf5_file.h"
#include "formats/readers/geometry.h"
#include "formats/readers/samples.h"
#include "formats/readers/tracks.h"

namespace echoloop {
namespace {

using hdf5::Node;

// Sets the probe, whose elements may all lie in another plane than y = 0.
void place_detectors(const Node& detectors, std::size_t n_detectors, Acquisition& a) {
  std::vector<std::string> names = detectors.children();
  if (names.size() != n_detectors) {
    throw Error(detectors.where(), counted(names.size(), "detector") + " for samples of " + std::to_string(n_detectors),
                "a group for each detector of binary_time_series_data");
  }
  std::ranges::sort(names, in_natural_order);
  Places places;
  for (const std::string& name : names) {
    const Node position = detectors.at(name).at("detector_position");
    const std::vector<double> at = position.numbers(3);
    if (at.size() != 3) throw Error(position.where(), counted(at.size(), "number"), "x, y and z in metres");
    places.x_m.push_back(at[0]), places.y_m.push_back(at[1]), places.z_m.push_back(at[2]);
  }
  const auto [low, high] = std::ranges::minmax(places.y_m);
  constexpr double kRounding_m = 1e-6;
  if (const double y_m = 0.5 * (low + high); std::abs(y_m) > kRounding_m) {
    for (double& y : places.y_m) y -= y_m;
    a.assumptions.push_back("the image plane is y = " + std::to_string(1e3 * y_m) + " mm");
  }
  const PlacedProbe placed = place_probe(detectors.where(), places);
  a.probe = placed.probe;
  if (const std::string moved = moved_text(placed); !moved.empty()) a.assumptions.push_back(moved);
}

// Returns the index of the property `wavelength`, and notes it.
std::size_t chosen_wavelength(const OpenRequest& request, const Node& meta, std::size_t n, Acquisition& a) {
  const double number = request.number("wavelength").value_or(1.0);
  if (number != std::floor(number) || number > static_cast<double>(n)) {
    throw Error(request.what(), "wavelength = " + *request.word("wavelength") + " of " + std::to_string(n),
                "a whole number from 1 to " + std::to_string(n));
  }
  const auto chosen = static_cast<std::size_t>(number) - 1;
  if (n == 1) return chosen;
  std::vector<double> lengths_m;
  if (const auto found = meta.find("acquisition_wavelengths")) lengths_m = found->numbers(kMaxTransmits);
  std::string text = "wavelength " + std::to_string(chosen + 1) + " of " + std::to_string(n);
  if (lengths_m.size() == n) text += ", " + std::to_string(std::lround(1e9 * lengths_m[chosen])) + " nm";
  a.assumptions.emplace_back(text, "wavelength");
  return chosen;
}

void take_speed(const Node& meta, Acquisition& a) {
  if (const auto found = meta.find("speed_of_sound")) {
    a.sound_speed_m_s = found->number();
    if (a.sound_speed_m_s > 0.0) return;
    throw Error(found->where(), "a speed of sound of " + std::to_string(a.sound_speed_m_s), "above 0 m/s");
  }
  a.assumptions.emplace_back("sound speed 1540 m/s assumed: not in the file", "c_m_s");
}

}  // namespace

bool looks_like_ipasc(const Node& root) { return root.has("binary_time_series_data") && root.has("meta_data"); }

LibraryRecording read_ipasc(const OpenRequest& request, const Node& root) {
  Hdf5Parts parts{.acquisition = {}, .samples = {}, .format = "IPASC photoacoustics"};
  Acquisition& a = parts.acquisition;
  const Node data = root.at("binary_time_series_data"), meta = root.at("meta_data");
  const std::vector<std::size_t> shape = data.extents();
  if (shape.size() != 4 || std::ranges::count(shape, std::size_t{0}) > 0) {
    throw Error(data.where(), "samples of shape " + shape_text(shape),
                "axes (detector, sample, wavelength, frame) of length 1 or more");
  }
  place_detectors(root.at("meta_data_device").at("detectors"), shape[0], a);
  const Node rate = meta.at("ad_sampling_rate");
  a.sampling_hz = rate.number();
  if (!(a.sampling_hz > 0.0)) throw Error(rate.where(), std::to_string(a.sampling_hz), "above 0 Hz");
  a.center_hz = 0.25 * a.sampling_hz;
  take_speed(meta, a);
  Transmit& silent = a.transmits.emplace_back();
  silent.kind = TransmitKind::none;
  silent.t0_s = 0.0 - request.number("emission_s").value_or(0.0);
  a.assumptions.emplace_back("receive only: sound starts with the pulse of light, at sample 0", "emission_s");
  for (const char* const gain : {"time_gain_compensation", "element_dependent_gain"})
    if (meta.has(gain)) a.assumptions.push_back(std::string(gain) + " of the file is not divided out");
  parts.samples.axes = {Axis::element, Axis::time, Axis::one, Axis::frame};
  parts.samples.datasets = {"binary_time_series_data"};
  parts.samples.at_one = chosen_wavelength(request, meta, shape[2], a);
  std::vector<double> times_s;
  if (const auto found = meta.find("measurement_timestamps")) times_s = found->numbers(std::size_t{1} << 24);
  parts.scanner = {.times_s = frame_clock(std::move(times_s), shape[3], "measurement_timestamps", a),
                   .counts_lost = false};
  LibraryRecording recording = make_hdf5_recording(request, root, std::move(parts));
  measure_center(recording);
  if (shape[2] > 1) recording.named = {.why_not = "the samples are those of one of several wavelengths"};
  recording.properties = {"emission_s", "wavelength"};
  return recording;
}

}  // namespace echoloop
