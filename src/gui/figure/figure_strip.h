// Strip below the image of a figure: M-mode or spectral Doppler over time, with its own axes. Plain values and their
// drawing; any thread. No ImGui.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/grid.h"
#include "core/params.h"
#include "core/results/analysis_images.h"
#include "gui/overlay/analysis_overlays.h"
#include "gui/overlay/image_scales.h"
#include "gui/overlay/m_mode_columns.h"
#include "gui/state/dock_list.h"
#include "render/canvas.h"

namespace echoloop {

// Line in the units of the strip's axes.
struct StripLine {
  CanvasLine points;
  Ink ink;
  double width = 0.8;  // points
};
struct StripCaliper {
  CanvasPoint from, to;
  std::string lengths, rates;
};

struct FigureStrip {
  std::string title;
  std::vector<std::string> facts = {};  // after the title, as many as fit
  PlotAxis x, y;
  int columns = 0, rows = 0;
  std::vector<float> levels_db = {};  // [rows][columns], from x.first and y.first; NaN: black
  ImagingParams display = {};         // window and map of the levels
  std::vector<StripLine> lines = {};
  std::vector<StripCaliper> calipers = {};
  // Source of the strip on the image: one of the two.
  std::optional<PlanePoint> m_mode_line = {};
  std::optional<ImagingParams> gate = {};
};

// Draws the strip. `box`: the levels; title above, axes at the left and below, colour bar at the right.
void draw_strip(Canvas& canvas, const FigureStrip& strip, const CanvasRect& box, PageGround ground);
void draw_guides(Canvas& canvas, const FigureStrip& strip, const ImagePlace& place);

inline constexpr double kDopplerSpan_s = 4.0;  // default span

// Returns the strip of the newest `span_s`. `params`: baseline, range, gain and position of the sample volume.
FigureStrip figure_doppler(const Spectrogram& s, const ImagingParams& params, double span_s, DopplerCurves curves,
                           std::optional<double> shown_s = {});

}  // namespace echoloop

namespace echoloop::figure {

// Common sizes and colours for layout and drawing of a figure, in points.

inline constexpr double kEm = 8.0, kNumberEm = 7.5;
inline constexpr double kMargin = 10.0;
inline constexpr double kTitle = 15.0;     // row of A's and B's titles
inline constexpr double kAxisName = 11.0;  // row of "x, mm"
inline constexpr double kTop = kTopRuler_em * kEm, kLeft = kLeftRuler_em * kEm;
inline constexpr double kBarAway = 14.0, kBar = 9.0, kBarLabels = kBarLabels_em * kEm;
inline constexpr double kBetween = 14.0;  // gap of images with a common depth ruler
inline constexpr double kKeyAway = 20.0, kKeyWidth = 138.0, kKeyColumn = 150.0;
inline constexpr double kKeyHead = 16.0, kKeyRow = 25.0, kPairRow = 12.5, kKeyLine = 11.0;
inline constexpr double kStripAway = 14.0, kStripTitle = 16.0, kStripTimes = 13.0;  // below the image, or a strip
inline constexpr double kCaptionAway = 16.0, kCaptionLine = 11.5;

inline ScaleLook scales(PageGround ground) {
  if (ground == PageGround::dark) return {.em = kEm, .x_apart = 3.5, .z_apart = 3.0};
  return {.em = kEm,
          .x_apart = 3.5,
          .z_apart = 3.0,
          .text = {18, 22, 26},
          .text2 = {66, 74, 82},
          .muted = {92, 100, 108},
          .tick = {120, 128, 136},
          .edge = {150, 158, 166}};
}
inline Rgb paper(PageGround ground) { return ground == PageGround::dark ? Rgb{11, 13, 15} : Rgb{255, 255, 255}; }

// Returns the height of a strip's levels for the width of the whole figure.
inline double strip_height(double width) { return std::max(72.0, 0.22 * width); }

}  // namespace echoloop::figure
