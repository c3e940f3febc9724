// The strip below the image: the track over the kept frames with playhead and loop marks, and the row of buttons.
// UI thread only.
#pragma once

#include "gui/cine/track_drag.h"
#include "gui/panels/panels.h"

namespace echoloop {

class CineStrip {
 public:
  void draw(PanelContext& c, const Rect& r);

 private:
  TrackDrag drag_;
};

// The row of buttons; `y` is its top. In cine_buttons.cpp.
void draw_cine_buttons(PanelContext& c, float x0, float x1, float y);

}  // namespace echoloop
