// Presentation mode (F5): the image on black with its colour bars, M-mode and spectral Doppler if on, one caption line,
// and a touch strip. UI thread only.
#pragma once

#include <vector>

#include "gui/cine/cine_strip.h"
#include "gui/workspace/image_area.h"

namespace echoloop {

class Presentation {
 public:
  void begin();
  void end() { on_ = false; }
  [[nodiscard]] bool on() const { return on_; }
  [[nodiscard]] bool moving() const;

  struct Parts {
    ImageArea& image;
    DockArea& dock;
    std::vector<Ground>& grounds;
  };
  // Returns the boxes for the strips' pixels.
  StripBoxes draw(PanelContext& c, const SceneInput& input, const Parts& parts);

 private:
  // From the left: image, colour bars, strips of M-mode and spectral Doppler; below them the caption, then the touch
  // strip.
  struct Places {
    Rect image, strips, caption, touch;  // strips, touch: empty if not shown
  };
  [[nodiscard]] Places lay_out(const PanelContext& c, const SceneInput& input);
  static void draw_bars(PanelContext& c, const SceneInput& input, ImageArea& image);
  void draw_caption(PanelContext& c, const Image& image, const Rect& line) const;

  bool on_ = false;
  double since_s_ = 0;
  TouchStrip touch_;
  EasedValue touch_up_;  // share of the strip in the window
};

}  // namespace echoloop
