// HDF5 layout of zea: data/raw_data (frame, transmit, time, element, channel) and scan/*, also within event_0, and in
// files of later versions within tracks/track_N, where the array may be described by the group probe.
#include "formats/readers/zea.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
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

// Returns the channel data of the group `data` in `path`; throws Error that lists its contents otherwise, usually
// images.
Node zea_raw_data(const Node& root, const std::string& path, const Node& data) {
  if (auto raw = data.find("raw_data")) return std::move(*raw);
  const std::string held = contents_words(zea_contents(root, {.path = path}));
  throw Error(data.where(), held.empty() ? "no samples" : "no channel data, only " + printable(held, 300),
              "a zea file with data/raw_data");
}

// Image plane of the array: through (x_m, y_m) of the file, turned about z.
struct ImagePlane {
  double x_m = 0.0, y_m = 0.0, turn_rad = 0.0;
};

// Moves the elements to coordinates of the plane: x along it, y from it.
void move_into(const ImagePlane& plane, Places& places) {
  const double cosine = std::cos(plane.turn_rad), sine = std::sin(plane.turn_rad);
  for (std::size_t e = 0; e < places.x_m.size(); ++e) {
    const double dx = places.x_m[e] - plane.x_m, dy = places.y_m[e] - plane.y_m;
    places.x_m[e] = dx * cosine + dy * sine;
    places.y_m[e] = dy * cosine - dx * sine;
  }
}

// Returns an array with elements outside the image plane; `places` in coordinates of the plane.
PlacedProbe matrix_probe(const std::string& what, const Places& places) {
  constexpr double kApart_m = 1e-6;
  PlacedProbe placed;
  Probe& probe = placed.probe;
  probe.name = "matrix array";
  for (std::size_t e = 0; e < places.x_m.size(); ++e) {
    for (const double place : {places.x_m[e], places.y_m[e], places.z_m[e]})
      if (!std::isfinite(place)) throw Error(what, "an element at an undefined position", "finite positions");
    probe.elements.push_back({.x_m = places.x_m[e], .z_m = places.z_m[e], .y_m = places.y_m[e]});
  }
  std::vector<double> x = places.x_m;
  std::ranges::sort(x);
  std::vector<double> gaps;
  for (std::size_t e = 1; e < x.size(); ++e)
    if (x[e] - x[e - 1] > kApart_m) gaps.push_back(x[e] - x[e - 1]);
  std::ranges::sort(gaps);
  probe.pitch_m = gaps.empty() ? 0.0 : gaps[gaps.size() / 2];
  return placed;
}

std::string millimetres(double m) {
  const std::string text = std::to_string(1e3 * m);
  return text.substr(0, text.size() - 4) + " mm";
}

// Places the image plane: that of the array, or that of the properties plane_y_m and plane_turn_rad, also for matrix
// arrays. Notes a plane that is not y = 0.
PlacedProbe placed_in_plane(const OpenRequest& request, const std::string& what, Places places, Acquisition& a) {
  constexpr double kFlat_m = 1e-4, kMost_m = 1.0;
  const auto [left, right] = std::ranges::minmax(places.x_m);
  const auto [low, high] = std::ranges::minmax(places.y_m);
  if (!(std::max({std::abs(left), std::abs(right), std::abs(low), std::abs(high)}) <= kMost_m))
    throw Error(what, "elements up to " + millimetres(std::max(std::abs(left), std::abs(right))), "metres, within 1 m");
  ImagePlane plane{.y_m = 0.5 * (low + high)};
  plane.y_m = request.number("plane_y_m").value_or(std::abs(plane.y_m) < 1e-6 ? 0.0 : plane.y_m);
  plane.turn_rad = request.number("plane_turn_rad").value_or(0.0);
  const bool in_plane = high - low <= kFlat_m && std::abs(plane.y_m - low) <= kFlat_m && plane.turn_rad == 0.0;
  if (!in_plane) plane.x_m = 0.5 * (left + right);
  if (std::abs(plane.x_m) < 1e-6) plane.x_m = 0.0;
  move_into(plane, places);
  PlacedProbe placed = in_plane ? place_probe(what, places) : matrix_probe(what, places);
  if (!in_plane) {
    a.assumptions.emplace_back("elements up to " + millimetres(std::max(high - plane.y_m, plane.y_m - low)) +
                                   " from the image plane: distances in space, pixel by pixel without the fast kernels",
                               "plane_y_m");
  }
  if (plane.y_m != 0.0 || plane.turn_rad != 0.0 || !in_plane) {
    std::string text = "the image plane is y = " + millimetres(plane.y_m);
    if (plane.turn_rad != 0.0) text += ", turned by " + std::to_string(plane.turn_rad / kRadiansPerDegree) + " degrees";
    a.assumptions.emplace_back(text, "plane_y_m");
    a.assumptions.back().value = std::to_string(plane.y_m);
  }
  if (!in_plane && plane.x_m != 0.0)
    a.assumptions.push_back("x is measured from the centre of the array, at x = " + millimetres(plane.x_m));
  return placed;
}

