// HDF5 layout of PICMUS: /US/US_DATASET0000 with plane waves, RF or IQ (data/real and data/imag, both always present).
// Arrays have MATLAB's axes reversed. Time zero: the wave passes the array's centre; a positive angle steers to +x.
#include <algorithm>

#include "core/error.h"
#include "formats/base/format_table.h"
#include "formats/base/library_recording.h"
#include "formats/base/open_request.h"
#include "formats/readers/geometry.h"
#include "formats/readers/samples.h"

namespace echoloop {
namespace {

using hdf5::Node;

// Transmit frequency of the challenge's L11-4v; the RF files lack it, and every reader of them assumes it.
constexpr double kPicmusCenter_hz = 5.208e6;

// Compares enums of the writer: by member name, else by number.
bool attribute_is(const Node& group, const char* name, const std::string& member, double number) {
  if (const auto text = group.enum_attribute(name)) return *text == member;
  if (const auto text = group.text_attribute(name)) return *text == member;
  return group.number_attribute(name) == number;
}

// Excludes scans, images and phantoms. Copies made by other programs may lack the attributes.
bool is_recording(const Node& group) {
  if (H5Aexists(group.id(), "type") > 0) return attribute_is(group, "type", "US", 0.0);
  const auto data = group.find("data");
  return data && data->has("real") && group.has("probe_geometry");
}

bool is_iq(const Node& group) {
  if (H5Aexists(group.id(), "signal_format") > 0) return attribute_is(group, "signal_format", "IQ", 1.0);
  const auto modulation_hz = group.find("modulation_frequency");
  return modulation_hz && modulation_hz->number() > 0.0;
}

Hdf5Samples picmus_samples(const Node& group, const std::string& path, bool iq) {
  Hdf5Samples samples;
  samples.axes = trailing_axes(group.at("data").at("real"));
  samples.datasets = {path + "/data/real"};
  if (iq) samples.imaginary = path + "/data/imag";
  return samples;
}

PlacedProbe picmus_probe(const Node& geometry) {
  const std::vector<std::size_t> shape = geometry.extents();
  if (shape.size() != 2 || shape[0] != 3)
    throw Error(geometry.where(), "an array of shape " + shape_text(shape), "(3, elements): x, y, z");
  return place_probe(geometry.where(),
                     places_of(geometry.where(), geometry.numbers(3 * static_cast<std::size_t>(kMaxElements)), 3,
                               TableOrder::axis_first));
}

}  // namespace

// Accepts groups of a dataset, image or scan, or none; other formats have arrays in a group of that name.
bool looks_like_picmus(const Node& root) {
  if (!root.has("US") || !root.at("US").is_group()) return false;
  const Node us = root.at("US");
  const std::vector<std::string> names = us.children();
  return names.empty() || std::ranges::any_of(names, [&](const std::string& name) { return us.at(name).is_group(); });
}

LibraryRecording read_picmus(const OpenRequest& request, const Node& root) {
  const Node us = root.at("US");
  std::string path;
  std::size_t n_recordings = 0;
  for (const std::string& name : us.children()) {
    if (!is_recording(us.at(name))) continue;
    if (n_recordings++ == 0) path = "US/" + name;
  }
  if (path.empty()) throw Error(us.where(), "no channel data", "a PICMUS dataset of type US");
  const Node group = root.at_path(path);
  const bool iq = is_iq(group);

  Hdf5Parts parts{.acquisition = {}, .samples = picmus_samples(group, path, iq), .format = "PICMUS"};
  Acquisition& a = parts.acquisition;
  a.sampling_hz = group.at("sampling_frequency").number();
  a.sound_speed_m_s = group.at("sound_speed").number();
  const double modulation_hz = iq ? group.at("modulation_frequency").number() : 0.0;
  a.demod_hz = modulation_hz;
  a.center_hz = iq ? modulation_hz : kPicmusCenter_hz;
  if (!iq) a.assumptions.emplace_back("centre frequency 5.208 MHz assumed, as in PICMUS: not in RF files", "center_hz");

  const PlacedProbe placed = picmus_probe(group.at("probe_geometry"));
  a.probe = placed.probe;
  if (const std::string moved = moved_text(placed); !moved.empty()) a.assumptions.push_back(moved);
  const double initial_time_s = group.at("initial_time").number();
  if (!group.has("angles")) throw Error(group.where(), "no angles", "plane waves (subtype CPW)");
  for (const double angle : group.at("angles").numbers(static_cast<std::size_t>(kMaxTransmits))) {
    Transmit t;
    t.angle_rad = angle;
    t.t0_s = initial_time_s - move_origin(placed, a.sound_speed_m_s, t);
    a.transmits.push_back(std::move(t));
  }
  if (n_recordings > 1)
    a.assumptions.push_back("only the first of " + std::to_string(n_recordings) + " datasets is read");
  const auto prf = group.find("PRF");
  a.frame_rate_hz = prf ? prf->number() / static_cast<double>(a.transmits.size()) : 0.0;
  if (!prf) a.assumptions.emplace_back("frame rate unknown: the file has no PRF", "frame_rate_hz");
  return make_hdf5_recording(request, root, std::move(parts));
}

}  // namespace echoloop
