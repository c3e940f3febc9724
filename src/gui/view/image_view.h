// The image's furniture: rulers in millimetres, colour bar in dB with its window, caption, the pointer's read-out.
// The pixels themselves are drawn by ImagePainter, below everything that is drawn here. UI thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/acquisition.h"
#include "core/results/image.h"
#include "gui/gl/level_reader.h"
#include "gui/gl/shader.h"
#include "gui/overlay/caption.h"
#include "gui/state/focus.h"
#include "gui/state/rect.h"
#include "gui/state/stream_text.h"
#include "gui/state/ui_state.h"
#include "gui/toolkit/layout.h"
#include "gui/toolkit/plot.h"
#include "gui/toolkit/theme.h"
#include "gui/toolkit/ui.h"
#include "gui/view/m_mode.h"

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
  const ObjectPick& picked = {};
  SampleFaults faults = {};  // of the image's frame
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
[[nodiscard]] bool scales_differ(const Image* a, const Image& b, const Edits& edits);
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

// Where the two images of a comparison lie beside or above each other: one extent in millimetres, one zoom and one pan
// for both, so that a place of one lies at the same place of the other. Pure functions; no ImGui calls. Any thread.

struct SideLayouts {
  ImageLayout a, b;  // equal but for their places; the colour bars are b's
};

struct SidesInput {
  Rect area;
  Grid a, b;
  float scale = 1;
  bool compact = false;
  PanZoom view;
  ColorBars bars = {};  // without `level`: without rulers and captions too
};

// A over B where the area is narrow, beside B otherwise.
SideLayouts lay_out_sides(const SidesInput& input);

// The extent that both images lie in: the grid itself where they have the same; a sector where both look from one apex.
// Its numbers of pixels say nothing.
Grid common_extent(const Grid& a, const Grid& b);

inline constexpr const char* kNoCommonDepth = "A and B do not overlap in depth.";
// Whether there is a depth that lies in both.
bool depths_overlap(const Grid& a, const Grid& b);

// Whether a place in one image is the same place in the other: both were recorded with the same elements.
bool same_probe(const Acquisition& a, const Acquisition& b);

// What the viewer gives the screen for one frame, and the grounds that the screen asks it to draw below. UI thread
// only.

struct Ground {
  Rect area;
  unsigned int hex = 0;
};

struct SceneInput {
  const Fonts& fonts;
  float scale = 1;
  float wanted_scale = 1;           // more than `scale` where the window has no room for it
  const Image& image;               // on screen; number 0 = none of the source in use
  const Image& last_image;          // likewise, or coarse, or the last one of the source before
  const Image* compared = nullptr;  // A of a comparison, left of the wipe line; null = none
  std::function<float(const Image& image, int ix, int iz)> level_db;
  LevelReader& levels;  // of `image`, for what measures it
  LevelReader& compared_levels;
  bool matched = false;  // `image` is drawn with the histogram of `compared`
  std::span<const KeyPress> keys;
  const MModeStrip& strip;
};

// Channel data as an image: elements across, time down, positive and negative values in two colours. UI thread only.

class ChannelMap {
 public:
  // values: [element][n_time]; `of` is whose they are: another object, other values. Its largest magnitude is full
  // colour.
  void update(const std::shared_ptr<const void>& of, std::span<const float> values, int n_elements, int n_time);
  void draw(const Ui& ui, const Plot& plot) const;
  [[nodiscard]] float peak() const { return peak_; }

 private:
  std::shared_ptr<const void> of_;
  ColorTexture texture_;
  std::vector<std::uint32_t> colors_;  // [n_time][n_elements]
  float peak_ = 0.0F;
};

// The colour of a value from -1 to 1; weak values are lifted (square root), so that echoes of all strengths are seen.
ImU32 signed_color(float value);

}  // namespace echoloop
