// Tiles of the tuned delay-and-sum on the image, and which samples of each line they can need. Part of the plan
// (backend/fp16/packed_plan.h): pure functions of its geometry.
#pragma once

#include <memory>

#include "backend/fp16/packed_plan.h"

namespace echoloop {

struct TilePixels {        // of a tile, clipped to the image
  int ix0, ix1, iz0, iz1;  // inclusive
};
TilePixels tile_pixels(const DasGeometry& geometry, const TileShape& tile, int index);

struct TileRectangle {
  double x0_m, x1_m, z0_m, z1_m;
};
// What holds the tile: all of it on straight rows and columns; the box around a piece of a sector.
TileRectangle tile_rectangle(const DasGeometry& geometry, const TilePixels& pixels);

// Window starts of all tiles, and the window's length. Null when a delay is no number or no window could hold it.
std::shared_ptr<const PackedWindows> place_windows(const DasGeometry& geometry, const TileShape& tile);

}  // namespace echoloop
