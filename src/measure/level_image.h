// The image that is measured: levels in dB on a grid in metres. A view; its maker keeps the memory. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/grid.h"
#include "core/results/level_histogram.h"

namespace echoloop {

struct LevelImage {
  std::span<const float> db;  // [nz][nx] against a fixed reference, x fastest; empty = no image
  Grid grid;
  std::uint64_t number = 0;  // of the image (Image::number): another number, another picture
  double time_s = 0.0;       // when its frame was acquired, on the clock of the frames' stamps

  [[nodiscard]] float at(int ix, int iz) const {
    return db[static_cast<std::size_t>(iz) * static_cast<std::size_t>(grid.nx) + static_cast<std::size_t>(ix)];
  }
};

}  // namespace echoloop
