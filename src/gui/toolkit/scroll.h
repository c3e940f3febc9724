// An area that scrolls when its content is taller: wheel, and a thin bar while the pointer is over it. UI thread only.
#pragma once

#include "gui/toolkit/ui.h"

namespace echoloop {

class Scroll {
 public:
  // Clips to r; content starts at the returned y. `id` names the bar.
  float begin(Ui& ui, const char* id, const Rect& r);
  // `bottom`: where the content ended, as drawn.
  void end(Ui& ui, float bottom);
  // Scrolls so that [top, bottom] of the content (from its start) is in view.
  void show(float top, float bottom);
  [[nodiscard]] bool moved() const { return moved_; }  // by the user, in this frame
  void reset() { offset_ = 0; }

 private:
  Rect area_;
  float offset_ = 0;
  float content_ = 0;
  bool hovered_ = false;
  bool moved_ = false;
};

}  // namespace echoloop
