// Marks with their values, and objects, in a picture that is saved, drawn on the CPU as the window draws them. Any
// thread. No ImGui.
#pragma once

#include "core/grid.h"
#include "gui/overlay/tone.h"
#include "gui/state/marks.h"
#include "gui/state/structure_view.h"

namespace echoloop {

// A small picture becomes a whole number of times as large, so that words in it can be read; returns that number.
int enlarge_to_read(RgbPicture& picture);

// `picture`: of all of `grid`; its first and last row and column are the grid's end points.
// A small one is enlarged. Below the marks lie the outlines of `objects`, with the numbers of the largest; null = none.
void draw_marks_in(RgbPicture& picture, const Grid& grid, const Marks& marks, const StructureView* objects = nullptr);

}  // namespace echoloop
