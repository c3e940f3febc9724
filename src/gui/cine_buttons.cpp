// The row of buttons below the track. What a narrow window has no room for goes into a menu at the right end, in the
// order in which it is missed least.
#include <algorithm>
#include <array>
#include <cmath>

#include "gui/cine_actions.h"
#include "gui/cine_strip.h"
#include "gui/save_panel.h"

namespace echoloop {
namespace {

constexpr std::array<double, 7> kSpeeds = {0.1, 0.25, 0.5, 1, 2, 5, 10};
constexpr std::array<Choice, 7> kSpeedChoices = {{{"0.1×"}, {"0.25×"}, {"0.5×"}, {"1×"}, {"2×"}, {"5×"}, {"10×"}}};

constexpr Tip kKeepTip = {
    "Keep acquiring",
    "While frozen the stream goes on behind the picture. Off: the source rests until you go live.",
    {}};

enum class Tool { keep, picture, compare, record };

constexpr float kMore = 20;  // the part of the picture button that opens the save panel

struct Fit {
  bool segmented;     // speeds side by side; otherwise a list
  bool shortcuts;     // on the buttons
  int tools_in_menu;  // of keep, picture, compare; record always has room
};
// From the widest to the narrowest.
constexpr std::array<Fit, 6> kFits = {
    {{true, true, 0}, {true, true, 1}, {false, true, 0}, {false, false, 1}, {false, false, 2}, {false, false, 3}}};

struct Row {
  PanelContext& c;
  float y;
  float square;
  float gap;
  Fit fit;
  [[nodiscard]] Rect at(float x, float w) const { return {x, y, x + w, y + c.ui.px(theme::kRow)}; }
};

float shortcut_width(const Row& row, std::string_view key) {
  return row.fit.shortcuts ? row.c.ui.width(Type::small, key) + row.c.ui.px(8) : 0;
}

float tool_width(const Row& row, Tool tool) {
  const Ui& ui = row.c.ui;
  const float padding = ui.px(20);
  switch (tool) {
    case Tool::keep:
      return ui.width(Type::body, kKeepTip.title) + ui.px(24);
    case Tool::picture:
      return ui.width(Type::body, "Picture") + shortcut_width(row, "S") + padding + ui.px(kMore);
    case Tool::compare:
      return ui.width(Type::body, "Compare") + shortcut_width(row, "X") + padding;
    case Tool::record:
      return ui.width(Type::body, "Record") + shortcut_width(row, "R") + padding;
  }
  return 0;
}

float freeze_width(const Row& row) { return row.c.ui.px(row.fit.shortcuts ? 132 : 92); }
float play_width(const Row& row) {
  return row.c.ui.width(Type::body, "Pause") + shortcut_width(row, "P") + row.c.ui.px(20);
}
float speed_width(const Row& row) { return row.c.ui.px(row.fit.segmented ? 216 : 74); }

float needed(const Row& row) {
  const Ui& ui = row.c.ui;
  float w = 4 * (row.square + row.gap) + freeze_width(row) + ui.px(6) + play_width(row) + ui.px(6) + speed_width(row);
  for (int i = row.fit.tools_in_menu; i < 4; ++i) w += ui.px(8) + tool_width(row, static_cast<Tool>(i));
  if (row.fit.tools_in_menu > 0) w += ui.px(6) + row.square;
  return w;
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
  b.tip.why_not = why_no_past(c.state);
  const Rect r = row.at(x, row.square);
  if (c.ui.button(b.id, r, {}, b.tip)) cine_act(c.state, c.commands, b.act);
  draw_icon(c.ui, b.icon, r, b.tip.why_not.empty() ? theme::kText : theme::kDisabled);
  return r.x1 + row.gap;
}

float freeze_button(Row& row, float x) {
  PanelContext& c = row.c;
  Ui& ui = c.ui;
  const bool frozen = c.state.run == RunState::frozen;
  const std::string_view why = why_no_freeze(c.state);
  const Rect r = row.at(x, freeze_width(row));
  const std::string_view key = row.fit.shortcuts ? "Space" : "";
  if (ui.button("freeze", r,
                {.label = frozen ? "     Go live" : "     Freeze",
                 .shortcut = key,
                 .emphasis = frozen ? Emphasis::primary : Emphasis::plain},
                {frozen ? "Go live" : "Freeze",
                 frozen ? "Shows new frames again (Space)."
                        : "Keeps this picture, and the frames before it, to look at (Space).",
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
                  {playing ? "Pause" : "Play",
                   "Plays the kept frames between the loop marks, over and over, by the wall clock (P).",
                   why_no_past(c.state)})) {
    cine_act(c.state, c.commands, CineAct::play);
  }
  return r.x1 + c.ui.px(6);
}

void speed_choice(Row& row, float x) {
  PanelContext& c = row.c;
  Cine& cine = c.state.cine;
  const auto* const found = std::find(kSpeeds.begin(), kSpeeds.end(), cine.speed);
  const int chosen = found == kSpeeds.end() ? -1 : static_cast<int>(found - kSpeeds.begin());
  const Rect r = row.at(x, speed_width(row));
  const Tip tip{"Speed", "Times the pace at which the frames came.", why_no_past(c.state)};
  const Choice shown = chosen >= 0 ? kSpeedChoices[static_cast<std::size_t>(chosen)] : Choice{"own"};
  const std::optional<int> picked = row.fit.segmented ? c.ui.segmented("speed", r, kSpeedChoices, chosen, tip)
                                                      : c.ui.combo("speed", r, shown, kSpeedChoices, chosen, tip);
  if (!picked) return;
  cine.speed = kSpeeds[static_cast<std::size_t>(*picked)];
  call(c.commands.cine_changed);
}

void toggle_keep(PanelContext& c) {
  c.state.cine.keep_acquiring = !c.state.cine.keep_acquiring;
  call(c.commands.cine_changed);
}

// Saves the picture at once; its right part opens the panel with everything else.
void picture_tool(PanelContext& c, const Rect& r, std::string_view shortcut) {
  Ui& ui = c.ui;
  const Rect left{r.x0, r.y0, r.x1 - ui.px(kMore), r.y1};
  const Rect more{left.x1 + ui.hairline(), r.y0, r.x1, r.y1};
  if (ui.button("picture_button", left, {.label = "Picture", .shortcut = shortcut},
                {"Picture", "Saves the picture on screen as PNG (S).", why_no_picture(c)})) {
    call(c.commands.save, SaveWhat::picture);
  }
  if (ui.button("save_menu", more, {}, {"Save", "Levels, numbers, films and timings.", {}})) ui.open_popup(kSavePanel);
  ui.chevron(more.cx(), more.cy(), Direction::up, theme::kText2);
}

void record_button(Row& row, const Rect& r) {
  PanelContext& c = row.c;
  const RecordingView& recording = c.state.recording;
  const std::string_view why = recording.finishing           ? "The last frames are still being written."
                               : c.state.source.name.empty() ? "There is no source to record."
                               : c.state.run == RunState::fault && !recording.on
                                   ? "The stream has stopped. Restart it first."
                                   : "";
  const Tip tip{recording.on ? "Stop recording" : "Record",
                recording.on ? "Ends the file; every frame that was processed until now is in it (R)."
                             : "Writes every frame that is processed, raw, into a file of its own (R).",
                why};
  const ButtonLook look{
      .label = recording.on ? "Stop" : "Record", .shortcut = row.fit.shortcuts ? "R" : "", .active = recording.on};
  if (c.ui.button("record", r, look, tip)) call(c.commands.toggle_record);
}

void draw_tool(Row& row, Tool tool, const Rect& r) {
  PanelContext& c = row.c;
  const auto key = [&](std::string_view k) { return row.fit.shortcuts ? k : std::string_view(); };
  if (tool == Tool::keep) {
    if (c.ui.check_box("keep_acquiring", r, kKeepTip.title, c.state.cine.keep_acquiring, kKeepTip)) toggle_keep(c);
  } else if (tool == Tool::picture) {
    picture_tool(c, r, key("S"));
  } else if (tool == Tool::record) {
    record_button(row, r);
  } else {
    const Tip tip{
        "Compare",
        "Holds these parameters as A, left of a line; what you change from now on acts on B, right of it (X).",
        why_no_past(c.state)};
    const bool on = c.state.cine.compare && tip.why_not.empty();
    if (c.ui.button("compare", r, {.label = "Compare", .shortcut = key("X"), .active = on}, tip)) {
      cine_act(c.state, c.commands, CineAct::compare);
    }
  }
}

void more_menu(Row& row, const Rect& r) {
  PanelContext& c = row.c;
  Ui& ui = c.ui;
  const std::string_view past = why_no_past(c.state);
  const std::string_view compare = !past.empty() ? "when frozen" : c.state.cine.compare ? "on" : "X";
  const std::array<Choice, 4> all = {{{kKeepTip.title, c.state.cine.keep_acquiring ? "on" : "off"},
                                      {"Picture", "S"},
                                      {"Save…", "film, data"},
                                      {"Compare", compare}}};
  const std::array<std::size_t, 4> counts = {0, 1, 3, 4};  // picture and save go together
  const std::size_t count = counts[static_cast<std::size_t>(row.fit.tools_in_menu)];
  const bool over = r.contains(ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y);
  ui.fill(r, over ? theme::kHover : theme::kField, theme::kRadius);
  const auto picked = ui.menu("cine_more", r, std::span(all).first(count), -1, {"More", "What has no room here.", {}});
  for (const float dx : {-5.0F, 0.0F, 5.0F}) ui.disc(r.cx() + ui.px(dx), r.cy(), 1.5F, theme::kText);
  if (!picked) return;
  if (*picked == 0) toggle_keep(c);
  if (*picked == 1 && why_no_picture(c).empty()) call(c.commands.save, SaveWhat::picture);
  if (*picked == 2) ui.open_popup(kSavePanel);
  if (*picked == 3) cine_act(c.state, c.commands, CineAct::compare);
}

}  // namespace

void draw_cine_buttons(PanelContext& c, float x0, float x1, float y) {
  Ui& ui = c.ui;
  Row row{.c = c, .y = y, .square = ui.px(c.compact ? 28 : 32), .gap = ui.px(4), .fit = kFits.back()};
  for (const Fit& fit : kFits) {
    row.fit = fit;
    if (needed(row) <= x1 - x0) break;
  }
  float x = x0;
  x = step_button(row, x, {"first", Icon::first, CineAct::first, {"First", "The oldest kept frame (Home).", {}}});
  x = step_button(row, x, {"back", Icon::back, CineAct::back, {"Step back", "One frame back (Left).", {}}});
  x = freeze_button(row, x);
  x = step_button(row, x, {"forward", Icon::forward, CineAct::forward, {"Step forward", "One frame on (Right).", {}}});
  x = step_button(row, x, {"last", Icon::last, CineAct::last, {"Last", "The newest kept frame (End).", {}}});
  x = play_button(row, x + ui.px(6));
  speed_choice(row, x);
  float right = x1;
  if (row.fit.tools_in_menu > 0) {
    more_menu(row, row.at(right - row.square, row.square));
    right -= row.square + ui.px(6);
  }
  // From the right: record, picture, compare, keep.
  for (const Tool tool : {Tool::record, Tool::picture, Tool::compare, Tool::keep}) {
    if (static_cast<int>(tool) < row.fit.tools_in_menu) continue;
    const float w = tool_width(row, tool);
    draw_tool(row, tool, row.at(right - w, w));
    right -= w + ui.px(8);
  }
}

}  // namespace echoloop
