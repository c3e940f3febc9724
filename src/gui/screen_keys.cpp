// The keys of the whole window.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/param_table.h"
#include "gui/cine_actions.h"
#include "gui/save_panel.h"
#include "gui/screen.h"
#include "gui/tool_bar.h"

namespace echoloop {

void Screen::act_unless(std::string_view why_not, const std::function<void()>& act) const {
  if (why_not.empty()) {
    act();
  } else {
    call(commands_.hint, std::string(why_not));
  }
}

void Screen::step_param(UiState& state, std::string_view key, double by) {
  const ParamSpec* spec = find_param(key);
  if (spec == nullptr) return;
  const double before = get_number(state.params, *spec);
  set_number(state.params, *spec, before + by);
  const double now = get_number(state.params, *spec);
  const std::string limit = fmt::format("{} is at the {}, {:g} {}.", spec->label, by < 0 ? "minimum" : "maximum",
                                        now * spec->shown_per_si, spec->unit);
  act_unless(now == before ? limit : "", [this] { call(commands_.params_changed); });
}

bool Screen::refused_in_kiosk(const UiState& state) const {
  if (state.kiosk.empty()) return false;
  call(commands_.say, state.kiosk);
  return true;
}

void Screen::choose_scale(float scale) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  if (scale > 0 && fitting_scale(scale, size.x, size.y) < scale) {
    const float fitting = fitting_scale(scale, size.x, size.y);
    call(commands_.hint, fmt::format("Interface scale limited to {:.0f} % by the window size.", 100.0F * fitting));
  }
  view_.scale = scale;
  scale_chosen_ = true;
}

// Keys of the focus, of a text or a dialog, of the whole window, in this order.
void Screen::handle_keys(UiState& state, std::span<const KeyPress> keys) {
  const bool typing = ImGui::GetIO().WantTextInput || dialog_.is_open();
  keys_left_.clear();
  for (const KeyPress& press : keys) {
    if (ui_.take_key(press)) {
      used_key_ = true;
      continue;
    }
    keys_left_.push_back(press);
    if (typing) continue;
    used_key_ = tour_.take_key(press) || handle_key(state, press);
    if (press.key == Key::escape) used_key_ = true;  // closes what is open, wherever that is
  }
}

bool Screen::handle_past_key(UiState& state, const KeyPress& press) {
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
    act_unless(why_no_act(state, act), [&, act = act] { cine_act(state, commands_, act); });
    return true;
  }
  return false;
}

bool Screen::handle_preset_key(const UiState& state, const KeyPress& press) {
  const int slot = static_cast<int>(press.key) - static_cast<int>(Key::digit1) + 1;
  if (slot < 1 || slot > 9 || press.control) return false;
  const auto& list = state.presets.list;
  const auto found = std::find_if(list.begin(), list.end(), [&](const PresetView& p) { return p.slot == slot; });
  if (found == list.end()) {
    call(commands_.hint, "No preset on key " + std::to_string(slot) + ".");
  } else {
    call(commands_.preset, PresetOrder{PresetAct::load, static_cast<int>(found - list.begin())});
  }
  return true;
}

bool Screen::handle_view_key(UiState& state, const KeyPress& press) {
  constexpr std::array<std::pair<Key, Dock>, 3> kDocks = {
      {{Key::n, Dock::inspector}, {Key::m, Dock::m_mode}, {Key::d, Dock::sonogram}}};
  if (press.control) return false;
  for (const auto& [key, dock] : kDocks) {
    if (key != press.key) continue;
    const bool sourceless = state.source.acquisition == nullptr;
    act_unless(sourceless ? "No source." : "", [&, dock = dock] { toggle_dock(state, commands_, view_, dock); });
    return true;
  }
  return false;
}

bool Screen::handle_key(UiState& state, const KeyPress& press) {
  if (handle_past_key(state, press) || handle_preset_key(state, press) || handle_view_key(state, press) ||
      hand_.key(state, commands_, press))
    return true;
  switch (press.key) {
    case Key::space:
      act_unless(why_no_freeze(state), [&] { freeze(state, commands_); });
      return true;
    case Key::f5:
      presentation_ ? void(presentation_ = false) : present();
      return true;
    case Key::f9:
      call(commands_.reset);
      return true;
    case Key::f1:
      open_keys_ = true;
      return true;
    case Key::f11:
      full_screen_ = true;
      return true;
    case Key::left_bracket:
      step_param(state, "dynamic_range_db", -5);
      return true;
    case Key::right_bracket:
      step_param(state, "dynamic_range_db", 5);
      return true;
    case Key::digit0:
      if (press.control) choose_scale(0);
      return press.control;
    case Key::minus:
      if (press.control) {
        choose_scale(next_scale(ui_.scale(), -1));
        return true;
      }
      step_param(state, "gain_db", -1);
      return true;
    case Key::equal:
      if (press.control) {
        choose_scale(next_scale(ui_.scale(), 1));
        return true;
      }
      step_param(state, "gain_db", 1);
      return true;
    case Key::z:
    case Key::y:
      if (!press.control) return false;
      travel(state, press.key == Key::y || press.shift ? HistoryAct::redo : HistoryAct::undo);
      return true;
    case Key::l:
      if (press.control) view_.lecture = !view_.lecture;
      return press.control;
    case Key::o:
      if (press.control && !refused_in_kiosk(state)) open_dialog_ = true;
      return press.control;
    case Key::q:
      if (press.control && !refused_in_kiosk(state)) quit_ = true;
      return press.control;
    case Key::r:
      if (!press.control) act_unless(why_no_record(state), [&] { call(commands_.toggle_record); });
      return true;
    case Key::s:
      act_unless(why_no_picture(state, shown_grid_), [&] {
        if (press.control && press.shift) {
          if (!refused_in_kiosk(state)) call(commands_.save, SaveWhat::session);
        } else if (press.control) {
          if (!refused_in_kiosk(state)) state.saving.ask = true;
        } else {
          call(commands_.save, SaveWhat::picture);
        }
      });
      return true;
    default:
      return false;
  }
}

// A gate that was turned on, by whatever, shows its sonogram; one that was turned off leaves no empty strip.
void Screen::watch_gate(UiState& state) {
  if (ImGui::IsMouseDown(0)) return;  // not while the hand still moves: the picture makes room for it
  const Gate before = std::exchange(gate_, state.params.doppler.gate);
  if (gate_ == before) return;
  if (gate_ == Gate::on) {
    view_.m_mode_beside = view_.has_m_mode();
    view_.dock = Dock::sonogram;
  } else if (view_.dock == Dock::sonogram) {
    view_.dock = view_.m_mode_beside ? Dock::m_mode : Dock::none;
  }
  take_inspect_tool(state.marks, view_.dock);
}

}  // namespace echoloop
