#include "gui/undo.h"

#include <string>
#include <utility>

#include "gui/state/mark_editor.h"

namespace echoloop {

void Undo::observe(const Ui& ui, const UiState& state) {
  if (source_ != state.source.acquisition || resets_ != state.reset.count) {
    source_ = state.source.acquisition;
    resets_ = state.reset.count;
    history_.begin({state.params, state.marks.list, state.image.m_mode.calipers});
  }
  if (std::exchange(m_mode_lines_, state.image.m_mode.lines) != state.image.m_mode.lines) history_.forget_calipers();
  const auto active = static_cast<std::size_t>(state.presets.active);
  const std::string name =
      active < state.presets.list.size() ? "preset \"" + state.presets.list[active].name + "\"" : "";
  history_.observe({state.params, state.marks.list, state.image.m_mode.calipers},
                   ui.holding() || ui.editing() ? DragState::holding : DragState::free, ImGui::GetTime(),
                   state.presets.loads, name);
}

void Undo::apply(const Ui& ui, UiState& state, const UiCommands& commands, HistoryAct act) {
  if (act == HistoryAct::none || ui.holding()) return;
  const bool back = act == HistoryAct::undo;
  const std::string what = back ? history_.undo_text() : history_.redo_text();
  const auto to = back ? history_.undo() : history_.redo();
  if (!to && back && state.reset.undoable) return call(commands.undo_reset);
  if (!to) return call(commands.hint, back ? "Nothing to undo." : "Nothing to redo.");
  const bool other_params = state.params != to->params;
  state.params = to->params;
  state.marks.list = to->marks;
  state.image.m_mode.calipers = to->calipers;
  if (find_mark(state.marks, state.marks.selected) == nullptr) state.marks.selected = 0;
  if (other_params) call(commands.params_changed);
  call(commands.say, (back ? "Undone: " : "Redone: ") + what);
}

}  // namespace echoloop
