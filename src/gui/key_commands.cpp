#include "gui/key_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/param_table.h"
#include "gui/panels/cine_actions.h"
#include "gui/state/marks.h"
#include "gui/toolkit/theme.h"
#include "gui/workspace/tool_bar.h"

namespace echoloop {

void choose_scale(const KeyTargets& t, float scale) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  if (scale > 0 && fitting_scale(scale, size.x, size.y) < scale) {
    const float fitting = fitting_scale(scale, size.x, size.y);
    t.commands.send(
        command::Hint{fmt::format("Interface scale limited to {:.0f} % by the window size.", 100.0F * fitting)});
  }
  t.view.scale = scale;
  t.requests.scale_chosen = true;
}

namespace {

// Acts, or shows the reason against it in a passing message.
void act_unless(const KeyTargets& t, std::string_view why_not, const std::function<void()>& act) {
  if (why_not.empty()) {
    act();
  } else {
    t.commands.send(command::Hint{std::string(why_not)});
  }
}

void step_param(const KeyTargets& t, std::string_view key, double by) {
  const ParamSpec* spec = find_param(key);
  if (spec == nullptr) return;
  const double before = get_number(t.edits.params, *spec);
  set_number(t.edits.params, *spec, before + by);
  const double now = get_number(t.edits.params, *spec);
  const std::string limit = fmt::format("{} is at the {}, {:g} {}.", spec->label, by < 0 ? "minimum" : "maximum",
                                        now * spec->shown_per_si, spec->unit);
  act_unless(t, now == before ? limit : "", [&] { t.commands.send(command::ParamsChanged{}); });
}

bool refused_in_kiosk(const KeyTargets& t) {
  if (t.model.no_effect.files.empty()) return false;
  t.commands.send(command::Say{t.model.no_effect.files});
  return true;
}

void act_freeze(const KeyTargets& t, const KeyPress&) {
  act_unless(t, why_no_freeze(t.model), [&] { freeze(t.model, t.commands); });
}

void act_range(const KeyTargets& t, const KeyPress& press) {
  step_param(t, "dynamic_range_db", press.key == Key::left_bracket ? -5 : 5);
}

void act_gain(const KeyTargets& t, const KeyPress& press) {
  step_param(t, "gain_db", press.key == Key::minus ? -1 : 1);
}

void act_save_image(const KeyTargets& t, const KeyPress&) {
  act_unless(t, why_no_picture(t.model, t.shown_grid), [&] { t.commands.send(command::Save{SaveWhat::picture}); });
}

void act_save_as(const KeyTargets& t, const KeyPress&) {
  act_unless(t, why_no_picture(t.model, t.shown_grid), [&] {
    if (!refused_in_kiosk(t)) t.edits.save.ask = true;
  });
}

void act_save_session(const KeyTargets& t, const KeyPress&) {
  act_unless(t, why_no_picture(t.model, t.shown_grid), [&] {
    if (!refused_in_kiosk(t)) t.commands.send(command::Save{SaveWhat::session});
  });
}

void act_record(const KeyTargets& t, const KeyPress&) {
  act_unless(t, why_no_record(t.model), [&] { t.commands.send(command::ToggleRecord{}); });
}

void act_on_image(const KeyTargets& t, const KeyPress& press) { t.image.key(t.edits, t.commands, press); }

// Toggles colour flow in the mode View; otherwise, and with Shift, fits the image to the window.
void act_flow(const KeyTargets& t, const KeyPress& press) {
  if (press.shift || t.view.mode == WindowMode::engineer) return act_on_image(t, press);
  act_unless(t, why_no_flow(t.model, t.edits), [&] { toggle_flow(t.model, t.edits, t.commands); });
}

void act_mode(const KeyTargets& t, const KeyPress&) {
  t.view.mode = t.view.mode == WindowMode::view ? WindowMode::engineer : WindowMode::view;
}

void act_dock(const KeyTargets& t, const KeyPress& press) {
  for (const DockRow& row : kDocks) {
    if (row.key != press.key) continue;
    const bool sourceless = t.model.source.acquisition == nullptr;
    act_unless(t, sourceless ? "No source." : "", [&] { toggle_dock(t.edits, t.commands, t.view, row.dock); });
  }
}

void act_preset(const KeyTargets& t, const KeyPress& press) {
  const int slot = static_cast<int>(press.key) - static_cast<int>(Key::digit1) + 1;
  const auto& list = t.model.presets.list;
  const auto found = std::find_if(list.begin(), list.end(), [&](const PresetView& p) { return p.slot == slot; });
  if (found == list.end()) {
    t.commands.send(command::Hint{"No preset on key " + std::to_string(slot) + "."});
  } else {
    t.commands.send(command::Preset{{PresetCommand::load, static_cast<int>(found - list.begin())}});
  }
}

void act_undo(const KeyTargets& t, const KeyPress&) {
  t.undo.apply(t.ui, t.model, t.edits, t.commands, HistoryAct::undo);
}
void act_redo(const KeyTargets& t, const KeyPress&) {
  t.undo.apply(t.ui, t.model, t.edits, t.commands, HistoryAct::redo);
}

void act_cine(const KeyTargets& t, CineAct act) {
  act_unless(t, why_no_act(t.model, t.edits, act), [&] { cine_act(t.model, t.edits, t.commands, act); });
}

template <CineAct kAct>
void act_history(const KeyTargets& t, const KeyPress&) {
  act_cine(t, kAct);
}

void act_compare(const KeyTargets& t, const KeyPress& press) {
  act_cine(t, press.shift ? CineAct::match_levels : CineAct::compare);
}

void act_presentation(const KeyTargets& t, const KeyPress&) {
  t.presentation.on() ? t.presentation.end() : t.presentation.begin();
}

void act_lecture(const KeyTargets& t, const KeyPress&) { t.view.transient.lecture = !t.view.transient.lecture; }
void act_full_screen(const KeyTargets& t, const KeyPress&) { t.requests.full_screen = true; }
void act_reset(const KeyTargets& t, const KeyPress&) { t.commands.send(command::Reset{}); }
void act_list(const KeyTargets& t, const KeyPress&) { t.requests.open_keys = true; }

void act_scale(const KeyTargets& t, const KeyPress& press) {
  choose_scale(t, press.key == Key::digit0 ? 0 : next_scale(t.ui.scale(), press.key == Key::minus ? -1 : 1));
}

void act_quit(const KeyTargets& t, const KeyPress&) {
  if (!refused_in_kiosk(t)) t.requests.quit = true;
}

// Opens a recording. With Shift, the import assistant describes the open recording, or a file chosen in the dialog.
void act_open(const KeyTargets& t, const KeyPress& press) {
  if (refused_in_kiosk(t)) return;
  const SourceInfo& source = t.model.source;
  const bool recording = !source.opened_as.empty() && source.phantom.empty() && !source.live;
  if (press.shift && recording && !t.model.import.open) {
    t.commands.send(command::Import{{.act = ImportAct::begin, .text = source.opened_as}});
  } else {
    t.requests.open_dialog = true;
    t.requests.describe = press.shift;
  }
}

constexpr KeyHeld kPlain = KeyHeld::no_control;
constexpr KeyScope kAlways = KeyScope::assistant;

// Texts of the docks' row: their keys and names.
struct DockTexts {
  std::string keys, titles;
};

const DockTexts& dock_texts() {
  static const DockTexts texts = [] {
    DockTexts t;
    for (const DockRow& row : kDocks) {
      t.keys += (t.keys.empty() ? "" : "   ") + std::string(row.key_name);
      t.titles += (t.titles.empty() ? "" : ", ") + std::string(row.listed);
    }
    return t;
  }();
  return texts;
}

std::vector<KeyChord> dock_chords() {
  std::vector<KeyChord> chords;
  for (const DockRow& row : kDocks) chords.push_back({row.key, kPlain, act_dock});
  return chords;
}

const auto kKeyRows = std::to_array<KeyRow>({
    {{"Image", "Space", "freeze / resume live"}, {{Key::space, KeyHeld::any, act_freeze}}},
    {{"Image", "[   ]", "dynamic range, 5 dB steps"},
     {{Key::left_bracket, KeyHeld::any, act_range}, {Key::right_bracket, KeyHeld::any, act_range}}},
    {{"Image", "−   =", "gain, 1 dB steps"}, {{Key::minus, kPlain, act_gain}, {Key::equal, kPlain, act_gain}}},
    {{"Image", "S, Ctrl+S", "save the image; save as"},
     {{Key::s, kPlain, act_save_image}, {Key::s, KeyHeld::control_alone, act_save_as}}},
    {{"Image", "Ctrl+Shift+S", "save the session"}, {{Key::s, KeyHeld::control_shift, act_save_session}}},
    {{"Image", "R", "start / stop recording"}, {{Key::r, kPlain, act_record}}},
    {{"View", "wheel", "zoom at the pointer; on the ruler: depth"}, {}},
    {{"View", "drag, Shift+F", "pan; fit to window"}, {}},
    {{"View", "F", "mode View: colour flow; Engineer: fit"}, {{Key::f, kPlain, act_flow}}},
    {{"View", "E", "mode: View or Engineer"}, {{Key::e, kPlain, act_mode}}},
    {{"View", "C", "measure a distance"}, {{Key::c, kPlain, act_on_image}}},
    {{"View", "A", "draw a region; again: next shape"}, {{Key::a, kPlain, act_on_image}}},
    {{"View", "Del", "delete the selected mark"}, {{Key::remove, kPlain, act_on_image}}},
    {{"View", dock_texts().keys, dock_texts().titles}, dock_chords()},
    {{"Parameters", "1 … 9", "load a preset"},
     {{Key::digit1, kPlain, act_preset},
      {Key::digit2, kPlain, act_preset},
      {Key::digit3, kPlain, act_preset},
      {Key::digit4, kPlain, act_preset},
      {Key::digit5, kPlain, act_preset},
      {Key::digit6, kPlain, act_preset},
      {Key::digit7, kPlain, act_preset},
      {Key::digit8, kPlain, act_preset},
      {Key::digit9, kPlain, act_preset}}},
    {{"Parameters", "Ctrl+Z", "undo a change"}, {{Key::z, KeyHeld::control_alone, act_undo}}},
    {{"Parameters", "Ctrl+Y", "redo (also Ctrl+Shift+Z)"},
     {{Key::y, KeyHeld::control, act_redo}, {Key::z, KeyHeld::control_shift, act_redo}}},
    {{"History", "←   →", "previous / next frame"},
     {{Key::left, kPlain, act_history<CineAct::back>}, {Key::right, kPlain, act_history<CineAct::forward>}}},
    {{"History", "Home   End", "oldest / newest frame"},
     {{Key::home, kPlain, act_history<CineAct::first>}, {Key::end, kPlain, act_history<CineAct::last>}}},
    {{"History", "P", "play / pause between the loop marks"}, {{Key::p, kPlain, act_history<CineAct::play>}}},
    {{"History", "I   O", "set loop start / end"},
     {{Key::i, kPlain, act_history<CineAct::mark_in>}, {Key::o, kPlain, act_history<CineAct::mark_out>}}},
    {{"History", "X, Shift+X", "compare; match the levels of B to A"}, {{Key::x, kPlain, act_compare}}},
    {{"Window", "F5", "presentation: image only"}, {{Key::f5, KeyHeld::any, act_presentation}}},
    {{"Window", "Ctrl+L", "lecture: Timeline and Stream"}, {{Key::l, KeyHeld::control, act_lecture}}},
    {{"Window", "F11", "full screen"}, {{Key::f11, KeyHeld::any, act_full_screen, kAlways}}},
    {{"Window", "Ctrl+0  +  −", "interface scale: default, up, down"},
     {{Key::digit0, KeyHeld::control, act_scale, kAlways},
      {Key::equal, KeyHeld::control, act_scale, kAlways},
      {Key::minus, KeyHeld::control, act_scale, kAlways}}},
    {{"Window", "F9", "reset everything; Ctrl+Z undoes"}, {{Key::f9, KeyHeld::any, act_reset}}},
    {{"Window", "F1", "this list"}, {{Key::f1, KeyHeld::any, act_list, kAlways}}},
    {{"Window", "Ctrl+Q", "quit; a recording is completed first"}, {{Key::q, KeyHeld::control, act_quit, kAlways}}},
    {{"Window", "Esc", "leave a control, tool or dialog"}, {{Key::escape, KeyHeld::any}}},
    {{"Source", "Ctrl+O", "open a recording"}, {{Key::o, KeyHeld::control_alone, act_open, kAlways}}},
    {{"Source", "Ctrl+Shift+O", "describe a file: import assistant"},
     {{Key::o, KeyHeld::control_shift, act_open, kAlways}}},
    {{"Source", "drop a file", "open a recording"}, {}},
    {{"Source", "K", "card of a doubt: keep the stated facts"}, {{Key::k, kPlain}}},
    {{"Keyboard", "Tab", "next control; Shift+Tab: back"}, {{Key::tab, KeyHeld::any}}},
    {{"Keyboard", "F6", "next column or bar; Shift+F6: back"}, {{Key::f6, KeyHeld::any}}},
    {{"Keyboard", "Enter", "press, or type a value; also Space"}, {{Key::enter, KeyHeld::any}}},
    {{"Keyboard", "↑ ↓ ← →", "set a value; Shift: fine, Page: coarse"},
     {{Key::up, KeyHeld::any},
      {Key::down, KeyHeld::any},
      {Key::page_up, KeyHeld::any},
      {Key::page_down, KeyHeld::any}}},
    {{"Keyboard", "Backspace", "reset to default"}, {{Key::remove, KeyHeld::any}}},
    {{"Controls", "drag, click", "set a value"}, {}},
    {{"Controls", "Ctrl-click", "type a value"}, {}},
    {{"Controls", "right-click", "reset to default"}, {}},
    {{"Controls", "wheel, Ctrl+wheel", "scroll a column; zoom the timeline"}, {}},
    {{"Controls", "colour bar", "drag the ends or centre of the range"}, {}},
});

bool is_held(KeyHeld held, const KeyPress& press) {
  switch (held) {
    case KeyHeld::any:
      return true;
    case KeyHeld::no_control:
      return !press.control;
    case KeyHeld::control:
      return press.control;
    case KeyHeld::control_alone:
      return press.control && !press.shift;
    case KeyHeld::control_shift:
      return press.control && press.shift;
  }
  return false;
}

}  // namespace

