// How a ring of columns in a texture is drawn as a strip whose newest column is at the right. Pure; any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gui/state/rect.h"

namespace echoloop {

// Where the whole texture has to be drawn, and within which clip.
struct StripPiece {
  Rect where, clip;
};

// `newest`: the newest column, counted from 0; it lies at newest % ring. Columns are step_px wide.
inline std::vector<StripPiece> strip_pieces(const Rect& box, double step_px, std::int64_t newest, int ring) {
  // Right edge of a column.
  const auto edge = [&](std::int64_t step) {
    return box.x1 - static_cast<float>(step_px * static_cast<double>(newest - step));
  };
  std::vector<StripPiece> list;
  const std::int64_t at = newest % ring;
  // Turns of the ring: the one that ends with the newest column, and the one before.
  for (const std::int64_t first : {newest - at, newest - at - ring}) {
    const std::int64_t last = first == newest - at ? newest : newest - at - 1;
    const std::int64_t oldest = std::max<std::int64_t>({first, newest - ring + 1, 0});
    if (last < oldest) continue;
    // From edge to edge, though the painter takes the edges for the outer columns' centres: at most half a column off,
    // and the two turns meet without a gap.
    const Rect where{edge(first - 1), box.y0, edge(first + ring - 1), box.y1};
    const Rect clip = box.common({edge(oldest - 1), box.y0, edge(last), box.y1});
    if (clip.x1 > clip.x0) list.push_back({where, clip});
  }
  return list;
}

}  // namespace echoloop
