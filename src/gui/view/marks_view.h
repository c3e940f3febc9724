// Draws marks over the picture: lines with a dark halo, handles, and the value on a chip. Only what lies within the
// picture is drawn. UI thread only.
#pragma once

#include "gui/state/marks.h"
#include "gui/toolkit/picture_layout.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

struct MarksView {
  Ui& ui;
  const PictureLayout& layout;
  const Marks& marks;
  const Mark* draft = nullptr;  // being drawn
};

void draw_marks(const MarksView& view);

// Lengths in mm have this many decimals: as many as a pixel is worth.
[[nodiscard]] int length_decimals(const PictureLayout& layout);

// The number of the mark whose chip is at this pixel; 0 = none.
[[nodiscard]] int chip_at(const MarksView& view, float x, float y);

}  // namespace echoloop
