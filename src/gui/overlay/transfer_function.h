// Conversion from dB to colour: the formula of the shader, the colour bar and PNG export (shaders/image.frag repeats
// it; a test compares them). The TGC's gain at the row is added to the level; black below reject_db; t = (dB + gain +
// dynamic range) / dynamic range, clamped to 0..1, then t^gamma, then the map. Any thread. No OpenGL, no ImGui: works
// without a window.
#pragma once

#include <array>

#include "core/results/image.h"
#include "render/palette.h"

namespace echoloop {

inline constexpr int kMapEntries = 256;
using MapTable = std::array<Rgb, kMapEntries>;

// Returns a table: entry i is the colour of t = i / 255; colours between entries are interpolated linearly.
const MapTable& map_table(ColorMap map);

// Returns the position of a level, TGC's gain included, in the display window: 0 black, 1 white, gamma applied.
double transfer(double level_db, const DisplayParams& display);
Rgb map_color(ColorMap map, double t);

// Returns the image with square pixels: the finer of the grid's two steps, linear between pixel centres, first and last
// row and column on the grid's end points. For a sector: its box, black outside; a pixel is a step of the radius. Empty
// if the image has no host copy.
RgbImage render_rgb(const Image& image, const DisplayParams& display);

}  // namespace echoloop
