#include "measure/map_on_grid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace echoloop {
namespace {

constexpr double kEdge = 1e-5;  // of a cell: pixels on a line between two cells, with positions in single precision

struct Cell {
  std::array<PlanePoint, 4> at;  // by row, then column
};

// Solves p = bilinear(at; down, across) by Newton's method; nullopt: p is outside.
std::optional<MapPlaces::Pixel> place_in(const Cell& cell, PlanePoint p) {
  const auto& [a, b, c, d] = cell.at;
  double u = 0.5, v = 0.5;  // down, across
  for (int round = 0; round < 12; ++round) {
    const auto mix = [&](double qa, double qb, double qc, double qd) {
      return (1 - u) * ((1 - v) * qa + v * qb) + u * ((1 - v) * qc + v * qd);
    };
    const double ex = p.x_m - mix(a.x_m, b.x_m, c.x_m, d.x_m), ez = p.z_m - mix(a.z_m, b.z_m, c.z_m, d.z_m);
    const double xu = (1 - v) * (c.x_m - a.x_m) + v * (d.x_m - b.x_m),
                 xv = (1 - u) * (b.x_m - a.x_m) + u * (d.x_m - c.x_m);
    const double zu = (1 - v) * (c.z_m - a.z_m) + v * (d.z_m - b.z_m),
                 zv = (1 - u) * (b.z_m - a.z_m) + u * (d.z_m - c.z_m);
    const double area = xu * zv - xv * zu;
    if (area == 0.0) return std::nullopt;
    const double du = (ex * zv - xv * ez) / area, dv = (xu * ez - ex * zu) / area;
    u = std::clamp(u + du, -2.0, 3.0), v = std::clamp(v + dv, -2.0, 3.0);
    if (std::abs(du) + std::abs(dv) < 1e-9) break;
  }
  if (!(u >= -kEdge && u <= 1.0 + kEdge && v >= -kEdge && v <= 1.0 + kEdge)) return std::nullopt;
  return MapPlaces::Pixel{.cell = 0,
                          .down = static_cast<float>(std::clamp(u, 0.0, 1.0)),
                          .across = static_cast<float>(std::clamp(v, 0.0, 1.0))};
}

// Pixels that a cell may contain: first and last column and row.
struct PixelBox {
  int column0, column1, row0, row1;
};

PixelBox pixel_box(const Cell& cell, const Grid& grid) {
  double left = grid.nx, right = -1.0, top = grid.nz, bottom = -1.0;
  for (const PlanePoint& p : cell.at) {
    const GridPlace at = grid.place(p.x_m, p.z_m);
    left = std::min(left, at.column), right = std::max(right, at.column);
    top = std::min(top, at.row), bottom = std::max(bottom, at.row);
  }
  // Lines between two points are bent on a polar grid, by less than an eighth of the span.
  const double wider = grid.polar() ? 0.125 * (right - left) : 0.0,
               higher = grid.polar() ? 0.125 * (bottom - top) : 0.0;
  const auto clamped = [](double value, int n) {
    return static_cast<int>(std::clamp(value, -1.0, static_cast<double>(n)));
  };
  return {std::max(0, clamped(std::floor(left - wider), grid.nx)),
          std::min(grid.nx - 1, clamped(std::ceil(right + wider), grid.nx)),
          std::max(0, clamped(std::floor(top - higher), grid.nz)),
          std::min(grid.nz - 1, clamped(std::ceil(bottom + higher), grid.nz))};
}

}  // namespace

MapPlaces map_places(const MapValues& map, std::size_t frame, const Grid& grid) {
  MapPlaces places{.pixels = std::vector<MapPlaces::Pixel>(grid.pixels())};
  const auto rows = static_cast<std::size_t>(map.rows), columns = static_cast<std::size_t>(map.columns);
  const std::size_t base = map.x_m.size() == rows * columns ? 0 : frame * rows * columns;
  const auto point = [&](std::size_t at) { return PlanePoint{map.x_m[base + at], map.z_m[base + at]}; };
  for (std::size_t r = 0; r + 1 < rows; ++r) {
    for (std::size_t c = 0; c + 1 < columns; ++c) {
      const std::size_t at = r * columns + c;
      const Cell cell{{point(at), point(at + 1), point(at + columns), point(at + columns + 1)}};
      const PixelBox box = pixel_box(cell, grid);
      for (int iz = box.row0; iz <= box.row1; ++iz) {
        for (int ix = box.column0; ix <= box.column1; ++ix) {
          auto& pixel = places.pixels[static_cast<std::size_t>(iz) * static_cast<std::size_t>(grid.nx) +
                                      static_cast<std::size_t>(ix)];
          if (pixel.cell != MapPlaces::kOutside) continue;
          if (auto found = place_in(cell, grid.point(ix, iz))) {
            found->cell = static_cast<std::int32_t>(at);
            pixel = *found;
          }
        }
      }
    }
  }
  return places;
}

