// Annotations of the image: rulers in millimetres, colour bar in dB with its window, caption, the pointer's read-out.
// The pixels are drawn by ImagePainter, below everything drawn here. UI thread only.
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
  const Image& image;      // image on screen
  ImagingParams& display;  // copy of the UI: dynamic range and gain are dragged on the colour bar
  const ImagingParams& defaults;
  const Image* compared = nullptr;  // left of wipe_x; null = no comparison
  float wipe_x = 0;
  std::string_view side = {};  // side of a comparison that `image` is: A or B
  bool matched = false;        // drawn with the histogram of A
  FrameNumbers numbers = {};
  std::string no_sender = {};               // if the scanner is gone: since when, as text; empty: frames arrive
  const AnalysisViews* analyses = nullptr;  // analyses of the image; null: none
  const MapView* map = nullptr;             // over the image; null: none
  const ObjectPick& picked = {};
  SampleFaults faults = {};                // faults of the image's frame
  WindowMode mode = WindowMode::engineer;  // view: depths in centimetres at the left, the side of element 1
  // Returns the level of a pixel of either image; NaN if not available.
  std::function<float(const Image& image, int ix, int iz)> level_db;
  std::function<std::optional<EchoPlace>(PlanePoint)> echo_at;
};

// An image drawn by the CPU, as files have it: without the stream's textures.
class ImagePicture {
 public:
  // Draws the pixels again if the image or the size has changed.
  void update(const std::shared_ptr<const Image>& of, int width, int height);
  void draw(const Ui& ui, const Rect& r, ImU32 tint = IM_COL32_WHITE) const;

 private:
  ColorTexture texture_;
  std::shared_ptr<const Image> image_;
  int width_ = 0, height_ = 0;
};

void draw_rulers(const ImageViewContext& c);
// Returns the distance of the elements' surface from a sector's apex, m: radius of a convex array, 0 for a flat one.
double surface_radius_m(const Image& image);
// Returns a position along its beam, "depth 30.0 mm  12.0°": relative to a curved surface, as the scale at the sector's
// edges, or "r" from the apex.
std::string polar_text(const Image& image, const Sector& sector, double x_m, double z_m);
// Draws depths along the edges of a sector.
void draw_sector_scale(const ImageViewContext& c);
// Draws a mark on the side of element 1, above a sector's edge or in the image's corner. Returns true for a click.
bool draw_orientation(const ImageViewContext& c);
// Draws the gains of the TGC over depth as knobs that are dragged sideways; returns true if a drag changed one.
bool draw_tgc_curve(const ImageViewContext& c, const Rect& bar);
// Scale bar of 1, 2 or 5 x 10^k mm, about a fifth of the image's width and at least 60 pixels at scale 1.
enum class ScaleBarType { small, large };
// Returns the box in the image's lower left corner; empty without room.
[[nodiscard]] Rect scale_bar_box(const Painter& painter, const ImageLayout& layout, ScaleBarType type);
void draw_scale_bar(const Painter& painter, const ImageLayout& layout, ScaleBarType type);
[[nodiscard]] double scale_bar_mm(const ImageLayout& layout);  // its length
// Returns true if both images of a comparison need a bar each: their display parameters differ, or one shows weights
// and the other one levels. `a`: null without a comparison.
[[nodiscard]] bool scales_differ(const Image* a, const Image& b, const Edits& edits);
// Draws the bar of c.image; `side`: A or B if each has a bar. Returns true if a drag changed the window.
bool draw_color_bar(const ImageViewContext& c, const Rect& bar, std::string_view side);
// Draws the bar for the projector: the window alone, with large labels, without dragging.
void draw_presented_color_bar(const Ui& ui, const Rect& bar, const ImagingParams& params, std::string_view side);
void draw_caption(const ImageViewContext& c, float right_limit);
// Draws the read-out while the pointer is on the image, or at the same position of the other image of a comparison: in
// the caption line, up to `right`. Returns the caption's right limit.
float draw_pointer(const ImageViewContext& c, PlanePoint at, float right);

// Layout of the two images of a comparison side by side or above each other: one extent in millimetres, one zoom and
// one pan for both, so that a point has the same position in both. Pure functions; no ImGui calls. Any thread.

struct SideLayouts {
  ImageLayout a, b;  // equal except for their positions; the colour bars are b's
};

struct SidesInput {
  Rect area;
  Grid a, b;
  float scale = 1;
  bool compact = false;
  PanZoom view;
  float labels = 0;     // height above each image, pixels
  ColorBars bars = {};  // without `level`: also without rulers and captions
  Mirrored mirrored = Mirrored::off;
};

// Returns A above B in a narrow area, side by side otherwise.
SideLayouts lay_out_sides(const SidesInput& input);

// Returns the extent of both images: the grid itself if they have the same; a sector if both have one apex. Its numbers
// of pixels are meaningless.
Grid common_extent(const Grid& a, const Grid& b);

inline constexpr const char* kNoCommonDepth = "A and B do not overlap in depth.";
// Returns true if both have a depth in common.
bool depths_overlap(const Grid& a, const Grid& b);

// Returns true if positions in both images correspond: both were recorded with the same elements.
bool same_probe(const Acquisition& a, const Acquisition& b);

// Input of the screen for one frame, and the backgrounds that the viewer draws below it. UI thread only.

struct Ground {
  Rect area;
  unsigned int hex = 0;
};

struct SceneInput {
  const Fonts& fonts;
  float scale = 1;
  float wanted_scale = 1;           // larger than `scale` if the window has no room for it
  Motion motion = Motion::off;      // off: also if it is on in the settings
  const Image& image;               // on screen; number 0 = none of the current source
  const Image& last_image;          // same, but also coarse, or the last one of the previous source
  const Image* compared = nullptr;  // A of a comparison, left of the wipe line; null = none
  std::function<float(const Image& image, int ix, int iz)> level_db;
  LevelReader& levels;  // levels of `image`, for measurements
  LevelReader& compared_levels;
  bool matched = false;  // `image` is drawn with the histogram of `compared`
  std::span<const KeyPress> keys;
  const MModeStrip& strip;
};

// Channel data as an image: elements across, time down, positive and negative values in two colours. UI thread only.

class ChannelMap {
 public:
  // Sets values: [element][n_time]; `of` owns them: another object, other values. The largest magnitude has full
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

// Returns the colour of a value from -1 to 1; amplifies weak values (square root), so that all echoes are visible.
ImU32 signed_color(float value);

}  // namespace echoloop
