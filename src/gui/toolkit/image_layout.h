// Where the image lies and the one mapping between pixels and metres: rulers, marks, read-out and the pixels
// themselves all use it. Aspect always true. Zooming and panning as pure functions. No ImGui calls. Any thread.
#pragma once

#include "core/grid.h"
#include "gui/state/pan_zoom.h"
#include "gui/state/rect.h"

namespace echoloop {

struct ImageLayout {
  Rect room;                    // what the image may fill
  Rect image;                   // what it fills of that, whole pixels; empty: no image
  Rect color_bar;               // the 14 wide bar itself
  Rect a_bar, flow_bar;         // beside it, likewise; where ColorBars names them
  float caption_y = 0;          // the caption's top
  Grid grid;                    // of the whole image
  PlanePoint centre{0.0, 0.0};  // in the room's middle
  double px_per_m = 1.0;        // across as down
  double fitted_px_per_m = 1.0;
  float scale = 1;  // the window's

  [[nodiscard]] float x_px(double x_m) const;
  [[nodiscard]] float z_px(double z_m) const;
  [[nodiscard]] double x_m(float x_px) const;
  [[nodiscard]] double z_m(float z_px) const;
  [[nodiscard]] PlanePoint point(float x, float y) const { return {x_m(x), z_m(y)}; }
  // Where a whole picture of this grid lies; it may reach far beyond the image.
  [[nodiscard]] Rect place(const Grid& other) const;
  [[nodiscard]] double zoom() const { return px_per_m / fitted_px_per_m; }  // 1 = fitted
  [[nodiscard]] double px_per_mm() const { return px_per_m * 1e-3; }
};

// `scale`: of the window. Beyond the limits of zoom and place `view` is taken as the nearest within them.
ImageLayout place_picture(const Rect& room, const Grid& grid, float scale, const PanZoom& view);
inline constexpr float kImageAreaLeast = 124;  // height at scale 1 of rulers, caption and an image between them

// The same with room for rulers above and left, the colour bars right and the caption below.
struct ColorBars {
  bool level = true;
  bool a = false;  // of A of a comparison, where its scale is another than B's
  bool flow = false;
};
[[nodiscard]] int count(ColorBars bars);
// From the left at `first`, `step` pixels apart.
void place_bars(ImageLayout& layout, const Rect& first, float step, ColorBars bars);
ImageLayout lay_out_picture(const Rect& area, const Grid& grid, float scale, bool compact, const PanZoom& view,
                            ColorBars bars = {});

// The point under pixel (x, y) stays there, except where zooming out brings the image back into its room.
PanZoom zoomed_about(const ImageLayout& l, float x, float y, double factor);
// Moves with the mouse, (dx, dy) pixels; nothing but the image comes into view.
PanZoom panned(const ImageLayout& l, float dx, float dy);

}  // namespace echoloop
