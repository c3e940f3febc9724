#include "gui/track_drag.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "gui/cine_actions.h"
#include "gui/number_text.h"

namespace echoloop {
namespace {

std::string track_help(const Cine& cine) {
  std::string kept = fmt::format("{} frame{} in history", grouped(cine.frames), cine.frames == 1 ? "" : "s");
  if (cine.bytes > 0) kept += ", " + byte_text(cine.bytes);
  if (cine.bytes > 0 && cine.budget_bytes > 0) kept += " of " + byte_text(cine.budget_bytes);
  return kept + ". Click or drag to show a frame; a live stream is frozen first.";
}

}  // namespace

void TrackDrag::use(PanelContext& c, const char* id, const Rect& track, const Rect& area) {
  Ui& ui = c.ui;
  UiState& s = c.state;
  const Hit h = ui.hit(id, area);
  const std::string help = track_help(s.cine);
  const bool can_freeze =
      s.run != RunState::frozen && why_no_freeze(s).empty() && s.cine.frames > 0 && s.cine.why_not.empty();
  const std::string_view why = can_freeze ? std::string_view() : why_no_past(s);
  ui.tip(id, h, area, {"History", help, why});
  if (!why.empty()) {
    wanted_.reset();
    return;
  }
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
