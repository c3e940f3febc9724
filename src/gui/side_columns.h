// The columns left and right of the image: their panels, the presets, and the edges that the user moves. UI thread
// only.
#pragma once

#include <cstdint>

#include "gui/panel_column.h"
#include "gui/panels/preset_row.h"
#include "gui/state/edit_history.h"
#include "gui/toolkit/layout.h"

namespace echoloop {

class SideColumns {
 public:
  // `history`: for the buttons beside the presets; the one that was pressed.
  HistoryAct draw(PanelContext& c, const WindowLayout& l, const EditHistory& history);

 private:
  HistoryAct draw_panels(PanelContext& c, PanelColumn& column, PanelSide side, const Rect& area,
                         const EditHistory& history);
  void open_measure_panel(PanelContext& c);
  void draw_left_splitter(PanelContext& c, const WindowLayout& l);
  void draw_right_splitter(PanelContext& c, const WindowLayout& l);

  PanelColumn left_, right_;
  PresetRow presets_;
  float splitter_grip_ = 0;     // from the edge that is dragged to the pointer
  bool other_stream_ = false;   // as many rows of Stream as its column would not show by itself
  bool measure_shown_ = false;  // its panel was opened with the first mark: from then on the user folds it
  std::uint64_t resets_ = 0;    // known
};

}  // namespace echoloop
