// Marks as lines over an image on any canvas, the same in figures and in saved images. Any thread. No ImGui.
#pragma once

#include <vector>

#include "gui/overlay/analysis_overlays.h"
#include "gui/overlay/image_place.h"
#include "gui/overlay/mark_labels.h"
#include "gui/state/marks.h"

namespace echoloop {

// The mark's line, and small crosses at the points of distances and points.
std::vector<CanvasLine> lines_of(const Mark& mark, const ImagePlace& place, double arm);
// With those lines and no size of its label yet.
LabelledMark labelled(const Mark& mark, const ImagePlace& place, double arm);
void draw_mark(Canvas& canvas, const Mark& mark, const ImagePlace& place, const MarkLook& look);

// A small image becomes a whole number of times as large, so that words in it can be read; returns that number.
int enlarge_to_read(RgbImage& picture);

// `picture`: of all of `grid`; its first and last row and column are the grid's end points.
// A small one is enlarged. Below the marks lie the lines of the analyses.
void draw_marks_in(RgbImage& picture, const Grid& grid, const Marks& marks, const ImageOverlays& overlays = {});

}  // namespace echoloop
