// Tiles of the tuned delay-and-sum on the image: which samples of each line, and which elements, a tile can need. Pure
// functions of the plan's geometry. Tiles are numbered along x, then down.
#pragma once

#include <memory>

#include "backend/fp16/packed_plan.h"

namespace echoloop {

struct ElementSpan {
  int first = 0;
  int count = 0;
};

// Window starts of all tiles, and the window's length. Null when a delay is no number or no window could hold it.
std::shared_ptr<const PackedWindows> make_packed_windows(const DasGeometry& g, const TileShape& tile);

// From the first to the last element that a pixel of the tile lies within the reach of (F-number).
ElementSpan seeing_elements(const DasGeometry& g, const TileShape& tile, int index);

}  // namespace echoloop
