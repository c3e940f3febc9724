// Where everything goes: columns, bars and the picture's furniture, as pure functions of sizes. No ImGui calls. Any
// thread.
#pragma once

#include <string>
#include <vector>

#include "core/grid.h"
#include "gui/rect.h"

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
  bool right_shown = true;
};

WindowLayout lay_out_window(float width, float height, float scale, const ColumnWidths& widths);

// Limits of a column that is being dragged, at scale 1.
float clamp_left_width(float wanted, float logical_width, float right);
float clamp_right_width(float wanted, float logical_width, float left);

// The picture in its area: aspect true, as large as fits, with rulers above and left, colour bar right, caption below.
struct PictureLayout {
  Rect image;
  Rect color_bar;  // the 14 wide bar itself
  float caption_y = 0;
  Grid grid;
  [[nodiscard]] float x_px(double x_m) const;  // the ruler's mapping: grid end points are the image's edges
  [[nodiscard]] float z_px(double z_m) const;
  [[nodiscard]] double x_m(float x_px) const;
  [[nodiscard]] double z_m(float z_px) const;
  // Where another grid lies at this one's scale; it may reach beyond the image.
  [[nodiscard]] Rect place(const Grid& other) const;
};

PictureLayout lay_out_picture(const Rect& area, const Grid& grid, float scale, bool compact);
// The picture alone, as large as fits.
Rect fit_picture(const Rect& area, const Grid& grid);

}  // namespace echoloop
