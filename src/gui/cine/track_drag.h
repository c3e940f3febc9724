// Dragging a playhead along a track over the kept frames. While live a drag freezes first and seeks as soon as the kept
// frames stand still. UI thread only.
#pragma once

#include <optional>

#include "gui/panels/panels.h"

namespace echoloop {

// Of a key: one frame an arrow, ten with Shift or Page; to later ones positive.
std::ptrdiff_t frame_steps(const KeyPress& press);

class TrackDrag {
 public:
  // `area`: where the mouse takes hold; `track`: from the oldest kept frame to the newest.
  void use(PanelContext& c, const char* id, const Rect& track, const Rect& area);

 private:
  std::optional<double> wanted_;  // share of the track: where to go once frozen
  double wanted_since_ = 0;
};

}  // namespace echoloop
