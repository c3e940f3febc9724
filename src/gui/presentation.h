// Presentation mode (F5): the image on black with its colour bars, M-mode and spectral Doppler where they are on, one
// caption line, and a strip for touch. UI thread only.
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
  // Where the strips' pixels go.
  StripBoxes draw(PanelContext& c, const SceneInput& input, const Parts& parts);

 private:
  // From the left: image, colour bars, strips of M-mode and spectral Doppler; below them the caption, then the touch
  // strip.
  struct Places {
    Rect image, strips, caption, touch;  // strips, touch: empty where there are none
  };
  [[nodiscard]] Places lay_out(const PanelContext& c, const SceneInput& input);
  static void draw_bars(PanelContext& c, const SceneInput& input, ImageArea& image);
  void draw_caption(PanelContext& c, const Image& image, const Rect& line) const;

  bool on_ = false;
  double since_s_ = 0;
  TouchStrip touch_;
};

}  // namespace echoloop
