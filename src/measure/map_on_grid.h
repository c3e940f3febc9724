// Places a stored map on the pixels of an image: for each pixel the cell of four points of the map that contains it,
// and the inverse bilinear weights in it. The points form a structured grid, whose lines may be bent and of any steps:
// Cartesian, a sector, or neither. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/contents.h"
#include "core/grid.h"
#include "measure/levels.h"

namespace echoloop {

struct MapPlaces {
  static constexpr std::int32_t kOutside = -1;
  struct Pixel {
    std::int32_t cell = kOutside;      // index of its point of the lowest row and column
    float down = 0.0F, across = 0.0F;  // 0 to 1, from row to row and from column to column
  };
  std::vector<Pixel> pixels;  // [nz][nx]
};

// Finds the cells for one frame of a map (of 0, if all frames have the same positions).
MapPlaces map_places(const MapValues& map, std::size_t frame, const Grid& grid);

// Returns the values of a frame at the pixels, NaN outside: linear in each cell, for labels those of the nearest point.
enum class MapBetween { linear, nearest };
std::vector<float> map_on_grid(const MapValues& map, std::size_t frame, const MapPlaces& places, MapBetween between);

// Own minus stored levels, dB: where both are above -40 dB, without the median; NaN elsewhere.
struct LevelDifference {
  std::vector<float> db;
  double median_db = 0.0, rms_db = 0.0;
};
LevelDifference level_difference(std::span<const float> own, std::span<const float> stored);

// Returns levels at the pixels of another grid, linear between four of their own; NaN outside.
std::vector<float> levels_on_grid(const LevelImage& levels, const Grid& grid);

// Returns true if the frames of the map belong to no frames of the recording: neither times nor as many.
[[nodiscard]] bool has_own_frames(const StoredMap& map, std::uint64_t n_frames);

// Frame of the recording for which a map's frame is wanted. `own`: the map's, if it has_own_frames().
struct MapMoment {
  std::uint64_t index = 0, n_frames = 0;
  double time_s = 0.0;
  std::uint64_t own = 0;
};
// Returns the map's frame: the nearest by the times of the map, none beyond half a gap; else the frame of the same
// index, if there are as many; else `own`.
std::optional<std::uint64_t> map_frame(const StoredMap& map, const MapMoment& at);

}  // namespace echoloop
