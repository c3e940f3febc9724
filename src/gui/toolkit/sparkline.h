// A quantity of the last ten seconds as a small curve. UI thread only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/toolkit/ui.h"

namespace echoloop {

struct Sparkline {
  const std::vector<float>& values;  // oldest first, in equal steps; not a number where there is none
  double top = 1.0;                  // the scale starts at 0
  std::string top_text = {};
  std::optional<double> line = {};  // dashed, with a word of its own
  std::string_view line_text = {};
  float label_width = 50;  // at scale 1; 0 = no labels
};

// In `row`, labels to the right of the curve and never over it. Returns the curve's box.
Rect draw_sparkline(const Ui& ui, const Rect& row, const Sparkline& plot);

}  // namespace echoloop
