// A figure for paper and slides: one image or A and B side by side, with rulers, colour bars, scale bar, numbered marks
// with a key of their values, strips of M-mode and spectral Doppler, and a caption below. Drawn once for PNG, SVG and
// PDF (canvas.h); lengths are points (1/72 inch), text is at least 7 of them. Any thread. No ImGui.
#pragma once

#include <string>
#include <vector>

#include "core/results/image.h"
#include "core/sample_faults.h"
#include "gui/figure/figure_strip.h"
#include "gui/overlay/analysis_overlays.h"
#include "gui/state/figure_size.h"
#include "gui/state/marks.h"
#include "gui/state/stream_text.h"
#include "render/canvas.h"

namespace echoloop {

struct FigureImage {
  Image image;  // with a host copy, borrowed
  ImagingParams display;
  ImageOverlays over = {};
  std::string title = {};  // of A and B
  FrameNumbers numbers = {};
  SampleFaults faults = {};  // of the image's frame
  bool matched = false;      // B, whose levels are mapped to A's histogram
};

// One mark, or with number 0 a value of a pair of them.
struct FigureKeyRow {
  int number = 0;
  std::string name, value;
  std::string value_b = {};  // of B, on a line of its own below A's
};

struct Figure {
  std::vector<FigureImage> images;       // one, or A and B
  std::vector<FigureStrip> strips = {};  // below them, of the last of them
  std::string caption;
  Marks marks = {};
  std::vector<FigureKeyRow> key = {};
  FigureSize size = {};
  PageGround ground = PageGround::white;
};

enum class KeyPlace { none, beside, below };

struct FigureLayout {
  double width = 0.0, height = 0.0;
  std::vector<CanvasRect> images, strips;  // of the strips their levels
  bool common_depth = false;               // of A and B: only the first has numbers at its ruler
  CanvasRect level_bar, a_bar, flow_bar;   // a_bar: where A shows levels and B weights, or the other way round
  KeyPlace key_place = KeyPlace::none;
  CanvasRect key;
  std::vector<std::string> caption_lines;
  CanvasPoint caption;  // middle of the first line's left end
};

// On whole pixels of the images. Throws Error when it would be larger than kMostFigurePixels a side.
inline constexpr int kMostFigurePixels = 16384;
FigureLayout lay_out(const Figure& figure, TextRasterizer& rasterizer, double pixels_per_pt);

void draw_figure(Canvas& canvas, const Figure& figure, const FigureLayout& layout);

}  // namespace echoloop