// Reads element positions from scan, or in later files from a group `probe`.
PlacedProbe zea_probe(const OpenRequest& request, const Node& root, const Node& scan, Acquisition& a) {
  const auto described = root.find("probe");
  const bool apart = !scan.has("probe_geometry") && described && described->has("probe_geometry");
  const Node& holder = apart ? *described : scan;
  const Node geometry = holder.at("probe_geometry");
  const std::vector<std::size_t> shape = geometry.extents();
  if (shape.size() != 2 || shape[1] != 3)
    throw Error(geometry.where(), "an array of shape " + shape_text(shape), "(elements, 3): x, y, z");
  const std::vector<double> table = geometry.numbers(3 * static_cast<std::size_t>(kMaxElements));
  PlacedProbe placed =
      placed_in_plane(request, geometry.where(), places_of(geometry.where(), table, 3, TableOrder::element_first), a);
  if (const auto width = holder.find("element_width")) placed.probe.element_width_m = width->number();
  name_probe(root, described, placed.probe);
  return placed;
}

// Returns the factor of each sample that is divided out; empty: none.
std::vector<double> gain_of(const OpenRequest& request, const Node& scan, std::size_t n_samples, Acquisition& a) {
  const std::string how = request.word("undo_gain").value_or("auto");
  const auto curve = scan.find("tgc_gain_curve");
  if (!curve || how == "off") {
    if (curve) a.assumptions.emplace_back("time gain compensation in the file is not divided out", "undo_gain");
    return {};
  }
  std::vector<double> gain = curve->numbers(static_cast<std::size_t>(kMaxSamples));
  gain.resize(std::min(gain.size(), n_samples));  // as zea does
  if (how == "db")
    for (double& value : gain) value = std::pow(10.0, value / 20.0);
  const auto bad = std::ranges::find_if(gain, [](double value) { return !(value > 0.0 && std::isfinite(value)); });
  if (bad != gain.end()) {
    if (how != "auto" || !std::isfinite(*bad))
      throw Error(curve->where(), "a gain of " + std::to_string(*bad), "above 0");
    a.assumptions.emplace_back(
        "tgc_gain_curve contains " + std::to_string(std::lround(*bad)) + ": a curve in dB? not divided out",
        "undo_gain");
    return {};
  }
  const bool even = std::ranges::all_of(gain, [](double value) { return value == 1.0; });
  if (even && gain.size() == n_samples) return {};
  a.assumptions.emplace_back("time gain compensation in the file is divided out", "undo_gain");
  return gain;
}

// Acquisition of the lines as stored, of which make_hdf5_recording() needs the numbers only.
Acquisition stored_lines(const Acquisition& a, std::size_t n_tx, std::size_t n_rx) {
  Acquisition stored = a;
  stored.transmits.assign(n_tx, Transmit());
  stored.probe.elements.assign(n_rx, Element());
  return stored;
}

constexpr Axis kAxes[] = {Axis::frame, Axis::transmit, Axis::time, Axis::element, Axis::iq};

