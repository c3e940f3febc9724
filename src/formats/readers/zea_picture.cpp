// A zea file without channel data as a recording of images: a stored map of levels or gray values, whose columns are
// those of an image that is formed already.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "formats/base/mapping.h"
#include "formats/readers/zea_contents.h"

namespace echoloop {
namespace {

constexpr float kPictureRange_db = 60.0F;  // of gray values 0 to 255, as images are displayed by default

struct EvenAxis {
  double first_m = 0.0, step_m = 0.0;
};

// Returns the axis of positions at even, rising steps to 1 % of a step; nullopt: they are not.
template <class At>
std::optional<EvenAxis> even_steps(std::size_t n, const At& at) {
  if (n < 2) return std::nullopt;
  const EvenAxis axis{.first_m = at(0), .step_m = (at(n - 1) - at(0)) / static_cast<double>(n - 1)};
  if (!(axis.step_m > 0.0)) return std::nullopt;
  for (std::size_t k = 0; k < n; ++k)
    if (std::abs(at(k) - axis.first_m - axis.step_m * static_cast<double>(k)) > 0.01 * axis.step_m) return std::nullopt;
  return axis;
}

struct PictureGrid {
  EvenAxis x, z;
};

// Returns the axes of a map of equal steps whose rows and columns are those of the image plane.
std::optional<PictureGrid> picture_grid(const MapValues& map) {
  const auto rows = static_cast<std::size_t>(map.rows), columns = static_cast<std::size_t>(map.columns);
  if (map.x_m.size() != rows * columns) return std::nullopt;
  const auto x = even_steps(columns, [&](std::size_t c) { return static_cast<double>(map.x_m[c]); });
  const auto z = even_steps(rows, [&](std::size_t r) { return static_cast<double>(map.z_m[r * columns]); });
  if (!x || !z) return std::nullopt;
  for (std::size_t k = 0; k < rows * columns; ++k) {
    if (std::abs(map.x_m[k] - map.x_m[k % columns]) > 0.01 * x->step_m) return std::nullopt;
    if (std::abs(map.z_m[k] - map.z_m[k / columns * columns]) > 0.01 * z->step_m) return std::nullopt;
  }
  return PictureGrid{*x, *z};
}

float amplitude(const StoredMap& map, float value) {
  if (!std::isfinite(value)) return 0.0F;
  const float level_db = map.kind == MapKind::picture ? kPictureRange_db * (value / 255.0F - 1.0F) : value;
  return std::pow(10.0F, level_db / 20.0F);
}

// Writes a frame as columns of pairs I, Q: the amplitude and 0.
void write_columns(const StoredMap& map, const MapValues& frame, std::span<std::byte> out) {
  auto* const to = reinterpret_cast<float*>(out.data());
  const auto rows = static_cast<std::size_t>(map.rows), columns = static_cast<std::size_t>(map.columns);
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t r = 0; r < rows; ++r) {
      to[2 * (c * rows + r)] = amplitude(map, frame.values[r * columns + c]);
      to[2 * (c * rows + r) + 1] = 0.0F;
    }
  }
}

Acquisition picture_acquisition(const StoredMap& map, const PictureGrid& grid) {
  Acquisition a;
  a.data = DataKind::beamformed;
  a.probe = {.name = {}, .kind = ProbeKind::linear, .pitch_m = grid.x.step_m, .element_width_m = 0.0, .elements = {}};
  for (std::uint64_t c = 0; c < map.columns; ++c)
    a.probe.elements.push_back({.x_m = grid.x.first_m + grid.x.step_m * static_cast<double>(c)});
  a.signal = SignalKind::iq;
  a.sample_type = SampleType::float32;
  a.n_samples = static_cast<int>(map.rows);
  a.sampling_hz = 0.5 * a.sound_speed_m_s / grid.z.step_m;  // two-way path
  a.center_hz = a.demod_hz = a.sampling_hz;
  a.transmits.resize(1);
  a.transmits[0].t0_s = 2.0 * grid.z.first_m / a.sound_speed_m_s;
  if (map.times_s.size() > 1 && map.times_s.back() > map.times_s.front())
    a.frame_rate_hz = static_cast<double>(map.times_s.size() - 1) / (map.times_s.back() - map.times_s.front());
  a.assumptions.push_back("no channel data in the file: the stored " + map.name +
                          " is the image; sound speed and frequencies have no effect on it");
  if (map.kind == MapKind::picture)
    a.assumptions.emplace_back("gray values 0 to 255 shown as -60 to 0 dB: the file has no levels");
  return a;
}

}  // namespace

std::optional<LibraryRecording> read_zea_picture(const OpenRequest& request, const hdf5::Node& root,
                                                 const std::string& part) {
  SourceContents contents = zea_contents(root, {.path = part});
  const auto found = std::ranges::find_if(contents.maps, [](const StoredMap& map) {
    return map.note.empty() && (map.kind == MapKind::levels || map.kind == MapKind::picture);
  });
  if (found == contents.maps.end() || found->columns > kMaxElements) return std::nullopt;
  const auto map = std::make_shared<const StoredMap>(*found);
  const auto grid = picture_grid(read_map_frames(root, {.map = *map, .first = 0, .count = 1}));
  if (!grid) return std::nullopt;
  const Acquisition a = picture_acquisition(*map, *grid);
  a.validate(request.what());
  LibraryRecording recording;
  recording.acquisition = std::make_shared<const Acquisition>(a);
  recording.frame_count = map->frames;
  recording.format = "zea (stored images)";
  recording.named = {.why_not = "the file has images, no samples"};
  recording.contents = std::move(contents);
  recording.frame_by_frame = true;
  recording.read_frame = [root, map](std::uint64_t index, std::span<std::byte> out) {
    write_columns(*map, read_map_frames(root, {.map = *map, .first = index, .count = 1}), out);
  };
  return recording;
}

}  // namespace echoloop
