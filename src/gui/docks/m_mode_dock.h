// The M-mode below the image, and in the presentation: axes, the image's own time, calipers in depth and time, the
// value under the pointer, the progress over kept frames. The columns themselves are drawn below everything here
// (MModeStrip). UI thread only.
#pragma once

#include <optional>

#include "gui/panels/panels.h"
#include "gui/toolkit/plot.h"
#include "gui/view/m_mode.h"

namespace echoloop {

class MModeDock {
 public:
  // Returns where the columns go; empty: nowhere.
  Rect draw(PanelContext& c, Rect head, const Rect& body, const Image& image, const MModeStrip& strip);
  Rect draw_presented(PanelContext& c, const Rect& cell, const Image& image, const MModeStrip& strip) const;
  [[nodiscard]] double span_s() const { return span_s_; }

 private:
  void choose_span(PanelContext& c, Rect& head);
  void use_calipers(PanelContext& c, const Plot& plot, const MModeStrip& strip);

  double span_s_ = 4.0;
  // The caliper whose end is dragged, one behind the last: a new one.
  struct Grip {
    std::size_t index = 0;
    bool second = true;  // which end
  };
  std::optional<Grip> grip_;
  std::optional<MModeCaliper> begun_;  // by a press that may become a drag
};

// "line at x 1.30 mm", or at an angle.
std::string line_text(const Image& image, PlanePoint at);

// A caliper in words: depth, time, and what follows from both: "4.20 mm", "310 ms", "13.5 mm/s", "3.23 Hz, 194 /min".
struct CaliperText {
  std::string lengths, rates;
};
CaliperText caliper_text(const MModeCaliper& caliper);

}  // namespace echoloop
