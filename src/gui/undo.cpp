#include "gui/undo.h"

#include <algorithm>
#include <string>
#include <utility>

#include "gui/state/mark_editor.h"

namespace echoloop {
namespace {

std::string preset_in_use(const Presets& presets) {
  const auto active = static_cast<std::size_t>(presets.active);
  return active < presets.list.size() ? presets.list[active].name : "";
}

Edits edits_of(const UiState& state) {
  return {state.params, state.marks.list, state.image.m_mode.calipers, preset_in_use(state.presets)};
}

}  // namespace

void Undo::observe(const Ui& ui, const UiState& state) {
  if (source_ != state.source.acquisition || resets_ != state.reset.count) {
    source_ = state.source.acquisition;
    resets_ = state.reset.count;
    history_.begin(edits_of(state));
  }
  if (std::exchange(m_mode_lines_, state.image.m_mode.lines) != state.image.m_mode.lines) history_.forget_calipers();
  const Edits edits = edits_of(state);
  const std::string name = edits.preset.empty() ? "" : "preset \"" + edits.preset + "\"";
  history_.observe(edits, ui.holding() || ui.editing() ? DragState::holding : DragState::free, ImGui::GetTime(),
                   state.presets.loads, name);
}

void Undo::apply(const Ui& ui, UiState& state, const UiCommands& commands, HistoryAct act) {
  if (act == HistoryAct::none || ui.holding()) return;
  observe(ui, state);  // what came between two frames, before the key
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
  if (to->preset != preset_in_use(state.presets)) {
    const auto& list = state.presets.list;
    const auto found = std::ranges::find(list, to->preset, &PresetView::name);
    const int index = found == list.end() ? -1 : static_cast<int>(found - list.begin());
    call(commands.preset, PresetOrder{PresetCommand::activate, index});
  }
  call(commands.say, (back ? "Undone: " : "Redone: ") + what);
}

}  // namespace echoloop
