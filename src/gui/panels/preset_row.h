// The row of presets above the parameters: chips with their keys 1 to 9, undo and redo, and a panel to save, rename,
// remove and choose a preset for the probe. UI thread only.
#pragma once

#include <array>

#include "gui/panels/panels.h"
#include "gui/state/edit_history.h"

namespace echoloop {

// What the row asks the window to do.
enum class HistoryAct { none, undo, redo };

class PresetRow {
 public:
  HistoryAct draw(PanelContext& c, Column& column, const EditHistory& history);

 private:
  void draw_chips(PanelContext& c, Column& column);
  static void draw_rest(PanelContext& c, const Rect& room, std::size_t first);
  void draw_panel(PanelContext& c, const Rect& below);
  void draw_own(PanelContext& c, Column& column);
  void order(PanelContext& c, PresetCommand act);

  std::array<char, 41> name_{};
  bool focus_ = false;
  bool sure_ = false;  // Delete was pressed once
};

}  // namespace echoloop
