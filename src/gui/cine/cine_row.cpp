// The row of buttons below the track: stepping, freezing and playing at the left; its tools are in cine_tools.cpp.
#include <algorithm>
#include <array>
#include <cmath>

#include "gui/cine/cine_row.h"
#include "gui/cine/cine_strip.h"
#include "gui/panels/cine_actions.h"

namespace echoloop {
namespace {

constexpr int kSpeedCount = 7;
struct Speeds {
  std::array<double, kSpeedCount> values;
  std::array<Choice, kSpeedCount> choices;
};
constexpr Speeds kSpeeds = {{0.1, 0.25, 0.5, 1, 2, 5, 10},
                            {{{"0.1×"}, {"0.25×"}, {"0.5×"}, {"1×"}, {"2×"}, {"5×"}, {"10×"}}}};
// Of sources with a thousand frames a second and more: too fast to follow in real time.
constexpr Speeds kSlowSpeeds = {{0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1},
                                {{{"0.01×"}, {"0.02×"}, {"0.05×"}, {"0.1×"}, {"0.25×"}, {"0.5×"}, {"1×"}}}};

const Speeds& speeds_of(const UiState& state) {
  const bool fast = state.source.acquisition != nullptr && state.source.acquisition->frame_rate_hz >= 1000.0;
  return fast ? kSlowSpeeds : kSpeeds;
}

float freeze_width(const Row& row) { return row.c.ui.px(row.fit.shortcuts ? 132 : 92); }
float play_width(const Row& row) {
  return row.c.ui.width(Type::body, "Pause") + row.shortcut_width("P") + row.c.ui.px(20);
}
float speed_width(const Row& row) {
  const Ui& ui = row.c.ui;
  if (!row.fit.segmented) return ui.px(74);
  float labels = 0;
  for (const Choice& choice : speeds_of(row.c.state).choices) labels += ui.width(Type::body, choice.label) + ui.px(8);
  return std::max(ui.px(216), std::round(labels));
}

float needed(const Row& row) {
  const Ui& ui = row.c.ui;
  return (row.fit.ends ? 4 : 2) * (row.square + row.gap) + freeze_width(row) + ui.px(6) + play_width(row) + ui.px(6) +
         speed_width(row) + tools_width(row);
}

enum class Icon { first, back, forward, last };

void draw_icon(const Ui& ui, Icon icon, const Rect& r, ImU32 color) {
  const bool left = icon == Icon::first || icon == Icon::back;
  const float s = left ? -1.0F : 1.0F;
  const bool bar = icon == Icon::first || icon == Icon::last;
  const float x = std::round(r.cx()) - s * ui.px(bar ? 1 : 0);
  const float y = std::round(r.cy());
  ui.triangle(x + s * ui.px(4), y, left ? Direction::left : Direction::right, color, 8.5F);
  if (!bar) return;
  const float edge = x + s * ui.px(left ? 6 : 4);
  ui.fill({edge, y - ui.px(5), edge + ui.px(2), y + ui.px(5)}, color);
}

struct StepButton {
  const char* id;
  Icon icon;
  CineAct act;
  Tip tip;
};

float step_button(Row& row, float x, StepButton b) {
  PanelContext& c = row.c;
  b.tip.why_not = why_no_play(c.state);
  const Rect r = row.at(x, row.square);
  if (c.ui.button(b.id, r, {}, b.tip)) cine_act(c.state, c.commands, b.act);
  draw_icon(c.ui, b.icon, r, b.tip.why_not.empty() ? theme::kText : theme::kDisabled);
  return r.x1 + row.gap;
}

float freeze_button(Row& row, float x) {
  PanelContext& c = row.c;
  Ui& ui = c.ui;
  const bool frozen = c.state.run == RunState::frozen && !is_still(c.state);
  const std::string_view why = why_no_freeze(c.state);
  const Rect r = row.at(x, freeze_width(row));
  const std::string_view key = row.fit.shortcuts ? "Space" : "";
  if (ui.button(
          "freeze", r,
          {.label = frozen ? "     Resume" : "     Freeze",
           .shortcut = key,
           .emphasis = frozen ? Emphasis::primary : Emphasis::plain},
          {frozen ? "Resume" : "Freeze",
           frozen ? "Returns to live images (Space)." : "Stops at this image; the history can be replayed (Space).",
           why})) {
    freeze(c.state, c.commands);
  }
  const ImU32 ink = !why.empty() ? theme::kDisabled : frozen ? theme::kInk : theme::kText;
  const float icon_x = r.x0 + ui.px(row.fit.shortcuts ? 20 : 17);
  if (frozen) {
    ui.play(icon_x, r.cy(), ink);
  } else {
    ui.pause(icon_x, r.cy(), ink);
  }
  return r.x1 + row.gap;
}

float play_button(Row& row, float x) {
  PanelContext& c = row.c;
  const bool playing = c.state.cine.playing && c.state.run == RunState::frozen;
  const Rect r = row.at(x, play_width(row));
  if (c.ui.button("play", r, {.label = playing ? "Pause" : "Play", .shortcut = row.fit.shortcuts ? "P" : ""},
                  {playing ? "Pause" : "Play", "Plays the history between the loop marks repeatedly (P).",
                   why_no_play(c.state)})) {
    cine_act(c.state, c.commands, CineAct::play);
  }
  return r.x1 + c.ui.px(6);
}

void speed_choice(Row& row, float x) {
  PanelContext& c = row.c;
  Cine& cine = c.state.cine;
  const Speeds& speeds = speeds_of(c.state);
  const auto* const found = std::find(speeds.values.begin(), speeds.values.end(), cine.speed);
  const int chosen = found == speeds.values.end() ? -1 : static_cast<int>(found - speeds.values.begin());
  const Rect r = row.at(x, speed_width(row));
  const std::string_view why = why_no_play(c.state);
  const Tip tip{why == kFreezeFirst ? "Playback speed: freeze first (Space)" : "Playback speed",
                "At 1× a second of the acquisition plays in a second.", why};
  const Choice shown = chosen >= 0 ? speeds.choices[static_cast<std::size_t>(chosen)] : Choice{"own"};
  const std::optional<int> picked = row.fit.segmented ? c.ui.segmented("speed", r, speeds.choices, chosen, tip)
                                                      : c.ui.combo("speed", r, shown, speeds.choices, chosen, tip);
  if (!picked) return;
  cine.speed = speeds.values[static_cast<std::size_t>(*picked)];
  call(c.commands.cine_changed);
}

}  // namespace

void draw_cine_buttons(PanelContext& c, float x0, float x1, float y) {
  const Ui& ui = c.ui;
  Row row{.c = c, .y = y, .square = ui.px(c.compact ? 28 : 32), .gap = ui.px(4), .fit = kFits.back()};
  for (const Fit& fit : kFits) {
    row.fit = fit;
    if (needed(row) <= x1 - x0) break;
  }
  float x = x0;
  if (row.fit.ends) {
    x = step_button(row, x, {"first", Icon::first, CineAct::first, {"First", "Oldest frame in history (Home).", {}}});
  }
  x = step_button(row, x, {"back", Icon::back, CineAct::back, {"Step back", "Previous frame (Left).", {}}});
  x = freeze_button(row, x);
  x = step_button(row, x, {"forward", Icon::forward, CineAct::forward, {"Step forward", "Next frame (Right).", {}}});
  if (row.fit.ends) {
    x = step_button(row, x, {"last", Icon::last, CineAct::last, {"Last", "Newest frame in history (End).", {}}});
  }
  x = play_button(row, x + ui.px(6));
  speed_choice(row, x);
  draw_tools(row, x1);
}

}  // namespace echoloop
