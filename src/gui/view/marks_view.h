// Draws marks over the image: lines with a dark halo, handles, and the value on a chip. Only what lies within the
// image is drawn. UI thread only.
#pragma once

#include <vector>

#include "gui/state/marks.h"
#include "gui/toolkit/image_layout.h"
#include "gui/toolkit/ui.h"
#include "render/canvas.h"

namespace echoloop {

struct MarksView {
  Ui& ui;
  const ImageLayout& layout;
  const Marks& marks;
  const Mark* draft = nullptr;  // being drawn
};

void draw_marks(const MarksView& view);

// Lengths in mm have this many decimals: as many as a pixel is worth.
[[nodiscard]] int length_decimals(const ImageLayout& layout);

// The number of the mark whose chip is at this pixel; 0 = none.
[[nodiscard]] int chip_at(const MarksView& view, float x, float y);

struct ChipWish {
  const Mark* mark;
  float width, height;  // pixels
};

struct PlacedChip {
  Rect rect;         // whole pixels, within the image
  CanvasPoint foot;  // the mark's nearest point
  bool leader = false;
};

std::vector<PlacedChip> place_chips(const ImageLayout& layout, const std::vector<ChipWish>& wishes);

// Beside the place of the label, turned over where there is no room; always within the image.
Rect wished_chip(const ImageLayout& layout, const ChipWish& wish);

}  // namespace echoloop
