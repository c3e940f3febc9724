// Maps of zea files: groups with values (frame, z, x[, y][, channel]) and coordinates ([frame,] z, x[, y], 3).
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "formats/base/mapping.h"
#include "formats/containers/array_view.h"
#include "formats/readers/zea_contents.h"

namespace echoloop {
namespace {

using hdf5::Id;
using hdf5::Node;

constexpr std::size_t kMostValues = std::size_t{128} << 20, kMostMapFrames = std::size_t{1} << 24, kMostChannels = 64;
constexpr std::size_t kMostSent = std::size_t{48} << 20;  // numbers of one answer

// What a name of zea means.
struct MapName {
  const char *name, *unit;
  MapKind kind;
};
constexpr MapName kMapNames[] = {
    {"image", "dB", MapKind::levels},
    {"envelope_data", "dB", MapKind::levels},
    {"beamformed_data", "dB", MapKind::levels},
    {"segmentation", "", MapKind::label},
    {"tissue_doppler", "m/s", MapKind::velocity},
    {"color_doppler", "m/s", MapKind::velocity},
    {"vector_velocity_x", "m/s", MapKind::velocity},
    {"vector_velocity_z", "m/s", MapKind::velocity},
};

struct MapForm {
  Node values;
  std::optional<Node> coordinates;
  bool frame_axis = true, own_coordinates = false;                          // coordinates of each frame
  std::size_t frames = 1, rows = 0, columns = 0, slices = 0, channels = 1;  // slices: along y; 0: a plane
  bool channel_axis = false;
  bool complex = false;
};

bool begins(const std::vector<std::size_t>& all, std::size_t at, const std::vector<std::size_t>& part) {
  return all.size() >= at + part.size() &&
         std::equal(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(at));
}

// Returns {real, imaginary} of a complex number's type; empty names: another type.
std::pair<std::string, std::string> complex_members(hid_t type) {
  if (H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != 2) return {};
  for (const auto& [real, imaginary] : {std::pair{"r", "i"}, std::pair{"real", "imag"}})
    if (H5Tget_member_index(type, real) >= 0 && H5Tget_member_index(type, imaginary) >= 0) return {real, imaginary};
  return {};
}

void place_values(const std::vector<std::size_t>& values, std::vector<std::size_t> places, MapForm& form) {
  const std::string found = "values " + shape_text(values) + ", coordinates " + shape_text(places);
  if (places.empty() || places.back() != 3)
    throw Error(form.coordinates->where(), "coordinates " + shape_text(places), "(..., 3): x, y, z");
  places.pop_back();
  std::size_t first = 1;
  if (places.size() == 2 && values.size() == 2 && values == places) {
    form.frame_axis = false, first = 0;
  } else if (begins(values, 1, places) && places.size() >= 2) {
  } else if (places.size() >= 3 && begins(values, 0, places)) {
    form.own_coordinates = true;
    places.erase(places.begin());
  } else {
    throw Error(form.values.where(), found, "coordinates of the shape of one frame of values, and 3");
  }
  if (places.size() > 3) throw Error(form.values.where(), found, "two or three axes of space");
  form.rows = places[0], form.columns = places[1], form.slices = places.size() == 3 ? places[2] : 0;
  const std::size_t rest = values.size() - first - places.size();
  if (rest > 1) throw Error(form.values.where(), found, "(frame, z, x[, y][, channel])");
  form.channel_axis = rest == 1;
}

MapForm form_of(const Node& member) {
  if (!member.is_group() && !member.is_dataset()) throw Error(member.where(), "no map", "a group with values");
  if (member.is_group() && !member.has("values"))
    throw Error(member.where(), "no map (no values)", "a group with values");
  MapForm form{.values = member.is_group() ? member.at("values") : member, .coordinates = {}};
  const std::vector<std::size_t> shape = form.values.extents();
  const Id type(H5Dget_type(form.values.id()));
  form.complex = !complex_members(type).first.empty();
  if (!form.complex && !hdf5::is_plain_number(type))
    throw Error(form.values.where(), hdf5::type_text(type) + " as values", "numbers");
  const auto count = checked_bytes(shape, 1);
  if (!count || *count == 0 || shape.size() < 2 || shape.size() > 5)
    throw Error(form.values.where(), "values of shape " + shape_text(shape), "(frame, z, x[, y][, channel])");
  if (member.is_group()) form.coordinates = member.find("coordinates");
  if (form.coordinates) {
    place_values(shape, form.coordinates->extents(), form);
  } else {
    form.frame_axis = shape.size() > 2;
    form.rows = shape[form.frame_axis ? 1 : 0], form.columns = shape[form.frame_axis ? 2 : 1];
    form.channel_axis = shape.size() == 4;
    if (shape.size() == 5) throw Error(form.values.where(), "a volume without coordinates", "coordinates (..., 3)");
  }
  form.frames = form.frame_axis ? shape[0] : 1;
  if (form.channel_axis) form.channels = shape.back();
  if (form.frames > kMostMapFrames || form.channels > kMostChannels || *count / form.frames > kMostValues) {
    throw Error(form.values.where(), "values of shape " + shape_text(shape),
                "up to 512 MB per frame and " + std::to_string(kMostChannels) + " channels");
  }
  static_cast<void>(form.values.storage(*count * H5Tget_size(type), 0));
  return form;
}

double number_or_none(const Node& member, const char* name) {
  const auto found = member.is_group() ? member.find(name) : std::nullopt;
  return found ? found->number() : std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> map_times_s(const Node& member, std::size_t frames) {
  const auto stamps = member.is_group() ? member.find("timestamps") : std::nullopt;
  if (!stamps) return {};
  std::vector<double> times_s = stamps->numbers(kMostMapFrames);
  if (times_s.size() != frames)
    throw Error(stamps->where(), counted(times_s.size(), "time"), "one for each of the " + counted(frames, "frame"));
  const double offset = number_or_none(member, "start_time_offset");
  for (double& time : times_s) time += std::isfinite(offset) ? offset : 0.0;
  if (!std::ranges::is_sorted(times_s)) throw Error(stamps->where(), "times that fall", "rising times");
  return times_s;
}

bool is_echo_data(const std::string& path) {
  return path.ends_with("/beamformed_data") || path.ends_with("/envelope_data");
}

// Converts amplitudes to dB below their maximum.
void to_levels(std::vector<float>& values) {
  float most = 0.0F;
  for (const float value : values) most = std::max(most, std::abs(value));
  for (float& value : values) value = most > 0.0F ? 20.0F * std::log10(std::max(std::abs(value) / most, 1e-10F)) : 0.0F;
}

// Reads all values of `frames` frames from `first` on, of one channel or of all.
std::vector<float> read_values(const MapForm& form, std::uint64_t first, std::uint64_t frames,
                               std::optional<std::uint32_t> channel) {
  const std::vector<std::size_t> shape = form.values.extents();
  std::vector<hsize_t> start(shape.size(), 0), count(shape.begin(), shape.end());
  if (form.frame_axis) start[0] = first, count[0] = frames;
  if (form.channel_axis && channel) start.back() = *channel, count.back() = 1;
  std::size_t n = 1;
  for (const hsize_t extent : count) n *= static_cast<std::size_t>(extent);
  const Id type(H5Dget_type(form.values.id())), from(H5Dget_space(form.values.id()));
  const Id to(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr));
  const auto members = complex_members(type);
  const Id pair(H5Tcreate(H5T_COMPOUND, 2 * sizeof(float)));
  if (form.complex) {
    H5Tinsert(pair, members.first.c_str(), 0, H5T_NATIVE_FLOAT);
    H5Tinsert(pair, members.second.c_str(), sizeof(float), H5T_NATIVE_FLOAT);
  }
  std::vector<float> values(form.complex ? 2 * n : n);
  hdf5::expect_chunks_of(form.values.id());
  if (H5Sselect_hyperslab(from, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) < 0 ||
      H5Dread(form.values.id(), form.complex ? hid_t{pair} : H5T_NATIVE_FLOAT, to, from, H5P_DEFAULT, values.data()) <
          0)
    throw Error(form.values.where(), "damaged values", hdf5::kUndamaged);
  if (!form.complex) return values;
  for (std::size_t k = 0; k < n; ++k) values[k] = std::hypot(values[2 * k], values[2 * k + 1]);
  values.resize(n);
  return values;
}

// Returns x, y, z of the points of one frame, or of the frames first ... first + frames - 1.
std::vector<double> read_places(const MapForm& form, std::uint64_t first, std::uint64_t frames) {
  const std::vector<double> all = form.coordinates->numbers(3 * kMostValues);
  for (const double place : all) {
    if (!std::isfinite(place)) throw Error(form.coordinates->where(), "a coordinate that is no number", "metres");
    if (std::abs(place) > 10.0)
      throw Error(form.coordinates->where(), "a coordinate of " + std::to_string(place) + " m", "-10 to 10 m");
  }
  if (!form.own_coordinates) return all;
  const std::size_t frame = all.size() / form.frames;
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first * frame);
  return {begin, begin + static_cast<std::ptrdiff_t>(frames * frame)};
}

// Weights of the two slices of a volume on both sides of the plane y; no weights: the plane is outside.
struct Slices {
  std::size_t below = 0, above = 0;
  double share = std::numeric_limits<double>::quiet_NaN();  // of `above`
};

Slices slices_at(const double* places, std::size_t n, double y) {
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const double a = places[3 * k + 1], b = places[3 * k + 4];
    if ((a - y) * (b - y) <= 0.0) return {k, k + 1, a == b ? 0.0 : (y - a) / (b - a)};
  }
  if (n == 1) return {0, 0, 0.0};
  return {};
}

