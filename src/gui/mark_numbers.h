// Where the numbers of marks go on a figure, so that none covers another: each moves on circles around its mark to the
// first free place. Pure function; any thread. No ImGui.
#pragma once

#include <vector>

#include "render/canvas.h"

namespace echoloop {

struct NumberedMark {
  std::vector<CanvasLine> lines;
  CanvasPoint centre;   // of the circles
  double radius = 0.0;  // of the first one: as far as the mark reaches
};

struct NumberSize {
  double radius;       // of the disc that holds a number
  double gap;          // between a mark and its number, and between numbers
  double leader_from;  // gap from which a line joins them
};

struct PlacedNumber {
  CanvasPoint at;    // centre of the disc
  CanvasPoint foot;  // the mark's nearest point
  bool leader = false;
};

// In the marks' order. No two discs overlap while `within` has room for them; places over other marks' lines are taken
// last, those over `taken` never.
std::vector<PlacedNumber> place_numbers(const std::vector<NumberedMark>& marks, const CanvasRect& within,
                                        const std::vector<CanvasRect>& taken, const NumberSize& size);

}  // namespace echoloop