std::span<const KeyRow> key_rows() { return kKeyRows; }

std::span<const KeyHelp> key_help() {
  static const std::vector<KeyHelp> help = [] {
    std::vector<KeyHelp> all;
    for (const KeyRow& row : kKeyRows) all.push_back(row.help);
    return all;
  }();
  return help;
}

bool handle_key(const KeyTargets& t, const KeyPress& press, KeyScope place) {
  for (const KeyRow& row : kKeyRows) {
    for (const KeyChord& chord : row.chords) {
      const bool here = place == KeyScope::window || chord.place == place;
      if (chord.act == nullptr || chord.key != press.key || !is_held(chord.held, press) || !here) continue;
      chord.act(t, press);
      return true;
    }
  }
  return false;
}

namespace {

std::string preset_in_use(const Presets& presets) {
  const auto active = static_cast<std::size_t>(presets.active);
  return active < presets.list.size() ? presets.list[active].name : "";
}

Undoable undoable_of(const Model& model, const Edits& edits) {
  return {edits.params, edits.marks.list, edits.view.m_mode.calipers, preset_in_use(model.presets)};
}

}  // namespace

void Undo::observe(const Ui& ui, const Model& model, const Edits& edits) {
  if (source_ != model.source.acquisition || resets_ != model.reset.count) {
    source_ = model.source.acquisition;
    resets_ = model.reset.count;
    history_.begin(undoable_of(model, edits));
  }
  if (std::exchange(m_mode_lines_, edits.view.m_mode.lines) != edits.view.m_mode.lines) history_.forget_calipers();
  const Undoable now = undoable_of(model, edits);
  const std::string name = now.preset.empty() ? "" : "preset \"" + now.preset + "\"";
  history_.observe(now, ui.holding() || ui.editing() ? DragState::holding : DragState::free, ImGui::GetTime(),
                   model.presets.loads, name);
}