// Returns the volume's values and positions in the plane y, in place of the axis y.
void take_plane(const MapForm& form, double y, std::vector<float>& values, std::vector<double>& places) {
  const std::size_t n = form.slices, points = values.size() / n;
  std::vector<float> plane(points);
  std::vector<double> plane_places(places.size() / n);
  const std::size_t place_points = plane_places.size() / 3;
  for (std::size_t p = 0; p < points; ++p) {
    const double* const line = places.data() + (p % place_points) * 3 * n;
    const Slices at = slices_at(line, n, y);
    plane[p] =
        static_cast<float>(values[p * n + at.below] + at.share * (values[p * n + at.above] - values[p * n + at.below]));
  }
  for (std::size_t p = 0; p < place_points; ++p) {
    const double* const line = places.data() + p * 3 * n;
    const Slices at = slices_at(line, n, y);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double a = line[3 * at.below + axis], b = line[3 * at.above + axis];
      plane_places[3 * p + axis] = a + (std::isfinite(at.share) ? at.share : 0.0) * (b - a);
    }
  }
  values = std::move(plane), places = std::move(plane_places);
}

}  // namespace

std::vector<StoredMap> zea_maps(const Node& member, const std::string& path, double shift_x_m) {
  const MapForm form = form_of(member);
  StoredMap map{.name = path.substr(path.rfind('/') + 1), .path = path, .unit = {}, .description = {}};
  for (const MapName& known : kMapNames)
    if (map.name == known.name) map.unit = known.unit, map.kind = known.kind;
  const auto text = [&](const char* name) {
    const auto found = member.is_group() ? member.find(name) : std::nullopt;
    return found ? printable(found->text(), 200) : std::string();
  };
  if (const std::string unit = text("unit"); !unit.empty()) map.unit = unit;
  map.description = text("description");
  const Id type(H5Dget_type(form.values.id()));
  const bool bytes = H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) == 1;
  if (map.kind == MapKind::levels && bytes) map.kind = MapKind::picture, map.unit.clear();
  if (H5Tget_class(type) == H5T_ENUM) map.kind = MapKind::label;
  map.frames = form.frames, map.rows = form.rows, map.columns = form.columns;
  map.least = number_or_none(member, "min"), map.most = number_or_none(member, "max");
  map.times_s = map_times_s(member, form.frames);
  map.shift_x_m = shift_x_m;
  if (!form.coordinates) map.note = "no position: the file has no coordinates for it";
  if (form.channels == 1 || is_echo_data(path)) return {map};
  std::vector<std::string> labels;
  if (const auto found = member.is_group() ? member.find("labels") : std::nullopt) labels = found->texts(kMostChannels);
  std::vector<StoredMap> maps;
  for (std::size_t c = 0; c < form.channels; ++c) {
    maps.push_back(map);
    maps.back().name += "/" + (c < labels.size() ? printable(labels[c], 60) : std::to_string(c + 1));
    maps.back().channel = static_cast<std::uint32_t>(c);
  }
  return maps;
}

