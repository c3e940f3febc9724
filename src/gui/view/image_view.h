// The image's furniture: rulers in millimetres, colour bar in dB with its window, caption, the pointer's read-out.
// The pixels themselves are drawn by ImagePainter, below everything that is drawn here. UI thread only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/results/image.h"
#include "gui/overlay/sample_fault_text.h"
#include "gui/state/stream_text.h"
#include "gui/state/ui_state.h"
#include "gui/toolkit/image_layout.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

struct ImageViewContext {
  Ui& ui;
  const ImageLayout& layout;
  const Image& image;      // what is on screen
  ImagingParams& display;  // the UI's copy: dynamic range and gain are dragged on the colour bar
  const ImagingParams& defaults;
  const Image* compared = nullptr;  // left of wipe_x; null = no comparison
  float wipe_x = 0;
  std::string_view side = {};  // of a comparison, that `image` is: A or B
  bool matched = false;        // drawn with the histogram of A
  FrameNumbers numbers = {};
  std::string no_sender = {};               // of a scanner that has gone: since when, in words; empty: frames come
  const AnalysisViews* analyses = nullptr;  // of the image; null: none
  SampleFaults faults = {};                 // of the image's frame
  // Of a pixel of either image; not a number when it cannot be had.
  std::function<float(const Image& image, int ix, int iz)> level_db;
  std::function<std::optional<EchoPlace>(PlanePoint)> echo_at;
};

void draw_rulers(const ImageViewContext& c);
// Distance of the elements' surface from a sector's apex, m: the radius of a convex array, 0 for a flat one.
double surface_radius_m(const Image& image);
// A place along its beam, "depth 30.0 mm  12.0°": as the scale at the sector's edges counts, from a curved surface,
// or "r" from the apex.
std::string polar_text(const Image& image, const Sector& sector, double x_m, double z_m);
// Depths along the edges of a sector.
void draw_sector_scale(const ImageViewContext& c);
// A bar of 1, 2 or 5 x 10^k mm, about a fifth of the image's width.
enum class ScaleBarType { small, large };
// In the image's lower left corner; empty where it has no room.
[[nodiscard]] Rect scale_bar_box(const Painter& painter, const ImageLayout& layout, ScaleBarType type);
void draw_scale_bar(const Painter& painter, const ImageLayout& layout, ScaleBarType type);
[[nodiscard]] double scale_bar_mm(const ImageLayout& layout);  // its length
// One shows weights, the other one levels: each has a bar. `a`: null without a comparison.
// Whether one scale of levels or weights does not hold for both images of a comparison.
[[nodiscard]] bool scales_differ(const Image* a, const Image& b, const UiState& state);
// Of c.image; `side`: A or B, where each has a bar. True when a drag changed the window.
bool draw_color_bar(const ImageViewContext& c, const Rect& bar, std::string_view side);
// For the projector: the window alone, with large labels. It is not dragged.
void draw_presented_color_bar(const Ui& ui, const Rect& bar, const ImagingParams& params, std::string_view side);
void draw_caption(const ImageViewContext& c, float right_limit);
// While the pointer is on the image, or at the same place of the image that this one is compared with.
void draw_pointer(const ImageViewContext& c, PlanePoint at);

// Of the read-out: what it avoids, pixels.
struct ReadOutSurroundings {
  float pointer_x = 0, pointer_y = 0;
  bool compared = false;  // the badges of a comparison are in the upper corners
  Rect scale_bar = {};
};
// The place of a read-out of this size, pixels. Below the caption of a sector or left of its rulers where there is
// room, as its tip or arc would be covered; otherwise in a corner of the image, top right, or top left while the
// pointer is there, and below while a comparison is shown.
[[nodiscard]] Rect read_out_place(const ImageLayout& layout, float width, float height, const ReadOutSurroundings& at);

}  // namespace echoloop
