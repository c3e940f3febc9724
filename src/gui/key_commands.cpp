#include "gui/key_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/param_table.h"
#include "gui/panels/cine_actions.h"
#include "gui/toolkit/ui_scale.h"
#include "gui/workspace/tool_bar.h"

namespace echoloop {
namespace {

// Acts, or gives the reason why not, in a message that disappears by itself.
void act_unless(const KeyTargets& t, std::string_view why_not, const std::function<void()>& act) {
  if (why_not.empty()) {
    act();
  } else {
    call(t.commands.hint, std::string(why_not));
  }
}

void step_param(const KeyTargets& t, std::string_view key, double by) {
  UiState& state = t.state;
  const ParamSpec* spec = find_param(key);
  if (spec == nullptr) return;
  const double before = get_number(state.params, *spec);
  set_number(state.params, *spec, before + by);
  const double now = get_number(state.params, *spec);
  const std::string limit = fmt::format("{} is at the {}, {:g} {}.", spec->label, by < 0 ? "minimum" : "maximum",
                                        now * spec->shown_per_si, spec->unit);
  act_unless(t, now == before ? limit : "", [&] { call(t.commands.params_changed); });
}

bool refused_in_kiosk(const KeyTargets& t) {
  if (t.state.no_effect.files.empty()) return false;
  call(t.commands.say, t.state.no_effect.files);
  return true;
}

bool handle_history_key(const KeyTargets& t, const KeyPress& press) {
  constexpr std::array<std::pair<Key, CineAct>, 8> kActs = {{{Key::home, CineAct::first},
                                                             {Key::left, CineAct::back},
                                                             {Key::right, CineAct::forward},
                                                             {Key::end, CineAct::last},
                                                             {Key::p, CineAct::play},
                                                             {Key::i, CineAct::mark_in},
                                                             {Key::o, CineAct::mark_out},
                                                             {Key::x, CineAct::compare}}};
  if (press.control) return false;
  for (const auto& [key, act] : kActs) {
    if (key != press.key) continue;
    act_unless(t, why_no_act(t.state, act), [&, act = act] { cine_act(t.state, t.commands, act); });
    return true;
  }
  return false;
}

bool handle_preset_key(const KeyTargets& t, const KeyPress& press) {
  const int slot = static_cast<int>(press.key) - static_cast<int>(Key::digit1) + 1;
  if (slot < 1 || slot > 9 || press.control) return false;
  const auto& list = t.state.presets.list;
  const auto found = std::find_if(list.begin(), list.end(), [&](const PresetView& p) { return p.slot == slot; });
  if (found == list.end()) {
    call(t.commands.hint, "No preset on key " + std::to_string(slot) + ".");
  } else {
    call(t.commands.preset, PresetOrder{PresetAct::load, static_cast<int>(found - list.begin())});
  }
  return true;
}

bool handle_view_key(const KeyTargets& t, const KeyPress& press) {
  constexpr std::array<std::pair<Key, Dock>, 3> kDocks = {
      {{Key::n, Dock::inspector}, {Key::m, Dock::m_mode}, {Key::d, Dock::sonogram}}};
  if (press.control) return false;
  for (const auto& [key, dock] : kDocks) {
    if (key != press.key) continue;
    const bool sourceless = t.state.source.acquisition == nullptr;
    act_unless(t, sourceless ? "No source." : "", [&, dock = dock] { toggle_dock(t.state, t.commands, t.view, dock); });
    return true;
  }
  return false;
}

}  // namespace

void choose_scale(const KeyTargets& t, float scale) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  if (scale > 0 && fitting_scale(scale, size.x, size.y) < scale) {
    const float fitting = fitting_scale(scale, size.x, size.y);
    call(t.commands.hint, fmt::format("Interface scale limited to {:.0f} % by the window size.", 100.0F * fitting));
  }
  t.view.scale = scale;
  t.requests.scale_chosen = true;
}

bool handle_key(const KeyTargets& t, const KeyPress& press) {
  if (handle_history_key(t, press) || handle_preset_key(t, press) || handle_view_key(t, press) ||
      t.image.key(t.state, t.commands, press))
    return true;
  UiState& state = t.state;
  switch (press.key) {
    case Key::space:
      act_unless(t, why_no_freeze(state), [&] { freeze(state, t.commands); });
      return true;
    case Key::f5:
      t.presentation.on() ? t.presentation.end() : t.presentation.begin();
      return true;
    case Key::f9:
      call(t.commands.reset);
      return true;
    case Key::f1:
      t.requests.open_keys = true;
      return true;
    case Key::f11:
      t.requests.full_screen = true;
      return true;
    case Key::left_bracket:
      step_param(t, "dynamic_range_db", -5);
      return true;
    case Key::right_bracket:
      step_param(t, "dynamic_range_db", 5);
      return true;
    case Key::digit0:
      if (press.control) choose_scale(t, 0);
      return press.control;
    case Key::minus:
      if (press.control) {
        choose_scale(t, next_scale(t.ui.scale(), -1));
        return true;
      }
      step_param(t, "gain_db", -1);
      return true;
    case Key::equal:
      if (press.control) {
        choose_scale(t, next_scale(t.ui.scale(), 1));
        return true;
      }
      step_param(t, "gain_db", 1);
      return true;
    case Key::z:
    case Key::y:
      if (!press.control) return false;
      t.undo.apply(t.ui, state, t.commands, press.key == Key::y || press.shift ? HistoryAct::redo : HistoryAct::undo);
      return true;
    case Key::l:
      if (press.control) t.view.lecture = !t.view.lecture;
      return press.control;
    case Key::o:
      if (press.control && !refused_in_kiosk(t)) {
        const SourceInfo& source = state.source;
        const bool recording = !source.opened_as.empty() && source.phantom.empty() && !source.live;
        if (press.shift && recording && !state.import.open) {
          call(t.commands.import, ImportOrder{.act = ImportAct::begin, .text = source.opened_as});
        } else {
          t.requests.open_dialog = true;
          t.requests.describe = press.shift;
        }
      }
      return press.control;
    case Key::q:
      if (press.control && !refused_in_kiosk(t)) t.requests.quit = true;
      return press.control;
    case Key::r:
      if (!press.control) act_unless(t, why_no_record(state), [&] { call(t.commands.toggle_record); });
      return true;
    case Key::s:
      act_unless(t, why_no_picture(state, t.shown_grid), [&] {
        if (press.control && press.shift) {
          if (!refused_in_kiosk(t)) call(t.commands.save, SaveWhat::session);
        } else if (press.control) {
          if (!refused_in_kiosk(t)) state.saving.ask = true;
        } else {
          call(t.commands.save, SaveWhat::picture);
        }
      });
      return true;
    default:
      return false;
  }
}

}  // namespace echoloop