std::vector<float> map_on_grid(const MapValues& map, std::size_t frame, const MapPlaces& places, MapBetween between) {
  const auto rows = static_cast<std::size_t>(map.rows), columns = static_cast<std::size_t>(map.columns);
  const float* const values = map.values.data() + frame * rows * columns;
  std::vector<float> on_grid(places.pixels.size(), std::numeric_limits<float>::quiet_NaN());
  for (std::size_t k = 0; k < on_grid.size(); ++k) {
    const MapPlaces::Pixel& pixel = places.pixels[k];
    if (pixel.cell == MapPlaces::kOutside) continue;
    const float* const at = values + pixel.cell;
    if (between == MapBetween::nearest) {
      on_grid[k] = at[(pixel.down < 0.5F ? 0 : columns) + (pixel.across < 0.5F ? 0 : 1)];
      continue;
    }
    const float upper = at[0] + pixel.across * (at[1] - at[0]);
    const float lower = at[columns] + pixel.across * (at[columns + 1] - at[columns]);
    on_grid[k] = upper + pixel.down * (lower - upper);
  }
  return on_grid;
}

LevelDifference level_difference(std::span<const float> own, std::span<const float> stored) {
  constexpr float kLowest_db = -40.0F;
  LevelDifference difference{.db = std::vector<float>(own.size(), std::numeric_limits<float>::quiet_NaN())};
  float highest = -std::numeric_limits<float>::infinity();
  for (const float level : own)
    if (std::isfinite(level)) highest = std::max(highest, level);
  std::vector<float> all;
  for (std::size_t k = 0; k < own.size(); ++k) {
    if (!(own[k] - highest > kLowest_db && stored[k] > kLowest_db)) continue;
    difference.db[k] = own[k] - stored[k];
    all.push_back(difference.db[k]);
  }
  if (all.empty()) return difference;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle);
  difference.median_db = *middle;
  double squares = 0.0;
  for (float& level : difference.db) {
    level -= *middle;
    if (std::isfinite(level)) squares += static_cast<double>(level) * level;
  }
  difference.rms_db = std::sqrt(squares / static_cast<double>(all.size()));
  return difference;
}

std::vector<float> levels_on_grid(const LevelImage& levels, const Grid& grid) {
  const Grid& own = levels.grid;
  std::vector<float> placed(grid.pixels(), std::numeric_limits<float>::quiet_NaN());
  if (levels.db.empty() || own.nx < 2 || own.nz < 2) return placed;
  for (int iz = 0; iz < grid.nz; ++iz) {
    for (int ix = 0; ix < grid.nx; ++ix) {
      const PlanePoint p = grid.point(ix, iz);
      const GridPlace place = own.place(p.x_m, p.z_m);
      if (!own.contains(place, 0.0)) continue;
      const int column = std::clamp(static_cast<int>(place.column), 0, own.nx - 2);
      const int row = std::clamp(static_cast<int>(place.row), 0, own.nz - 2);
      const float across = static_cast<float>(place.column) - static_cast<float>(column);
      const float down = static_cast<float>(place.row) - static_cast<float>(row);
      const auto between = [&](int z) {
        return levels.at(column, z) + across * (levels.at(column + 1, z) - levels.at(column, z));
      };
      const float upper = between(row);
      placed[static_cast<std::size_t>(iz) * static_cast<std::size_t>(grid.nx) + static_cast<std::size_t>(ix)] =
          upper + down * (between(row + 1) - upper);
    }
  }
  return placed;
}

bool has_own_frames(const StoredMap& map, std::uint64_t n_frames) {
  return map.frames > 1 && map.times_s.empty() && map.frames != n_frames;
}

std::optional<std::uint64_t> map_frame(const StoredMap& map, const MapMoment& at) {
  if (map.frames == 1) return 0;
  if (has_own_frames(map, at.n_frames)) return std::min(at.own, map.frames - 1);
  const std::vector<double>& times_s = map.times_s;
  if (times_s.empty()) return at.index % map.frames;
  const double time_s = at.time_s;
  const auto after = static_cast<std::size_t>(std::ranges::lower_bound(times_s, time_s) - times_s.begin());
  std::size_t nearest = std::min(after, times_s.size() - 1);
  if (nearest > 0 && time_s - times_s[nearest - 1] < times_s[nearest] - time_s) --nearest;
  const std::size_t other = times_s[nearest] <= time_s ? nearest + 1 : nearest - 1;  // on the side of the time
  const std::size_t one = std::min(nearest + 1, times_s.size() - 1), two = nearest > 0 ? nearest - 1 : 0;
  const double gap = other < times_s.size()
                         ? std::abs(times_s[other] - times_s[nearest])
                         : std::max(times_s[one] - times_s[nearest], times_s[nearest] - times_s[two]);
  return std::abs(time_s - times_s[nearest]) <= 0.5 * gap + 1e-9 ? std::optional<std::uint64_t>(nearest) : std::nullopt;
}

}  // namespace echoloop
