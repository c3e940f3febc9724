// Figure for papers and slides: one image or A and B in a row, with rulers, colour bars, scale bar, numbered marks with
// a key of their values, strips of M-mode and spectral Doppler, and a caption below. The same drawing for PNG, SVG and
// PDF (canvas.h); lengths in points (1/72 inch), text at least 7 points. Any thread. No ImGui.
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

namespace echoloop {

struct FigureImage {
  Image image;  // with a host copy, borrowed
  ImagingParams display;
  ImageOverlays over = {};
  std::string title = {};  // if A and B
  FrameNumbers numbers = {};
  SampleFaults faults = {};  // of the image's frame
  bool matched = false;      // for B: its levels are mapped to A's histogram
};

// Row for a mark, or with number 0 for a value of a pair of them.
struct FigureKeyRow {
  int number = 0;
  std::string name, value;
  std::string value_b = {};  // of B, on a separate line below A's
};

struct Figure {
  std::vector<FigureImage> images;       // one, or A and B
  std::vector<FigureStrip> strips = {};  // below the images, belonging to the last one
  std::string caption;
  Marks marks = {};
  std::vector<FigureKeyRow> key = {};
  FigureSize size = {};
  PageGround ground = PageGround::white;
};

enum class KeyPlace { none, beside, below };

struct FigureLayout {
  double width = 0.0, height = 0.0;
  std::vector<CanvasRect> images, strips;  // of strips: box of the levels
  bool common_depth = false;               // for A and B: only the first has numbers on its ruler
  CanvasRect level_bar, a_bar, flow_bar;   // a_bar: if one shows levels and the other weights
  KeyPlace key_place = KeyPlace::none;
  CanvasRect key;
  std::vector<std::string> caption_lines;
  CanvasPoint caption;  // centre left of the first line
};

// Returns a layout on whole pixels of the images. Throws Error if a side would exceed kMostFigurePixels.
inline constexpr int kMostFigurePixels = 16384;
FigureLayout lay_out(const Figure& figure, TextRasterizer& rasterizer, double pixels_per_pt);

void draw_figure(Canvas& canvas, const Figure& figure, const FigureLayout& layout);

// Figure file: PNG, SVG or PDF by the extension of its name. Any thread.

enum class FigureFormat { png, svg, pdf };

// Throws Error for another extension, and for PDF if this program cannot write it.
FigureFormat figure_format(const std::filesystem::path& path);

// Throws Error if the figure would be too large for the file.
void require_figure_size(const std::filesystem::path& path, const Figure& figure);

struct FigureAbout {
  std::string title;
  std::string command = {};                                // reproduces the image
  std::vector<std::pair<std::string, std::string>> texts;  // stored in a PNG: keyword, text
};
// Throws Error.
void write_figure(const std::filesystem::path& path, const Figure& figure, const FigureAbout& about);

// Rows of a figure's key: name and values of each mark, then the values of each pair of regions. Any thread.

// Returns the rows. `measured`: of the same marks on the figure's image, or on A and B in this order.
std::vector<FigureKeyRow> figure_key(const Marks& marks, const std::vector<const Measured*>& measured);

namespace figure {

// Returns the height of the key with this number of columns.
double key_height(const Figure& figure, int columns);
void draw_key(Canvas& canvas, const Figure& figure, const FigureLayout& layout);

}  // namespace figure

// Caption of a figure: source, frame, time, then the parameters of the image. Any thread. No ImGui.

// Returns the caption; for A and B: common facts once, then those of each. `note`: a last sentence; may be empty.
std::string figure_caption(const std::vector<FigureImage>& images, const std::string& source, const std::string& note);

inline constexpr const char* kNoBreak = "\u00A0";  // between a value and its unit: prevents line breaks there

// Sets the differences of A and B as titles next to their letters.
void title_images(std::vector<FigureImage>& images);

// Image of a video: the displayed image with its aspect ratio, rulers in millimetres, the colour bar in dB, and below
// it source, frame, time and parameters. Drawn on the CPU, so that videos need no OpenGL and never wait for the window.
// One thread at a time, any thread.

class FilmPainter {
 public:
  explicit FilmPainter(FilmLook look);

  [[nodiscard]] int width() const { return width_; }  // both even; at most 1920 x 1080
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] const PixelArea& area() const { return area_; }  // box of the last image; its edges: end points
  [[nodiscard]] bool has_words() const { return rasterizer_.any(); }

  // Draws an image with a host copy; one of another grid is fitted into the same video. `flow`: belongs to the image;
  // null: none.
  const RgbImage& paint(const Image& image, const FlowImage* flow = nullptr);

 private:
  void draw_ground(const Grid& grid);

  FilmLook look_;
  int width_ = 0, height_ = 0;
  int right_ = 0;  // width right of the image, for colour bars
  PixelArea area_;
  Grid ground_grid_;
  ImageSampler sampler_;
  TextRasterizer rasterizer_;
  RgbImage ground_, picture_;
};

}  // namespace echoloop
