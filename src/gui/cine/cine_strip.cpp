#include "gui/cine/cine_strip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/docks/save_panel.h"
#include "gui/panels/cine_actions.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

float track_x(const Rect& track, double share) {
  return std::round(track.x0 + static_cast<float>(share) * track.width());
}

void draw_track(const Ui& ui, const UiState& s, const Rect& track) {
  const Cine& cine = s.cine;
  ui.fill(track, theme::kField, 4);
  if (cine.frames == 0 || is_still(s)) return;
  if (s.run != RunState::frozen) {
    ui.fill(track, image_rests(s) ? theme::kHistoryBefore : theme::kAccent, 4);
    ui.disc(track.x1 - ui.px(1), track.cy(), 9, theme::kPanel);
    ui.disc(track.x1 - ui.px(1), track.cy(), 7.5F, theme::kText);
    return;
  }
  // Outside the loop only the field remains, with a thin line: the frames are there but are not played.
  ui.fill({track.x0 + ui.px(2), track.cy() - ui.px(1), track.x1 - ui.px(2), track.cy() + ui.px(1)},
          theme::kHistoryAfter, 1);
  const float in = track_x(track, cine_share(cine, cine.mark_in));
  const float out = track_x(track, cine_share(cine, cine.mark_out));
  const float head = track_x(track, cine_share(cine, cine.index));
  ui.fill({in, track.y0, out, track.y1}, theme::kHistoryAfter, 4);
  ui.fill({in, track.y0, std::clamp(head, in, out), track.y1}, theme::kHistoryBefore, 4);
}

struct StripMark {
  const char* id;
  CineAct reset;
  bool in;  // the left one
};

void mark_by_key(PanelContext& c, const StripMark& mark, const Hit& h) {
  Cine& cine = c.state.cine;
  for (const KeyPress& press : h.keys) {
    const std::ptrdiff_t by = frame_steps(press);
    std::size_t& at = mark.in ? cine.mark_in : cine.mark_out;
    if (press.key == Key::remove) cine_act(c.state, c.commands, mark.reset);
    if (by == 0 || cine.frames < 2) continue;
    const auto least = static_cast<std::ptrdiff_t>(mark.in ? 0 : cine.mark_in + 1);
    const auto most = static_cast<std::ptrdiff_t>(mark.in ? cine.mark_out - 1 : cine.frames - 1);
    at = static_cast<std::size_t>(std::clamp(static_cast<std::ptrdiff_t>(at) + by, least, std::max(least, most)));
    call(c.commands.cine_changed);
  }
}

// The marks stand above the track, so that they never cover the playhead.
void draw_mark(PanelContext& c, const Rect& track, const StripMark& mark) {
  Ui& ui = c.ui;
  Cine& cine = c.state.cine;
  const std::size_t last = cine.frames - 1;
  std::size_t& at = mark.in ? cine.mark_in : cine.mark_out;
  const float x = track_x(track, cine_share(cine, at));
  const float lean = mark.in ? 1.0F : -1.0F;
  const Rect grip{x - ui.px(9), track.y0 - ui.px(15), x + ui.px(9), track.y0 - ui.px(2)};
  const Hit h = ui.control(mark.id, grip, FocusKind::slider);
  ui.tip(mark.id, h, grip,
         {mark.in ? "Loop start" : "Loop end",
          mark.in ? "Start of the playback loop. Drag, or press I to set at the playhead; right-click to reset."
                  : "End of the playback loop. Drag, or press O to set at the playhead; right-click to reset.",
          {}});
  if (h.hovered || h.held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (h.right) cine_act(c.state, c.commands, mark.reset);
  mark_by_key(c, mark, h);
  if (h.held && last > 0) {
    const std::size_t wanted =
        nearest_frame(cine, static_cast<double>((ImGui::GetIO().MousePos.x - track.x0) / track.width()));
    const std::size_t to =
        mark.in ? std::min(wanted, cine.mark_out - 1) : std::min(std::max(wanted, cine.mark_in + 1), last);
    if (to != at) {
      at = to;
      call(c.commands.cine_changed);
    }
  }
  const bool moved = at != (mark.in ? std::size_t{0} : last);
  const ImU32 color = h.hovered || h.held ? theme::kAccentHover : moved ? theme::kAccent : theme::kMuted;
  const float w = ui.px(2);
  const float left = mark.in ? x : x - w;
  ui.fill({left, track.y0 - ui.px(12), left + w, track.y1 + ui.px(2)}, color);
  const ImVec2 flag[3] = {
      {x, track.y0 - ui.px(12)}, {x + lean * ui.px(8), track.y0 - ui.px(8)}, {x, track.y0 - ui.px(4)}};
  if (mark.in) {
    ui.list().AddTriangleFilled(flag[0], flag[1], flag[2], color);
  } else {
    ui.list().AddTriangleFilled(flag[2], flag[1], flag[0], color);
  }
}

// The smallest of 1, 2, 5 x 10^k seconds whose labels have room.
double tick_step_s(double seconds, float width, float least) {
  for (double power = 1e-5; power < 1e5; power *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * power / seconds * static_cast<double>(width) >= static_cast<double>(least)) return factor * power;
    }
  }
  return seconds;
}

