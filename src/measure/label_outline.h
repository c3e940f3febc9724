// Where labelled objects end: closed lines along the edges of their pixels, as points of the plane. They are drawn at
// any zoom and written to files, so they belong to no screen. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/grid.h"

namespace echoloop {

struct LabelOutline {
  std::int32_t label = 0;
  std::vector<PlanePoint> line;  // closed: the last point joins the first; the object lies at its right
  PlanePoint least{}, most{};    // the box around it
};

// labels: [nz][nx], 0 = no object. One line around each object and one around each of its holes. Pixels that meet at a
// corner only do not belong together (4 neighbours). A pixel reaches half a step to all sides, but not beyond the
// grid's first and last row and column, where the image ends. On a polar grid lines follow the radii in one piece and
// the arcs in steps of a pixel.
std::vector<LabelOutline> outline_labels(std::span<const std::int32_t> labels, const Grid& grid);

}  // namespace echoloop
