// UFF as written by the UltraSound ToolBox (USTB): channel data of plane, diverging and focused waves, RF or IQ.
// Objects are groups with attributes class, name, size and array; arrays of objects have members name_0001, name_0002
// ...; arrays have MATLAB's axes reversed. Time zero: the wave passes (0, 0, 0); a wave's time axis is initial_time +
// n/fs + wave.delay (USTB's beamformer subtracts wave.delay from the transmit delay).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "formats/base/acquisition_json.h"
#include "formats/base/format_table.h"
#include "formats/base/library_recording.h"
#include "formats/base/mapping.h"
#include "formats/base/open_request.h"
#include "formats/readers/geometry.h"
#include "formats/readers/samples.h"

namespace echoloop {
namespace {

using hdf5::Node;

// Facts in the program's own recordings that UFF lacks: the group /echoloop (documented in acquisition_json.h).

constexpr std::size_t kMostTimes = std::size_t{1} << 22;  // frame times to read: 32 MB
constexpr double kMostCounted = 9e15;                     // approximate limit of exact integers in a double

// Returns the first `frames` values of a list; empty if it is shorter.
std::vector<double> frame_list(const Node& own, const char* name, std::size_t frames) {
  const auto list = own.find(name);
  if (!list || !list->is_dataset() || list->extents().size() != 1 || list->extents()[0] < frames) return {};
  std::vector<double> values = list->numbers(kMostTimes);
  values.resize(frames);
  return values;
}

// Returns no record if times are invalid: frames are then evenly spaced. A frame that was late or repeated gets the
// time of the previous one.
ScannerRecord scanner_record(const Node& own, std::size_t frames) {
  if (frames == 0 || frames > kMostTimes || !own.has("device_time_s")) return {};
  ScannerRecord record{.times_s = frame_list(own, "device_time_s", frames)};
  std::vector<double>& times_s = record.times_s;
  if (times_s.empty() || !std::ranges::all_of(times_s, [](double t) { return std::isfinite(t) && t >= 0.0; }))
    return {};
  const double begin_s = times_s.front();
  for (double& time_s : times_s) time_s -= begin_s;
  std::inclusive_scan(times_s.begin(), times_s.end(), times_s.begin(), std::ranges::max);
  const auto grown = [&](const char* name) {
    const std::vector<double> so_far = frame_list(own, name, frames);
    return so_far.empty() ? 0.0 : std::max(so_far.back() - so_far.front(), 0.0);
  };
  record.lost = static_cast<std::uint64_t>(std::min(grown("lost_at_sender"), kMostCounted));
  record.missing = static_cast<std::uint64_t>(std::min(grown("missing"), kMostCounted));
  return record;
}

// Waves of single elements in UFF files (synthetic aperture), for which USTB has its own time zero: any source from 1
// mm behind z = 0 on is treated as one in front of the array, which its wave reaches |s|/c after the origin. The
// arrival is then (|p - s| + |s|)/c - delay, and USTB's scripts write delay = |s|/c for times since the firing. By
// UFF's definition, time zero when the wave passes the origin, it is (|p - s| - |s|)/c.

// Requires see() for all waves of a file first. `placed` must outlive it. Transmits are relative to the file's origin.
class ElementSources {
 public:
  ElementSources(const PlacedProbe& placed, double sound_speed_m_s) : placed_(placed), c_m_s_(sound_speed_m_s) {}

  void see(const Transmit& t, double delay_s) {
    if (!is_element(t)) return;
    in_front_.see(delay_s - away_s(t));
    passing_.see(delay_s + away_s(t));
  }

  // Returns the excess of the file's times of `t` over times since the passage of the origin: 2 |s|/c by USTB's rule,
  // else 0. The delays decide: if all waves fire at one time, the delays minus |s|/c are equal (USTB), or those plus
  // |s|/c are. If neither are, for instance without delays, USTB's rule holds.
  [[nodiscard]] double early_s(const Transmit& t) const {
    constexpr double kInFront_m = -1e-3;  // limit of USTB
    constexpr double kNoise_s = 1e-9;     // single precision
    if (!is_element(t) || passing_.spread() + kNoise_s < 0.5 * in_front_.spread()) return 0.0;
    const bool is_clear = in_front_.spread() + kNoise_s < 0.5 * passing_.spread();
    return is_clear || t.source_z_m >= kInFront_m ? 2.0 * away_s(t) : 0.0;
  }

