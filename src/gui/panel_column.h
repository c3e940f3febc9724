// A column of panels: one below the other with a line between them, scrolled where it is too tall. A panel that is
// opened, by whatever, comes into view: all of it, or its head where it is taller than the column. UI thread only.
#pragma once

#include <array>
#include <optional>

#include "gui/panels/panels.h"
#include "gui/scroll.h"

namespace echoloop {

class PanelColumn {
 public:
  // `c` must outlive end(). `bar`: names the scroll bar.
  void begin(PanelContext& c, const char* bar, const Rect& area);
  void draw(Panel panel, void (*draw)(PanelContext&, Column&));
  void leave_out(Panel panel) { was_open_[static_cast<std::size_t>(panel)] = false; }
  // Where what is no foldable panel goes.
  Column& next();
  void end();

 private:
  void watch(Panel panel, bool open, float top);

  // The panel that was opened last, as long as it has not settled: what it shows may come frames later.
  struct Opened {
    Panel panel;
    float height = 0;
    int same = 0;  // frames of this height
  };

  PanelContext* c_ = nullptr;
  Scroll scroll_;
  Rect area_;
  Column column_;
  float start_ = 0;
  bool first_ = true;
  bool compact_ = false;
  std::array<std::optional<bool>, kPanelCount> was_open_{};  // none: not drawn yet
  std::optional<Opened> opened_;
};

}  // namespace echoloop
