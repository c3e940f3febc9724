// Where the chips with the marks' values lie on the image of the window: beside their marks, moved where one would
// cover another. Pure function; any thread. No ImGui.
#pragma once

#include <vector>

#include "gui/state/marks.h"
#include "gui/toolkit/picture_layout.h"
#include "render/canvas.h"

namespace echoloop {

struct ChipWish {
  const Mark* mark;
  float width, height;  // pixels
};

struct PlacedChip {
  Rect rect;         // whole pixels, within the image
  CanvasPoint foot;  // the mark's nearest point
  bool leader = false;
};

std::vector<PlacedChip> place_chips(const PictureLayout& layout, const std::vector<ChipWish>& wishes);

// Beside the place of the label, turned over where there is no room; always within the image.
Rect wished_chip(const PictureLayout& layout, const ChipWish& wish);

}  // namespace echoloop
