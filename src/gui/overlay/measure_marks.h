// The numbers of marks on one image: what the Measure panel shows and what a run without a window writes, by the same
// functions. Marks count to the nanometre, which is what a file of them holds: read back, they give the same numbers to
// the last digit. No ImGui. Any thread.
#pragma once

#include <map>

#include "gui/state/measured.h"
#include "measure/level_picture.h"
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
void measure_marks(Measured& measured, const Marks& marks, const LevelPicture& picture, RegionPixelCache& pixels);

Region region_of(const Mark& mark);
Mark to_nanometres(Mark mark);

}  // namespace echoloop
