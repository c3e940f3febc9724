// A stored map of the recording in the window: the user's choice, and the map as it is shown. Values. UI thread only.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contents.h"
#include "core/grid.h"

namespace echoloop {

// b_side: opaque, right of the line of the comparison; difference: the image's levels minus those of the map.
enum class MapOn { overlay, b_side, difference };
inline constexpr std::array<std::string_view, 3> kMapOnWords = {"overlay", "b_side", "difference"};

struct MapChoice {
  std::string name = {};  // of SourceContents::maps; empty: none
  double opacity = 0.5;
  std::optional<double> least = {}, most = {};  // in its unit; empty: by the file, or 2 % to 98 % of the values
  MapOn on = MapOn::overlay;
  std::uint64_t frame = 0;  // of a map whose frames belong to none of the recording's
  friend bool operator==(const MapChoice&, const MapChoice&) = default;
};

// A frame of a map on a Cartesian grid over the image.
struct MapView {
  StoredMap map;
  std::uint64_t frame = 0;
  Grid grid;
  std::vector<float> values = {};          // [nz][nx], NaN: no value
  double least = 0.0, most = 1.0;          // shown range
  double own_least = 0.0, own_most = 1.0;  // range without the user's
  [[nodiscard]] double at(PlanePoint p) const {
    const GridPlace place = grid.place(p.x_m, p.z_m);
    if (values.empty() || !grid.contains(place, 0.0)) return std::numeric_limits<double>::quiet_NaN();
    const auto column = static_cast<std::size_t>(std::lround(place.column)),
               row = static_cast<std::size_t>(std::lround(place.row));
    return values[row * static_cast<std::size_t>(grid.nx) + column];
  }
};
using MapViewPtr = std::shared_ptr<const MapView>;  // null: none is chosen, or it is being read

}  // namespace echoloop
