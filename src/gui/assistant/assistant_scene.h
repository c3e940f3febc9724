// What the parts of the import assistant share in a window frame: the state, the orders, and what is chosen and dragged
// across them. UI thread only.
#pragma once

#include <string>
#include <vector>

#include "gui/state/ui_state.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

struct AssistantDrag {  // a name of the tree, or a role
  std::string entry = {}, role = {};
  float x = 0, y = 0;  // where it began
  bool moving = false;
};

struct AssistantDrop {  // where it may be let go of
  Rect where;
  std::string field;     // empty: an axis
  std::size_t axis = 0;  // of the draft
};

// Kept from frame to frame, of one file.
struct AssistantChoice {
  std::string selected = {};   // path in the tree
  std::size_t axis = 0;        // that letters act on
  bool contents_open = false;  // as a drawer in a narrow window
  bool narrow = false;
  bool focus_filter = false;  // in this frame
  AssistantDrag drag = {};
  std::vector<AssistantDrop> places = {};  // of this frame
};

struct AssistantScene {
  Ui& ui;
  const UiState& state;
  const UiCommands& commands;
  [[nodiscard]] const ImportState& import() const { return state.import; }
  void order(const ImportOrder& order) const {
    if (commands.import) commands.import(order);
  }
};

}  // namespace echoloop
