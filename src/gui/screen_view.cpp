// Of the whole window: what is remembered and reset, and undo of parameters.
#include <utility>

#include "gui/screen.h"

namespace echoloop {

void Screen::restore_view(const ViewSettings& settings) {
  // Neither set nor reset: what is remembered for the next run.
  ViewSettings kept = settings;
  kept.last_folder = view_.last_folder;
  kept.place = view_.place;
  kept.recent = view_.recent;
  kept.toured = view_.toured;
  kept.saving = view_.saving;
  view_ = std::move(kept);
  scale_chosen_ = view_.scale > 0;
}

void Screen::reset_view() {
  restore_view({});
  presentation_ = more_formation_ = more_display_ = other_stream_ = measure_shown_ = false;
  open_dialog_ = open_keys_ = false;
  close_popups_ = true;
  cine_ = {};
  hand_.forget();
  dock_ = {};
  tour_.end();
  presets_ = {};
  left_column_ = {};
  right_column_ = {};
  closed_fault_.clear();
  ui_.forget_keys();
}

bool Screen::remember(const UiState& state, const WindowPlace& place) {
  // However it was opened, dropped or named: the next one is looked for beside it.
  const bool opened = !state.recent.empty() && view_.recent != state.recent;
  if (opened) view_.last_folder = state.recent.front().parent_path();
  view_.recent = state.recent;
  const auto active = static_cast<std::size_t>(state.presets.active);
  view_.last_preset = active < state.presets.list.size() ? state.presets.list[active].name : "";
  return place.width > 0 && std::exchange(view_.place, place) != place;
}

// Undo knows of every change because it looks at parameters, marks and calipers, once a frame, after everything that
// edits them.
void Screen::watch_edits(UiState& state) {
  if (history_of_ != state.source.acquisition || resets_ != state.resets) {
    history_of_ = state.source.acquisition;
    resets_ = state.resets;
    history_.begin({state.params, state.marks.list, state.m_mode.calipers});
  }
  if (std::exchange(m_mode_lines_, state.m_mode.lines) != state.m_mode.lines) history_.forget_calipers();
  const auto active = static_cast<std::size_t>(state.presets.active);
  const std::string name =
      active < state.presets.list.size() ? "preset \"" + state.presets.list[active].name + "\"" : "";
  history_.observe({state.params, state.marks.list, state.m_mode.calipers},
                   ui_.holding() || ui_.editing() ? Hand::holding : Hand::free, ImGui::GetTime(), state.presets.loads,
                   name);
}

void Screen::travel(UiState& state, HistoryAct act) {
  if (act == HistoryAct::none || ui_.holding()) return;
  const bool back = act == HistoryAct::undo;
  const std::string what = back ? history_.undo_text() : history_.redo_text();
  const auto to = back ? history_.undo() : history_.redo();
  if (!to && back && state.reset_undoable) return call(commands_.undo_reset);
  if (!to) return call(commands_.hint, back ? "Nothing to undo." : "Nothing to redo.");
  const bool other_params = state.params != to->params;
  state.params = to->params;
  state.marks.list = to->marks;
  state.m_mode.calipers = to->calipers;
  if (find_mark(state.marks, state.marks.selected) == nullptr) state.marks.selected = 0;
  if (other_params) call(commands_.params_changed);
  call(commands_.say, (back ? "Undone: " : "Redone: ") + what);
}

}  // namespace echoloop
