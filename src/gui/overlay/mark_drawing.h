// Marks as lines over an image on any canvas, the same in figures and in saved images. Any thread. No ImGui.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "gui/overlay/analysis_overlays.h"
#include "gui/state/marks.h"
#include "measure/levels.h"
#include "measure/region.h"
#include "render/canvas.h"

namespace echoloop {

// Positions of the labels of marks, in figures and in the window, without overlap: each moves on ellipses around its
// mark to the first free position. Pure function; any thread. No ImGui.

struct LabelledMark {
  std::vector<CanvasLine> lines;
  CanvasPoint centre;                    // of the ellipses
  double radius = 0.0;                   // of the first one: the mark's extent
  CanvasPoint half = {};                 // of the label: half its width and height
  std::optional<CanvasPoint> wish = {};  // centre of the label, tried first
};

struct LabelGaps {
  double gap;          // between a mark and its label, and between labels
  double leader_from;  // minimum gap for a line between them
};

struct PlacedLabel {
  CanvasPoint at;    // centre
  CanvasPoint foot;  // the mark's nearest point
  bool leader = false;
};

// Returns the labels in the marks' order. No two labels overlap if `within` is large enough; positions over other
// marks' lines are used last, those over `taken` never.
std::vector<PlacedLabel> place_labels(const std::vector<LabelledMark>& marks, const CanvasRect& within,
                                      const std::vector<CanvasRect>& taken, const LabelGaps& gaps);

// Returns the mark's line, and small crosses at the points of distances and points.
std::vector<CanvasLine> lines_of(const Mark& mark, const ImagePlace& place, double arm);
// Returns a mark with those lines; the size of its label is not set.
LabelledMark labelled(const Mark& mark, const ImagePlace& place, double arm);
void draw_mark(Canvas& canvas, const Mark& mark, const ImagePlace& place, const MarkLook& look);

// Enlarges a small image by an integer factor, so that text in it is legible; returns the factor.
int enlarge_to_read(RgbImage& picture);

// Draws the marks over the overlays. `picture`: of all of `grid`; its first and last row and column are the grid's end
// points. A small one is enlarged.
void draw_marks_in(RgbImage& picture, const Grid& grid, const Marks& marks, const ImageOverlays& overlays = {},
                   Mirrored mirrored = Mirrored::off);

// Measurements of marks on one image, by the same functions for the Measure panel and for runs without a window.
// Positions of marks are rounded to nanometres, as in files: after reading, the numbers are identical to the last
// digit. No ImGui. Any thread.

// Cache of the pixels in each region: computed once per region and grid, not per image.
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

// Fills `measured` except histogram and trends. `measured.image`: the image of `picture`; widths of points come from
// `measured.fine` if present.
void measure_marks(Measured& measured, const Marks& marks, const LevelImage& picture, RegionPixelCache& pixels);

Region region_of(const Mark& mark);
Mark to_nanometres(Mark mark);

// Names of the slope of the measured image against delay-and-sum in values of pairs and regions.
inline constexpr const char* kSlope = "slope against delay-and-sum";
inline constexpr const char* kSlopeIntercept = "intercept of the slope";
inline constexpr const char* kSlopeFit = "r2 of the slope";

// Adds or replaces the slopes and scatter plots of the pairs (over both regions) and of the single regions; none if the
// grids differ.
void measure_slopes(Measured& measured, const Marks& marks, const LevelImage& picture, const LevelImage& das,
                    RegionPixelCache& pixels);
void clear_slopes(Measured& measured);

// Returns true if an adaptive method made the image's levels: contrasts then differ from those of the tissue.
bool changed_by_method(const ImagingParams& params);

}  // namespace echoloop
