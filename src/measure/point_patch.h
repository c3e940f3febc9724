// Where an echo is to be beamformed finely, so that its widths do not depend on the image's pixels: a patch around the
// image's peak, as wide as the lobes and their side lobes, with enough pixels across a width; then one around the peak
// that it shows, and more if the widths differ from those it was made for; four at most. Beamforming is for the caller.
// Any thread.
#pragma once

#include <optional>

#include "measure/point_spread.h"

namespace echoloop {

class PointPatch {
 public:
  // `image`: the grid of the image that `seen` was measured on.
  PointPatch(const Grid& image, const PointSpread& seen);

  // What to beamform next. Of the image's kind, inside the image.
  [[nodiscard]] const Grid& grid() const { return grid_; }

  enum class Next { done, again, failed };
  // The levels of grid(). `again`: grid() is another one now.
  Next take(const LevelImage& patch);
  [[nodiscard]] const std::optional<PointSpread>& spread() const { return spread_; }  // after `done`

 private:
  void aim(PlanePoint centre, double lateral_m, double axial_m);

  Grid image_;
  Grid grid_;
  PlanePoint centre_{};
  double lateral_m_ = 0.0, axial_m_ = 0.0;  // widths that grid_ was made for
  int taken_ = 0;
  std::optional<PointSpread> spread_;
};

}  // namespace echoloop
