// Where an image lies on a canvas, and how lines over it look. Any thread. No ImGui.
#pragma once

#include <vector>

#include "core/grid.h"
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

// Of labels: within this, where nothing of `taken` is.
struct LabelRoom {
  CanvasRect within;
  std::vector<CanvasRect> taken = {};
};

// On a dark ground.
inline void draw_outlined(Canvas& canvas, const std::vector<CanvasLine>& lines, const MarkLook& look) {
  constexpr double kHalo = 0.67;
  canvas.lines(lines, look.line + 2.0 * look.halo, {kBlack, kHalo});
  canvas.lines(lines, look.line, {ink::kAccent});
}

}  // namespace echoloop
