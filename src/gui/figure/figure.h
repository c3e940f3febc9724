// A figure for paper and slides: one image or A and B side by side, with rulers, colour bars, scale bar, numbered marks
// with a key of their values, strips of M-mode and spectral Doppler, and a caption below. Drawn once for PNG, SVG and
// PDF (canvas.h); lengths are points (1/72 inch), text is at least 7 of them. Any thread. No ImGui.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/results/image.h"
#include "core/sample_log.h"
#include "gui/figure/figure_strip.h"
#include "gui/overlay/analysis_overlays.h"
#include "gui/overlay/flow_overlay.h"
#include "gui/overlay/image_sampler.h"
#include "gui/overlay/transfer_function.h"
#include "gui/state/dock_list.h"
#include "gui/state/marks.h"
#include "gui/state/stream_text.h"
#include "render/canvas.h"
#include "render/text_rasterizer.h"

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

// A figure on disk, as PNG, SVG or PDF by the ending of its name. Any thread.

enum class FigureFormat { png, svg, pdf };

// Throws Error for another ending, and for PDF where this program cannot write it.
FigureFormat figure_format(const std::filesystem::path& path);

// Throws Error where the figure would be too large for the file.
void require_figure_size(const std::filesystem::path& path, const Figure& figure);

struct FigureAbout {
  std::string title;
  std::string command = {};                                // that makes the image again
  std::vector<std::pair<std::string, std::string>> texts;  // kept in a PNG: keyword, text
};
// Throws Error.
void write_figure(const std::filesystem::path& path, const Figure& figure, const FigureAbout& about);

// The rows of a figure's key: what each mark is and measures, then what each pair of regions measures. Any thread.

// `measured`: of the same marks on the figure's image, or on A and B in this order.
std::vector<FigureKeyRow> figure_key(const Marks& marks, const std::vector<const Measured*>& measured);

namespace figure {

// Height of the key in so many columns.
double key_height(const Figure& figure, int columns);
void draw_key(Canvas& canvas, const Figure& figure, const FigureLayout& layout);

}  // namespace figure

// The sentences below a figure: source, frame, time, then what formed the image. Any thread. No ImGui.

// Of A and B: what they have in common once, then what each has of its own. `note`: a last sentence; may be empty.
std::string figure_caption(const std::vector<FigureImage>& images, const std::string& source, const std::string& note);

inline constexpr const char* kNoBreak = "\u00A0";  // between a value and its unit: no line of a figure ends there

// What A and B differ in, as titles beside their letters.
void title_images(std::vector<FigureImage>& images);

// A film's picture: the image as it is displayed, aspect true, with rulers in millimetres, the colour bar in dB, and
// below it which source, frame and time it is and what formed it. Drawn on the CPU, so that films need no OpenGL and
// never wait for the window. One thread at a time, any thread.

class FilmPainter {
 public:
  explicit FilmPainter(FilmLook look);

  [[nodiscard]] int width() const { return width_; }  // both even; at most 1920 x 1080
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] const PixelArea& area() const { return area_; }  // where the last image is; its edges: end points
  [[nodiscard]] bool has_words() const { return rasterizer_.any(); }

  // An image with a host copy; one of another grid is fitted into the same film. With the flow that belongs to it;
  // null: none.
  const RgbImage& paint(const Image& image, const FlowImage* flow = nullptr);

 private:
  void draw_ground(const Grid& grid);

  FilmLook look_;
  int width_ = 0, height_ = 0;
  int right_ = 0;  // of the image: colour bars
  PixelArea area_;
  Grid ground_grid_;
  ImageSampler sampler_;
  TextRasterizer rasterizer_;
  RgbImage ground_, picture_;
};

}  // namespace echoloop
