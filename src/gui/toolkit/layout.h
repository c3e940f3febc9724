// Where columns and bars go, as pure functions of sizes; image_layout.h has the picture. No ImGui calls. Any thread.
#pragma once

#include "gui/state/rect.h"

namespace echoloop {

// Column widths at scale 1, as the user left them; 0 = the design's.
struct ColumnWidths {
  float left = 0;
  float right = 0;
};

struct WindowLayout {
  Rect status, left, right, centre, message;
  float splitter_left = 0, splitter_right = 0;  // x of the edges
  bool compact = false;
  bool left_shown = true, right_shown = true;  // a narrow window has one column, a very narrow one none
};

WindowLayout lay_out_window(float width, float height, float scale, const ColumnWidths& widths);

// Limits of a column that is being dragged, at scale 1.
float clamp_left_width(float wanted, float logical_width, float right);
float clamp_right_width(float wanted, float logical_width, float left);

}  // namespace echoloop
