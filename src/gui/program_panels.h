// Panels about the program, above the window: keys (F1), About, the question about the sandbox, the tour. UI thread
// only.
#pragma once

#include <optional>

#include "gui/docks/about.h"
#include "gui/docks/scanner_dialogs.h"
#include "gui/docks/tour.h"
#include "gui/state/ui_state.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

class ProgramPanels {
 public:
  // Keys, About, and the question. The interface scale that was chosen there; nothing: none was.
  std::optional<float> draw(Ui& ui, const UiState& state, const UiCommands& commands, float wanted_scale);
  void open_keys(Ui& ui) const;
  [[nodiscard]] Tour& tour() { return tour_; }

 private:
  SandboxDialog sandbox_;
  ScannerDialogs scanner_;
  ProgramFacts facts_;  // once About was opened
  Tour tour_;
};

}  // namespace echoloop
