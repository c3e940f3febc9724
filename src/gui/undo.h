// Undo and redo of the window: every change of parameters, marks and calipers is noticed once a frame, after all that
// edits them. UI thread only.
#pragma once

#include <cstdint>

#include "core/acquisition.h"
#include "gui/panels/preset_row.h"
#include "gui/state/edit_history.h"
#include "gui/state/ui_state.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

class Undo {
 public:
  void observe(const Ui& ui, const UiState& state);
  void apply(const Ui& ui, UiState& state, const UiCommands& commands, HistoryAct act);

  [[nodiscard]] const EditHistory& history() const { return history_; }

 private:
  EditHistory history_;
  AcquisitionPtr source_;     // whose parameters it has
  std::uint64_t resets_ = 0;  // known
  std::uint64_t m_mode_lines_ = 0;
};

}  // namespace echoloop
