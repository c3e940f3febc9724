// Marks as lines over an image on any canvas, the same in figures and in saved images. Any thread. No ImGui.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "gui/overlay/analysis_overlays.h"
#include "gui/state/marks.h"
#include "measure/region.h"
#include "measure/region_stats.h"
#include "render/canvas.h"

namespace echoloop {

// Where the labels of marks go, in figures and in the window, so that none covers another: each moves on ellipses
// around its mark to the first free place. Pure function; any thread. No ImGui.

struct LabelledMark {
  std::vector<CanvasLine> lines;
  CanvasPoint centre;                    // of the ellipses
  double radius = 0.0;                   // of the first one: as far as the mark reaches
  CanvasPoint half = {};                 // of the label: half its width and height
  std::optional<CanvasPoint> wish = {};  // middle of the label, tried first
};

struct LabelGaps {
  double gap;          // between a mark and its label, and between labels
  double leader_from;  // gap from which a line joins them
};

struct PlacedLabel {
  CanvasPoint at;    // its middle
  CanvasPoint foot;  // the mark's nearest point
  bool leader = false;
};

// In the marks' order. No two labels overlap while `within` has room for them; places over other marks' lines are taken
// last, those over `taken` never.
std::vector<PlacedLabel> place_labels(const std::vector<LabelledMark>& marks, const CanvasRect& within,
                                      const std::vector<CanvasRect>& taken, const LabelGaps& gaps);

// The mark's line, and small crosses at the points of distances and points.
std::vector<CanvasLine> lines_of(const Mark& mark, const ImagePlace& place, double arm);
// With those lines and no size of its label yet.
LabelledMark labelled(const Mark& mark, const ImagePlace& place, double arm);
void draw_mark(Canvas& canvas, const Mark& mark, const ImagePlace& place, const MarkLook& look);

// A small image becomes a whole number of times as large, so that words in it can be read; returns that number.
int enlarge_to_read(RgbImage& picture);

// `picture`: of all of `grid`; its first and last row and column are the grid's end points.
// A small one is enlarged. Below the marks lie the lines of the analyses.
void draw_marks_in(RgbImage& picture, const Grid& grid, const Marks& marks, const ImageOverlays& overlays = {});

// The numbers of marks on one image: what the Measure panel shows and what a run without a window writes, by the same
// functions. Marks count to the nanometre, which is what a file of them holds: read back, they give the same numbers to
// the last digit. No ImGui. Any thread.

// Which pixels lie in a region is found once a drawing, not once an image.
class RegionPixelCache {
 public:
  const RegionPixels& of(const Mark& mark, const Grid& grid);
  void keep_only(const Marks& marks);
  void clear() { known_.clear(); }

 private:
  struct KnownPixels {
    Region region;
    Grid grid;
    RegionPixels pixels;
  };
  std::map<int, KnownPixels> known_;  // by the mark's number
};

// Fills all of `measured` but its histogram and trends. `measured.image`: the image that `picture` is; points take
// their widths from `measured.fine` where that has them.
void measure_marks(Measured& measured, const Marks& marks, const LevelImage& picture, RegionPixelCache& pixels);

Region region_of(const Mark& mark);
Mark to_nanometres(Mark mark);

// The slope of the measured image against delay-and-sum, as values of its pairs and regions.
inline constexpr const char* kSlope = "slope against delay-and-sum";
inline constexpr const char* kSlopeIntercept = "intercept of the slope";
inline constexpr const char* kSlopeFit = "r2 of the slope";

// Adds or replaces the slopes and scatter plots of the pairs (over both regions) and of the single regions; none where
// the grids differ.
void measure_slopes(Measured& measured, const Marks& marks, const LevelImage& picture, const LevelImage& das,
                    RegionPixelCache& pixels);
void clear_slopes(Measured& measured);

// Whether the image's levels are made by an adaptive method: contrasts are then not those of the tissue.
bool changed_by_method(const ImagingParams& params);

}  // namespace echoloop
