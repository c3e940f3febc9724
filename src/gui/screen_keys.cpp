// The keys of the whole window and the overlay that lists them.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/param_table.h"
#include "gui/cine_actions.h"
#include "gui/screen.h"

namespace echoloop {

void Screen::step_param(UiState& state, std::string_view key, double by) {
  const ParamSpec* spec = find_param(key);
  if (spec == nullptr) return;
  set_number(state.params, *spec, get_number(state.params, *spec) + by);
  call(commands_.params_changed);
}

void Screen::handle_keys(UiState& state, std::span<const KeyPress> keys) {
  const bool typing = ImGui::GetIO().WantTextInput || dialog_.is_open();
  for (const KeyPress& press : keys) {
    if (!typing) handle_key(state, press);
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
    cine_act(state, commands_, act);
    return true;
  }
  return false;
}

void Screen::toggle_dock(Dock dock) { view_.dock = view_.dock == dock ? Dock::none : dock; }

bool Screen::handle_key(UiState& state, const KeyPress& press) {
  if (handle_past_key(state, press) || hand_.key(state, press)) return true;
  switch (press.key) {
    case Key::space:
      freeze(state, commands_);
      return true;
    case Key::tab:
      presentation_ = !presentation_;
      presentation_since_ = ImGui::GetTime();
      return true;
    case Key::n:
    case Key::m:
      if (!press.control) toggle_dock(press.key == Key::n ? Dock::inspector : Dock::m_mode);
      return !press.control;
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
    case Key::minus:
      step_param(state, "gain_db", -1);
      return true;
    case Key::equal:
      step_param(state, "gain_db", 1);
      return true;
    case Key::o:
      open_dialog_ = open_dialog_ || press.control;
      return press.control;
    case Key::r:
      if (!press.control) call(commands_.toggle_record);
      return true;
    case Key::s:
      if (!press.control) call(commands_.save, SaveWhat::picture);
      return true;
    default:
      return false;
  }
}

void Screen::draw_keys_overlay() {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float row = ui_.px(24);
  const float w = std::min(ui_.px(480), screen.x - ui_.px(16));
  const float h = row * static_cast<float>(kKeyHelp.size()) + ui_.px(44 + 40);
  const float x0 = std::round(0.5F * (screen.x - w));
  const float y0 = std::round(std::max(ui_.px(4), 0.5F * (screen.y - h)));
  const Rect box{x0, y0, x0 + w, y0 + h};
  if (!ui_.begin_popup("keys_overlay", box, theme::kPanel)) return;
  float y = box.y0 + ui_.px(12);
  ui_.text(Type::strong, box.x0 + ui_.px(20), y, ui_.px(24), theme::kText, "Keys");
  y += ui_.px(30);
  std::string_view group;
  for (const KeyHelp& help : kKeyHelp) {
    if (!group.empty() && help.group != group) y += ui_.px(8);
    if (help.group != group) ui_.text(Type::small, box.x0 + ui_.px(20), y, row, theme::kMuted, help.group);
    group = help.group;
    ui_.text(Type::body, box.x0 + ui_.px(96), y, row, theme::kText, help.key);
    ui_.text(Type::body, box.x0 + ui_.px(192), y, row, theme::kText2, help.what);
    y += row;
  }
  const Rect close{box.x1 - ui_.px(36), box.y0 + ui_.px(10), box.x1 - ui_.px(12), box.y0 + ui_.px(34)};
  if (ui_.icon_button("close_keys", close, {})) ui_.close_popup();
  ui_.cross(close.cx(), close.cy(), theme::kText2);
  ui_.end_popup();
}

}  // namespace echoloop