 private:
  struct Range {
    double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
    void see(double value) { low = std::min(low, value), high = std::max(high, value); }
    [[nodiscard]] double spread() const { return high - low; }
  };

  [[nodiscard]] bool is_element(const Transmit& t) const {
    constexpr double kMicrometre = 1e-6;
    return t.kind == TransmitKind::diverging && std::ranges::any_of(placed_.probe.elements, [&](const Element& e) {
             return std::hypot(e.x_m + placed_.origin_x_m - t.source_x_m, e.z_m - t.source_z_m) < kMicrometre;
           });
  }
  [[nodiscard]] double away_s(const Transmit& t) const { return std::hypot(t.source_x_m, t.source_z_m) / c_m_s_; }

  const PlacedProbe& placed_;
  double c_m_s_;
  Range in_front_, passing_;
};

constexpr std::size_t kGeometryAxes = 7;  // x y z theta phi width height

std::string class_of(const Node& node) { return node.text_attribute("class").value_or(std::string()); }

std::optional<double> number_in(const Node& object, const char* name) {
  const auto member = object.find(name);
  return member ? std::optional(member->number()) : std::nullopt;
}

double required_in(const Node& object, const char* name) { return object.at(name).number(); }

// Returns the objects of an array of objects, in order, or a single object.
std::vector<Node> objects_of(const Node& node) {
  if (!node.is_group()) throw Error(node.where(), "an array of numbers", "an object (a group)");
  if (node.number_attribute("array").value_or(0.0) == 0.0) return {node};
  std::vector<Node> objects;
  for (const std::string& name : node.children()) {  // by name: 4 digits or more preserve the order
    if (objects.size() >= static_cast<std::size_t>(kMaxTransmits))
      throw Error(node.where(), "too many objects", "up to " + std::to_string(kMaxTransmits));
    objects.push_back(node.at(name));
  }
  if (objects.empty()) throw Error(node.where(), "an empty array of objects", "one object or more");
  return objects;
}

// Returns the elements of an array described by its pitch, in USTB's coordinates: a curved one has its apex at z = 0.
Places described_places(const Node& node) {
  const bool matrix = node.has("N_x");
  if (const double rows = number_in(node, "N_y").value_or(1.0); rows != 1.0) {
    throw Error(node.where(), "a matrix array of " + std::to_string(static_cast<int>(rows)) + " rows (N_y)",
                "one row of elements");
  }
  const double n = required_in(node, matrix ? "N_x" : "N"), pitch_m = required_in(node, matrix ? "pitch_x" : "pitch");
  const double radius_m = number_in(node, "radius").value_or(std::numeric_limits<double>::infinity());
  if (!(n >= 1.0 && n <= kMaxElements))
    throw Error(node.where(), std::to_string(n) + " elements", "1 to " + std::to_string(kMaxElements));
  const bool curved = std::isfinite(radius_m);
  const Probe probe = curved ? make_convex_probe(node.where(), static_cast<int>(n), pitch_m, radius_m, 0.0)
                             : make_pitch_probe(node.where(), static_cast<int>(n), pitch_m, 0.0);
  Places places;
  const double apex_m = curved ? radius_m * (1.0 - std::cos(probe.elements[0].normal_rad)) : 0.0;
  for (const Element& element : probe.elements) {
    places.x_m.push_back(element.x_m);
    places.y_m.push_back(0.0);
    places.z_m.push_back(element.z_m - apex_m);
    places.normal_rad.push_back(element.normal_rad);
  }
  return places;
}

PlacedProbe uff_probe(const Node& node) {
  if (!node.is_group()) throw Error(node.where(), "an array of numbers", "an object of class uff.probe");
  double width_m = number_in(node, "element_width").value_or(0.0);
  Places places;
  if (const auto geometry = node.find("geometry")) {
    const std::vector<std::size_t> shape = geometry->extents();
    if (shape.size() != 2 || shape[0] != kGeometryAxes) {
      throw Error(geometry->where(), "an array of shape " + shape_text(shape),
                  "(7, elements): x, y, z, theta, phi, width, height");
    }
    const std::vector<double> table = geometry->numbers(kGeometryAxes * static_cast<std::size_t>(kMaxElements));
    const std::size_t n = shape[1];
    places = places_of(geometry->where(), table, kGeometryAxes, TableOrder::axis_first);
    places.normal_rad.assign(table.begin() + static_cast<std::ptrdiff_t>(3 * n),
                             table.begin() + static_cast<std::ptrdiff_t>(4 * n));
    if (width_m == 0.0) width_m = table[5 * n];
  } else {
    places = described_places(node);
  }
  PlacedProbe placed = place_probe(node.where(), places);
  placed.probe.element_width_m = std::isfinite(width_m) ? width_m : 0.0;
  return placed;
}

// Reads source: distance, azimuth and elevation of a point; x = d sin az cos el, y = d sin el, z = d cos az cos el.
Transmit uff_wave(const Node& wave) {
  constexpr double kPlane = 0.0, kSpherical = 1.0, kPhotoacoustic = 2.0;  // uff.wavefront
  const auto wavefront = number_in(wave, "wavefront");
  const auto source = wave.find("source");
  const auto of_source = [&](const char* name) { return source ? number_in(*source, name) : std::nullopt; };
  const auto distance_m = of_source("distance");
  const double azimuth = of_source("azimuth").value_or(0.0), elevation = of_source("elevation").value_or(0.0);
  if (wavefront == kPhotoacoustic)
    throw Error(wave.where(), "a photoacoustic recording", "transmitted waves, plane (0) or spherical (1)");
  if (wavefront && *wavefront != kPlane && *wavefront != kSpherical)
    throw Error(wave.where(), "wavefront " + std::to_string(*wavefront), "plane (0) or spherical (1)");
  if (!(std::abs(std::sin(elevation)) < 1e-3)) {
    throw Error(wave.where(),
                "a wave steered by " + std::to_string(elevation / kRadiansPerDegree) + " deg in elevation",
                "waves in the plane y = 0");
  }
  const double along_x = std::sin(azimuth) * std::cos(elevation), along_z = std::cos(azimuth) * std::cos(elevation);
  Transmit t;
  if ((wavefront && *wavefront == kPlane) || (distance_m && std::isinf(*distance_m)) || (!wavefront && !distance_m)) {
    t.angle_rad = std::atan2(along_x, along_z);
    return t;
  }
  if (!distance_m) throw Error(wave.where(), "a spherical wave without source.distance", "a source");
  t.source_x_m = *distance_m * along_x;
  t.source_z_m = *distance_m * along_z;
  if (std::abs(t.source_z_m) < 1e-6) t.source_z_m = 0.0;  // on the array: one element fires
  t.kind = t.source_z_m > 0.0 ? TransmitKind::focused : TransmitKind::diverging;
  return t;
}

// Returns the samples; for IQ a group of real and imag.
Hdf5Samples uff_samples(const Node& channel_data, const std::string& path) {
  const Node data = channel_data.at("data");
  Hdf5Samples samples;
  samples.datasets = {path + "/data"};
  Node real = data;
  if (data.is_group()) {
    real = data.at("real");
    samples.datasets = {path + "/data/real"};
    samples.imaginary = path + "/data/imag";
  }
  samples.axes = trailing_axes(real);
  return samples;
}

void set_frequencies(const Node& channel_data, bool iq, Acquisition& a) {
  a.sampling_hz = required_in(channel_data, "sampling_frequency");
  const double modulation_hz = number_in(channel_data, "modulation_frequency").value_or(0.0);
  const auto pulse = channel_data.find("pulse");
  const auto pulse_hz = pulse ? number_in(*pulse, "center_frequency") : std::nullopt;
  const double fraction = pulse ? number_in(*pulse, "fractional_bandwidth").value_or(0.0) : 0.0;
  a.demod_hz = iq ? modulation_hz : 0.0;
  a.center_hz = pulse_hz ? *pulse_hz : modulation_hz;
  if (!pulse_hz && modulation_hz == 0.0) {
    a.center_hz = a.sampling_hz / 4.0;
    a.assumptions.emplace_back(
        "centre frequency assumed to be a quarter of the sampling frequency: the file has no pulse", "center_hz");
  }
  if (fraction > 0.0 && fraction <= 2.0) a.bandwidth_hz = fraction * a.center_hz;
  const auto speed = number_in(channel_data, "sound_speed");
  a.sound_speed_m_s = speed.value_or(1540.0);
  if (!speed) a.assumptions.push_back("sound speed 1540 m/s assumed: not in the file");
}

void add_transmits(const Node& channel_data, const PlacedProbe& placed, Hdf5Parts& parts) {
  Acquisition& a = parts.acquisition;
  const auto initial_time_s = number_in(channel_data, "initial_time");
  if (!initial_time_s)
    a.assumptions.emplace_back("first sample assumed at time zero: the file has no initial_time", "first_sample_s");
  bool rotated = false;
  ElementSources elements(placed, a.sound_speed_m_s);
  std::vector<double> delays_s;
  for (const Node& wave : objects_of(channel_data.at("sequence"))) {
    a.transmits.push_back(uff_wave(wave));
    delays_s.push_back(number_in(wave, "delay").value_or(0.0));
    elements.see(a.transmits.back(), delays_s.back());
  }
  for (std::size_t k = 0; k < delays_s.size(); ++k) {
    Transmit& t = a.transmits[k];
    const double early_s = elements.early_s(t);
    const double shift_s = delays_s[k] - early_s - move_origin(placed, a.sound_speed_m_s, t);  // to the program's time
    t.t0_s = initial_time_s.value_or(0.0) + shift_s;
    // IQ is demodulated on the clock initial_time + n/fs.
    parts.samples.rotation_rad.push_back(-2.0 * kPi * a.demod_hz * shift_s);
    rotated = rotated || parts.samples.rotation_rad.back() != 0.0;
  }
  if (!rotated) parts.samples.rotation_rad.clear();
}

}  // namespace

bool take_own_description(const std::optional<Node>& own, const std::string& format, Hdf5Parts& parts) {
  constexpr std::size_t kMaxJson = std::size_t{64} << 20;
  if (!own || !own->is_group()) return false;
  const auto text = own->find("acquisition");
  if (!text || !text->is_dataset()) return false;
  auto acquisition = acquisition_from_json(text->text(kMaxJson));
  if (!acquisition) return false;
  parts.acquisition = std::move(*acquisition);
  parts.format = "Echoloop recording (" + format + ")";
  parts.samples.rotation_rad.clear();  // already relative to the program's time zero
  for (const char* name : {"frame_sequence", "acquired_ns"}) {
    const auto numbers = own->find(name);
    if (!numbers || !numbers->is_dataset() || numbers->extents().size() != 1) continue;
    parts.samples.most_frames = std::min(parts.samples.most_frames, numbers->extents()[0]);
  }
  parts.scanner = scanner_record(*own, parts.samples.most_frames);
  return true;
}

bool looks_like_uff(const Node& root) {
  for (const std::string& name : root.children())
    if (class_of(root.at(name)).starts_with("uff.")) return true;
  return false;
}

LibraryRecording read_uff(const OpenRequest& request, const Node& root) {
  std::string path, others;
  for (const std::string& name : root.children()) {
    const std::string kind = class_of(root.at(name));
    if (kind == "uff.channel_data" && path.empty())
      path = name;
    else
      others += (others.empty() ? "" : ", ") + printable(name, 30) + " (" + printable(kind, 30) + ")";
  }
  if (path.empty()) throw Error(request.what(), "a UFF file with " + others, "an object of class uff.channel_data");
  Node channel_data = root.at(path);
  const std::vector<Node> objects = objects_of(channel_data);
  if (channel_data.number_attribute("array").value_or(0.0) != 0.0) {
    path += "/" + channel_data.children().front();
    channel_data = objects.front();
  }
  Hdf5Parts parts{.acquisition = {}, .samples = uff_samples(channel_data, path), .format = "UFF (USTB)"};
  Acquisition& a = parts.acquisition;
  const bool iq = !parts.samples.imaginary.empty();
  set_frequencies(channel_data, iq, a);
  const PlacedProbe placed = uff_probe(channel_data.at("probe"));
  a.probe = placed.probe;
  if (const std::string moved = moved_text(placed); !moved.empty()) a.assumptions.push_back(moved);
  add_transmits(channel_data, placed, parts);
  if (objects.size() > 1)
    a.assumptions.push_back("only the first of " + std::to_string(objects.size()) + " channel_data is read");
  if (take_own_description(root.find("echoloop"), "UFF", parts))
    return make_hdf5_recording(request, root, std::move(parts));
  auto prf_hz = number_in(channel_data, "PRF");
  if (!prf_hz) prf_hz = number_in(channel_data, "prf");  // in some older files
  if (prf_hz) a.frame_rate_hz = *prf_hz / static_cast<double>(a.transmits.size());
  if (!prf_hz) a.assumptions.emplace_back("frame rate unknown: the file has no PRF", "frame_rate_hz");
  return make_hdf5_recording(request, root, std::move(parts));
}

}  // namespace echoloop
