// What of the image plane the user looks at: all of it, or a part at a scale of its own. In metres and in pixels at
// scale 1, so that neither the window's size nor the monitor's scale changes what a millimetre looks like. UI thread
// only.
#pragma once

#include "core/grid.h"

namespace echoloop {

struct PanZoom {
  bool fitted = true;             // the whole image, as large as fits; the rest is then without meaning
  PlanePoint centre{0.0, 0.0};    // in the middle of the image's room
  double logical_px_per_m = 0.0;  // at scale 1
};

inline constexpr double kMaxZoom = 64.0;  // times the fitted image

}  // namespace echoloop
