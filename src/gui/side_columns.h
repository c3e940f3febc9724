// The columns left and right of the image: their panels, the presets, and the edges that the user moves. UI thread
// only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "gui/panels/panels.h"
#include "gui/panels/preset_row.h"
#include "gui/state/edit_history.h"
#include "gui/state/panel_list.h"
#include "gui/toolkit/layout.h"
#include "gui/toolkit/scroll.h"

namespace echoloop {

// A column of panels: one below the other with a line between them, scrolled where it is too tall. A panel that is
// opened, by whatever, comes into view: all of it, or its head where it is taller than the column. UI thread only.
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

class SideColumns {
 public:
  // `history`: for the buttons beside the presets; the one that was pressed.
  HistoryAct draw(PanelContext& c, const WindowLayout& l, const EditHistory& history);

 private:
  HistoryAct draw_panels(PanelContext& c, PanelColumn& column, PanelSide side, const Rect& area,
                         const EditHistory& history);
  void open_measure_panel(PanelContext& c);
  void draw_splitter(PanelContext& c, const WindowLayout& l, PanelSide side);

  PanelColumn left_, right_;
  PresetRow presets_;
  float splitter_grip_ = 0;     // from the edge that is dragged to the pointer
  bool other_stream_ = false;   // as many rows of Stream as its column would not show by itself
  bool measure_shown_ = false;  // its panel was opened with the first mark: from then on the user folds it
  std::uint64_t resets_ = 0;    // known
};

}  // namespace echoloop
