// Conversion from dB to colour: the formula of the shader (as a table; a test compares them), the colour bar and PNG
// export. The TGC's gain at the row is added to the level; black below reject_db; t = (dB + gain +
// dynamic range) / dynamic range, clamped to 0..1, then t^gamma, then the map. Any thread. No OpenGL, no ImGui: works
// without a window.
#pragma once

#include <array>

#include "core/results/image.h"
#include "render/canvas.h"

namespace echoloop {

inline constexpr int kMapEntries = 256;
using MapTable = std::array<Rgb, kMapEntries>;

// Returns a table: entry i is the colour of t = i / 255; colours between entries are interpolated linearly.
const MapTable& map_table(ColorMap map);

// Returns the position of a level, TGC's gain included, in the display window: 0 black, 1 white, gamma applied.
double transfer(double level_db, const DisplayParams& display);
Rgb map_color(ColorMap map, double t);

// Table of transfer(), which is constant below `first_db` and from `first_db` + `span_db` up.
struct TransferCurve {
  static constexpr int kNodes = 1024;
  double first_db = 0.0, span_db = 0.0;
  std::array<float, kNodes + 1> t{};  // [0]: below first_db; [1 + i]: at first_db + (i / (kNodes - 1))^4 span_db
  bool straight = false;              // 0 below, then the share of span_db
};
TransferCurve transfer_curve(const DisplayParams& display);

// Returns the image with square pixels: the finer of the grid's two steps, linear between pixel centres, first and last
// row and column on the grid's end points. For a sector: its box, black outside; a pixel is a step of the radius. Empty
// if the image has no host copy.
RgbImage render_rgb(const Image& image, const DisplayParams& display);

}  // namespace echoloop