// Returns a recording of this program, with the exact facts in custom/echoloop; its IQ has zea's clock.
std::optional<LibraryRecording> own_recording(const OpenRequest& request, const Node& root) {
  const auto custom = root.find("custom");
  if (!custom || !custom->is_group()) return std::nullopt;
  Hdf5Parts parts{.acquisition = {}, .samples = {}, .format = {}};
  parts.samples.axes.assign(std::begin(kAxes), std::end(kAxes));
  parts.samples.datasets = {"tracks/track_0/data/raw_data"};
  if (!take_own_description(custom->find("echoloop"), "zea", parts)) return std::nullopt;
  const Acquisition& a = parts.acquisition;
  if (a.signal == SignalKind::iq)
    for (const Transmit& t : a.transmits) parts.samples.rotation_rad.push_back(-2.0 * kPi * a.demod_hz * t.t0_s);
  return make_hdf5_recording(request, root, std::move(parts));
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
  if (auto own = own_recording(request, root)) return std::move(*own);
  Hdf5Parts parts{.acquisition = {}, .samples = {}, .format = "zea"};
  Acquisition& a = parts.acquisition;
  ZeaTracks tracks = zea_tracks(request, root, a);
  const std::string path = tracks.path();
  const Node holder = path.empty() ? root : root.at_path(path);
  if (const auto data = holder.find("data"); data && !data->has("raw_data"))
    if (auto images = read_zea_picture(request, root, path)) return std::move(*images);
  const Node raw = zea_raw_data(root, path, holder.at("data")), scan = holder.at("scan");
  const std::vector<std::size_t> shape = raw.extents();
  if (shape.size() != 5 || shape[4] < 1 || shape[4] > 2 || shape[1] > static_cast<std::size_t>(kMaxTransmits)) {
    throw Error(raw.where(), "samples of shape " + shape_text(shape),
                "axes (frame, transmit, time, element, channel) with 1 (RF) or 2 (IQ) channels");
  }
  parts.samples.axes.assign(std::begin(kAxes), std::end(kAxes));
  parts.samples.datasets = {path + (path.empty() ? "" : "/") + "data/raw_data"};
  const ZeaPart part{request, root, scan};
  PlacedProbe placed = zea_probe(request, root, scan, a);
  a.probe = placed.probe;
  if (const std::string moved = moved_text(placed); !moved.empty()) a.assumptions.push_back(moved);
  ZeaScan events = read_zea_scan(part, shape, a);
  const LineShape stored{.n_transmits = shape[1], .n_elements = shape[3], .n_samples = shape[2], .n_values = shape[4]};
  std::vector<LineStep> steps = zea_steps(part, stored, events, a);
  add_zea_transmits(part, events, placed, a);
  std::vector<double> rotation_rad;
  if (a.demod_hz > 0.0)
    for (const Transmit& t : a.transmits) rotation_rad.push_back(-2.0 * kPi * a.demod_hz * t.t0_s);
  parts.samples.gain = gain_of(request, scan, shape[2], a);
  set_zea_times(root, shape[0], shape[1], tracks, a);
  if (root.has("event_1")) a.assumptions.push_back("only event_0 is read; the file contains more events");
  parts.scanner = {.times_s = tracks.times_s, .counts_lost = false};
  LibraryRecording recording;
  if (steps.empty()) {
    parts.samples.rotation_rad = std::move(rotation_rad);
    recording = make_hdf5_recording(request, root, std::move(parts));
  } else {
    const Acquisition formed = a;
    parts.acquisition = stored_lines(formed, shape[1], shape[3]);
    const std::size_t n_noted = formed.assumptions.size();
    LibraryRecording lines = make_hdf5_recording(request, root, std::move(parts));
    Acquisition whole = formed;
    const auto& noted = lines.acquisition->assumptions;  // those of the samples come after
    whole.assumptions.insert(whole.assumptions.end(), noted.begin() + static_cast<std::ptrdiff_t>(n_noted),
                             noted.end());
    recording = with_steps(request, std::move(lines), std::move(whole), std::move(steps), std::move(rotation_rad));
  }
  recording.tracks = std::move(tracks.list);
  for (const SourceProperty& property : kSourceProperties)
    if (property.name != "wavelength") recording.properties.emplace_back(property.name);
  recording.contents =
      zea_contents(root, {.path = path, .shift_x_m = -placed.origin_x_m, .frame_times_s = frame_times_s(recording)});
  return recording;
}

}  // namespace echoloop
