// A strip below the image of a figure: M-mode or spectral Doppler over time, with its own axes. Plain values and their
// drawing; any thread. No ImGui.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/grid.h"
#include "core/params.h"
#include "core/results/spectrogram.h"
#include "gui/overlay/plot_axis.h"
#include "gui/overlay/spectrogram_plot.h"
#include "gui/state/figure_size.h"
#include "render/canvas.h"

namespace echoloop {

// In the units of the strip's axes.
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
  std::vector<std::string> facts = {};  // behind the title, as many as have room
  PlotAxis x, y;
  int columns = 0, rows = 0;
  std::vector<float> levels_db = {};  // [rows][columns], from x.first and y.first; not a number: black
  ImagingParams display = {};         // window and map of the levels
  std::vector<StripLine> lines = {};
  std::vector<StripCaliper> calipers = {};
  // Where it comes from, on the image: one of both.
  std::optional<PlanePoint> m_mode_line = {};
  std::optional<ImagingParams> gate = {};
};

// `box`: of the levels; title above, axes at the left and below, the bar of their levels at the right.
void draw_strip(Canvas& canvas, const FigureStrip& strip, const CanvasRect& box, PageGround ground);
void draw_guides(Canvas& canvas, const FigureStrip& strip, const CanvasRect& image, const Grid& grid);

inline constexpr double kDopplerSpan_s = 4.0;  // where nothing else is chosen

// The newest `span_s`. `params`: baseline, range, gain and the place of the sample volume.
FigureStrip figure_doppler(const Spectrogram& s, const ImagingParams& params, double span_s, DopplerCurves curves,
                           std::optional<double> shown_s = {});

}  // namespace echoloop
