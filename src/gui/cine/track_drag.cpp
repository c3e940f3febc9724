#include "gui/cine/track_drag.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "gui/panels/cine_actions.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

std::string track_help(const Cine& cine) {
  std::string kept = counted_grouped(cine.frames, "frame") + " in history";
  if (cine.bytes > 0) kept += ", " + byte_text(cine.bytes);
  if (cine.bytes > 0 && cine.budget_bytes > 0) kept += " of " + byte_text(cine.budget_bytes);
  return kept + ". Click or drag to show a frame; a live stream is frozen first.";
}

void by_key(PanelContext& c, const Hit& h) {
  UiState& s = c.state;
  for (const KeyPress& press : h.keys) {
    const std::ptrdiff_t by = frame_steps(press);
    if (press.key == Key::home) cine_act(s, c.commands, CineAct::first);
    if (press.key == Key::end) cine_act(s, c.commands, CineAct::last);
    const auto last = static_cast<std::ptrdiff_t>(s.cine.frames) - 1;
    const auto now = static_cast<std::ptrdiff_t>(s.cine.index);
    if (by != 0 && last > 0) {
      cine_seek(s, c.commands, static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(now + by, 0, last)));
    }
  }
}

}  // namespace

std::ptrdiff_t frame_steps(const KeyPress& press) {
  const std::ptrdiff_t arrow = press.shift ? 10 : 1;
  if (press.key == Key::left || press.key == Key::down) return -arrow;
  if (press.key == Key::right || press.key == Key::up) return arrow;
  return press.key == Key::page_down ? -10 : press.key == Key::page_up ? 10 : 0;
}

void TrackDrag::use(PanelContext& c, const char* id, const Rect& track, const Rect& area) {
  Ui& ui = c.ui;
  UiState& s = c.state;
  const Hit h = ui.control(id, area, FocusKind::slider);
  const std::string help = track_help(s.cine);
  const bool can_freeze =
      s.run != RunState::frozen && why_no_freeze(s).empty() && s.cine.frames > 0 && s.cine.why_not.empty();
  const std::string_view why = can_freeze ? std::string_view() : why_no_past(s);
  ui.tip(id, h, area, {"History", help, why});
  if (!why.empty()) {
    wanted_.reset();
    return;
  }
  by_key(c, h);
  const double share = static_cast<double>((ImGui::GetIO().MousePos.x - track.x0) / std::max(track.width(), 1.0F));
  if (s.run == RunState::frozen) {
    if (h.held) wanted_ = share;
    if (wanted_) cine_seek(s, c.commands, nearest_frame(s.cine, *wanted_));
    wanted_.reset();
    return;
  }
  constexpr double kPatience_s = 2;
  if (h.pressed) {
    wanted_since_ = ImGui::GetTime();
    wanted_ = share;
    freeze(s, c.commands);
  } else if (wanted_ && h.held) {
    wanted_ = share;
  } else if (wanted_ && ImGui::GetTime() - wanted_since_ > kPatience_s) {
    wanted_.reset();
  }
}

}  // namespace echoloop
