// The strip below the picture: the track over the kept frames with playhead and loop marks, and the row of buttons.
// While live a drag on the track freezes first and seeks as soon as the kept frames stand still. UI thread only.
#pragma once

#include <optional>

#include "gui/panels/panels.h"

namespace echoloop {

class CineStrip {
 public:
  void draw(PanelContext& c, const Rect& r);

 private:
  void drag_track(PanelContext& c, const Rect& track);

  std::optional<double> wanted_;  // share of the track: where to go once frozen
  double wanted_since_ = 0;
};

// The row of buttons; `y` is its top. In cine_buttons.cpp.
void draw_cine_buttons(PanelContext& c, float x0, float x1, float y);

}  // namespace echoloop
