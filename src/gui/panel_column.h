// A column of panels: one below the other with a line between them, scrolled where it is too tall. A panel that is
// opened, by whatever, comes into view: all of it, or its head where it is taller than the column. UI thread only.
#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "gui/panels/panels.h"
#include "gui/state/panel_list.h"
#include "gui/toolkit/scroll.h"

namespace echoloop {

class PanelColumn {
 public:
  // `c` must outlive end(). `bar`: names the scroll bar.
  void begin(PanelContext& c, const char* bar, const Rect& area);
  void draw(const PanelRow& panel);
  // The place of a row that is no foldable panel.
  Column& next();
  void end();

 private:
  void watch(const PanelRow& panel, bool open, float top);

  // The panel that was opened last, as long as it has not settled: what it shows may come frames later.
  struct Opened {
    const PanelRow* panel;
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
  std::map<std::string_view, bool> was_open_;  // of those that were drawn
  std::optional<Opened> opened_;
};

}  // namespace echoloop
