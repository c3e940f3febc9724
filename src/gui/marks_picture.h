// Marks and their values in a picture that is saved, drawn on the CPU as the window draws them. Any thread. No ImGui.
#pragma once

#include "core/grid.h"
#include "gui/marks.h"
#include "gui/tone.h"

namespace echoloop {

// `picture`: of all of `grid`; its first and last row and column are the grid's end points.
// A small one becomes a whole number of times as large, so that the values can be read.
void draw_marks_in(RgbPicture& picture, const Grid& grid, const Marks& marks);

}  // namespace echoloop