void Undo::record(const Model& model, const Edits& edits, const RemoteEdit& by) {
  history_.record(undoable_of(model, edits), ImGui::GetTime(), by);
}

std::string Undo::apply(const Ui& ui, const Model& model, Edits& edits, Commands& commands, HistoryAct act) {
  if (act == HistoryAct::none || ui.holding()) return {};
  observe(ui, model, edits);  // records changes between two frames, before the key
  const bool back = act == HistoryAct::undo;
  const std::string what = back ? history_.undo_text() : history_.redo_text();
  const auto to = back ? history_.undo() : history_.redo();
  if (!to && back && model.reset.undoable) {
    commands.send(command::UndoReset{});
    return "reset";
  }
  if (!to) {
    commands.send(command::Hint{back ? "Nothing to undo." : "Nothing to redo."});
    return {};
  }
  const bool other_params = edits.params != to->params;
  edits.params = to->params;
  edits.marks.list = to->marks;
  edits.view.m_mode.calipers = to->calipers;
  if (find_mark(edits.marks, edits.marks.selected) == nullptr) edits.marks.selected = 0;
  if (other_params) commands.send(command::ParamsChanged{});
  if (to->preset != preset_in_use(model.presets)) {
    const auto& list = model.presets.list;
    const auto found = std::ranges::find(list, to->preset, &PresetView::name);
    const int index = found == list.end() ? -1 : static_cast<int>(found - list.begin());
    commands.send(command::Preset{{PresetCommand::activate, index}});
  }
  commands.send(command::Say{(back ? "Undone: " : "Redone: ") + what});
  return what;
}

}  // namespace echoloop