int decimals_of(double step_s) { return std::clamp(static_cast<int>(std::ceil(-std::log10(step_s) - 1e-9)), 0, 5); }

std::string span_label(const Cine& cine, int decimals) {
  std::string length = fixed(-cine.seconds, cine.seconds < 9.95 ? std::max(decimals, 1) : decimals);
  return fmt::format("{} s · {}", length, counted_grouped(cine.frames, "frame"));
}

// Seconds before the newest frame below the track; where the playhead's own time stands no other label does.
void draw_labels(const Ui& ui, const UiState& s, const Rect& track, float y) {
  const Cine& cine = s.cine;
  const float h = ui.px(16);
  if (cine.frames == 0 || is_still(s)) {
    ui.text_fitted(Type::small, track.x0, track.x1, y, h, theme::kMuted, why_no_play(s));
    return;
  }
  const bool frozen = s.run == RunState::frozen;
  const double step = cine.seconds > 0 ? tick_step_s(cine.seconds, track.width(), ui.px(110)) : 0;
  const int decimals = cine.seconds > 0 ? decimals_of(step) : 0;
  const std::string first = span_label(cine, decimals);
  const float gap = ui.px(14);
  float head0 = track.x1;
  float head1 = track.x1;
  if (frozen) {
    const std::string text = cine_time_text(cine, cine.index);
    const float w = ui.width(Type::badge, text);
    const float x = track_x(track, cine_share(cine, cine.index));
    head0 = std::clamp(x - 0.5F * w, track.x0, track.x1 - w);
    head1 = head0 + w;
    ui.text(Type::badge, head0, y, h, theme::kText, text);
  }
  const auto free = [&](float x0, float x1) { return !frozen || x1 + gap < head0 || x0 - gap > head1; };
  const auto label = [&](float x0, const std::string& text) {
    if (free(x0, x0 + ui.width(Type::small, text))) ui.text(Type::small, x0, y, h, theme::kText2, text);
  };
  const float first_end = track.x0 + ui.width(Type::small, first);
  label(track.x0, first);
  const std::string last(newest_name(s));
  const float now_x = track.x1 - ui.width(Type::small, last);
  label(now_x, last);
  ui.vertical(track.x1 - ui.hairline(), track.y1 + ui.px(4), track.y1 + ui.px(8), theme::kTick);
  for (int i = 1; step > 0 && i < 200 && i * step < cine.seconds; ++i) {
    const float x = track_x(track, 1 - i * step / cine.seconds);
    ui.vertical(x, track.y1 + ui.px(4), track.y1 + ui.px(8), theme::kTick);
    const std::string text = fixed(-i * step, decimals) + " s";
    const float w = ui.width(Type::small, text);
    if (x - 0.5F * w > first_end + gap && x + 0.5F * w + gap < now_x) label(x - 0.5F * w, text);
  }
}

}  // namespace

void CineStrip::draw(PanelContext& c, const Rect& r) {
  Ui& ui = c.ui;
  ui.horizontal(r.x0, r.x1, r.y0, theme::kEdge);
  const float x0 = r.x0 + ui.px(c.compact ? 12 : 16);
  const float x1 = r.x1 - ui.px(c.compact ? 12 : 16);
  const float top = r.y0 + ui.px(c.compact ? 15 : 19);
  const Rect track{x0, top, x1, top + ui.px(8)};
  drag_.use(c, "cine_track", track,
            {track.x0 - ui.px(6), track.y0 - ui.px(2), track.x1 + ui.px(6), track.y1 + ui.px(22)});
  draw_track(ui, c.state, track);
  if (why_no_play(c.state).empty()) {
    draw_mark(c, track, {"mark_in", CineAct::reset_in, true});
    draw_mark(c, track, {"mark_out", CineAct::reset_out, false});
    const float head = track_x(track, cine_share(c.state.cine, c.state.cine.index));
    ui.disc(head, track.cy(), 9, theme::kPanel);
    ui.disc(head, track.cy(), 7.5F, theme::kText);
  }
  draw_labels(ui, c.state, track, track.y1 + ui.px(c.compact ? 7 : 10));
  draw_cine_buttons(c, x0, x1, r.y1 - ui.px(c.compact ? 8 : 12) - ui.px(theme::kRow));
  draw_save_panel(c, x1, r.y0 - ui.px(6));  // the marks, which choose a film's frames, stay in sight
}

}  // namespace echoloop
