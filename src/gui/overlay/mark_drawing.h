// Marks and objects as lines over an image on any canvas, the same in figures and in saved images. Any thread. No
// ImGui.
#pragma once

#include <vector>

#include "core/grid.h"
#include "gui/overlay/mark_labels.h"
#include "gui/state/marks.h"
#include "gui/state/structure_view.h"
#include "render/canvas.h"

namespace echoloop {

// Where points of the image plane lie on the canvas.
struct ImagePlace {
  CanvasRect box;  // its edges are the grid's end points
  Grid grid;

  [[nodiscard]] CanvasPoint at(PlanePoint p) const {
    const auto share = [](double v, double from, double to) { return to > from ? (v - from) / (to - from) : 0.0; };
    return {box.x0 + share(p.x_m, grid.x0_m, grid.x1_m) * box.width(),
            box.y0 + share(p.z_m, grid.z0_m, grid.z1_m) * box.height()};
  }
};

struct MarkLook {  // in units of the canvas
  double line;     // thickness
  double halo;     // of the dark ground, on each side of the line
  double em;       // of numbers
};

// The mark's line, and small crosses at the points of distances and points.
std::vector<CanvasLine> lines_of(const Mark& mark, const ImagePlace& place, double arm);
// With those lines and no size of its label yet.
LabelledMark labelled(const Mark& mark, const ImagePlace& place, double arm);
void draw_mark(Canvas& canvas, const Mark& mark, const ImagePlace& place, const MarkLook& look);

void draw_object_outlines(Canvas& canvas, const StructureView& objects, const ImagePlace& place, const MarkLook& look);

// The numbers of the largest within `within` where no other number and nothing of `taken` is.
struct NumberRoom {
  CanvasRect within;
  std::vector<CanvasRect> taken = {};
};
void draw_object_numbers(Canvas& canvas, const StructureView& objects, const ImagePlace& place, const MarkLook& look,
                         NumberRoom room);

// A small picture becomes a whole number of times as large, so that words in it can be read; returns that number.
int enlarge_to_read(RgbImage& picture);

// `picture`: of all of `grid`; its first and last row and column are the grid's end points.
// A small one is enlarged. Below the marks lie the outlines of `objects`, with the numbers of the largest; null = none.
void draw_marks_in(RgbImage& picture, const Grid& grid, const Marks& marks, const StructureView* objects = nullptr);

}  // namespace echoloop
