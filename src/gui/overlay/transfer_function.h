// From dB to colour: the one formula that the shader, the colour bar and PNG export share (shaders/image.frag repeats
// it; a test compares them). The TGC's gain at the row is added to the level; below reject_db it is black; t = (dB +
// gain + dynamic range) / dynamic range, clamped to 0..1, then t^gamma, then the map. Any thread. No OpenGL, no ImGui:
// usable without a window.
#pragma once

#include <array>

#include "core/results/image.h"
#include "render/palette.h"

namespace echoloop {

inline constexpr int kMapEntries = 256;
using MapTable = std::array<Rgb, kMapEntries>;

// Entry i is the colour of t = i / 255; between entries colours are interpolated linearly.
const MapTable& map_table(ColorMap map);

// Where a level, with the TGC's gain, lies in the window of the display parameters: 0 black, 1 white, gamma applied.
double transfer(double level_db, const DisplayParams& display);
Rgb map_color(ColorMap map, double t);

// The image alone with square pixels: the finer of the grid's two steps, linear between pixel centres, first and last
// row and column on the grid's end points. Of a sector: its box, black outside; a pixel is a step of the radius. Empty
// when the image has no host copy.
RgbImage render_rgb(const Image& image, const DisplayParams& display);

}  // namespace echoloop