MapValues read_stored_map(const OpenRequest& request, const MapRequest& wanted) {
  return read_map_frames(Node::open(request.what(), request.path_to_open.string(), request.bytes().size()), wanted);
}

MapValues read_map_frames(const Node& root, const MapRequest& frames) {
  const StoredMap& map = frames.map;
  const MapForm form = form_of(root.at_path(map.path));
  if (!form.coordinates) throw Error(form.values.where(), "values without coordinates", "coordinates (..., 3)");
  const std::uint64_t count = frames.count == 0 ? form.frames : frames.count;
  if (frames.first >= form.frames || count > form.frames - frames.first || map.channel >= form.channels)
    throw Error(form.values.where(), "frame " + std::to_string(frames.first),
                "0 to " + std::to_string(form.frames - 1));
  const std::size_t points = form.rows * form.columns * std::max<std::size_t>(form.slices, 1);
  if (points * count > kMostSent)
    throw Error(form.values.where(), counted(static_cast<std::size_t>(count), "frame") + " at once", "fewer frames");
  const bool echoes = is_echo_data(map.path);
  std::vector<float> values =
      read_values(form, frames.first, count, echoes ? std::nullopt : std::optional(map.channel));
  if (echoes && form.channels == 2) {
    for (std::size_t k = 0; k < values.size() / 2; ++k) values[k] = std::hypot(values[2 * k], values[2 * k + 1]);
    values.resize(values.size() / 2);
  }
  if (echoes) to_levels(values);
  std::vector<double> places = read_places(form, frames.first, count);
  if (form.slices > 0) take_plane(form, frames.y_m, values, places);
  MapValues read{.rows = form.rows, .columns = form.columns, .values = std::move(values), .x_m = {}, .z_m = {}};
  for (std::size_t k = 0; k < places.size(); k += 3) {
    read.x_m.push_back(static_cast<float>(places[k] + map.shift_x_m));
    read.z_m.push_back(static_cast<float>(places[k + 2]));
  }
  return read;
}

}  // namespace echoloop
