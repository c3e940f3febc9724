// Where the two images of a comparison lie beside or above each other: one extent in millimetres, one zoom and one pan
// for both, so that a place of one lies at the same place of the other. Pure functions; no ImGui calls. Any thread.
#pragma once

#include "core/acquisition.h"
#include "gui/toolkit/image_layout.h"

namespace echoloop {

struct SideLayouts {
  ImageLayout a, b;  // equal but for their places; the colour bars are b's
};

struct SidesInput {
  Rect area;
  Grid a, b;
  float scale = 1;
  bool compact = false;
  PanZoom view;
  ColorBars bars = {};  // without `level`: without rulers and captions too
};

// A over B where the area is narrow, beside B otherwise.
SideLayouts lay_out_sides(const SidesInput& input);

// The extent that both images lie in: the grid itself where they have the same; a sector where both look from one apex.
// Its numbers of pixels say nothing.
Grid common_extent(const Grid& a, const Grid& b);

inline constexpr const char* kNoCommonDepth = "A and B do not overlap in depth.";
// Whether there is a depth that lies in both.
bool depths_overlap(const Grid& a, const Grid& b);

// Whether a place in one image is the same place in the other: both were recorded with the same elements.
bool same_probe(const Acquisition& a, const Acquisition& b);

}  // namespace echoloop
