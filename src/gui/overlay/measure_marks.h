// The numbers of marks on one image: what the Measure panel shows and what a run without a window writes, by the same
// functions. Marks count to the nanometre, which is what a file of them holds: read back, they give the same numbers to
// the last digit. No ImGui. Any thread.
#pragma once

#include <map>

#include "gui/state/measured.h"
#include "measure/level_image.h"
#include "measure/region.h"

namespace echoloop {

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
