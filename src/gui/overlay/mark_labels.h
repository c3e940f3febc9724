// Where the labels of marks go, in figures and in the window, so that none covers another: each moves on ellipses
// around its mark to the first free place. Pure function; any thread. No ImGui.
#pragma once

#include <optional>
#include <vector>

#include "render/canvas.h"

namespace echoloop {

struct LabelledMark {
  std::vector<CanvasLine> lines;
  CanvasPoint centre;                    // of the ellipses
  double radius = 0.0;                   // of the first one: as far as the mark reaches
  CanvasPoint half = {};                 // of the label: half its width and height
  std::optional<CanvasPoint> wish = {};  // middle of the label, tried first
};

struct LabelGaps {
  double gap;          // between a mark and its label, and between labels
  double leader_from;  // gap from which a line joins them
};

struct PlacedLabel {
  CanvasPoint at;    // its middle
  CanvasPoint foot;  // the mark's nearest point
  bool leader = false;
};

// In the marks' order. No two labels overlap while `within` has room for them; places over other marks' lines are taken
// last, those over `taken` never.
std::vector<PlacedLabel> place_labels(const std::vector<LabelledMark>& marks, const CanvasRect& within,
                                      const std::vector<CanvasRect>& taken, const LabelGaps& gaps);

}  // namespace echoloop
