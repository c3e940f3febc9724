// Row of buttons below the track: stepping, freezing and playing at the left, tools at the right.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "gui/cine/cine_strip.h"
#include "gui/docks/docks.h"
#include "gui/panels/cine_actions.h"
#include "gui/panels/panels.h"
#include "gui/workspace/tool_bar.h"

namespace echoloop {

// Layouts of the row of buttons below the track, from wide to narrow, and its tools at the right end. Tools that do not
// fit a narrow window move to a menu there, the least important first. UI thread only.

enum class Shown { button, icon, in_menu };

struct Fit {
  bool segmented;  // speeds as segments; otherwise a list
  bool shortcuts;  // on the buttons
  Shown keep, compare, picture, record;
  bool ends = true;  // buttons of the first and the last frame
  [[nodiscard]] bool has_menu() const {
    return keep == Shown::in_menu || compare == Shown::in_menu || picture == Shown::in_menu;
  }
};

// Layouts from the widest to the narrowest.
inline constexpr std::array<Fit, 9> kFits = {
    {{true, true, Shown::button, Shown::button, Shown::button, Shown::button},
     {true, true, Shown::in_menu, Shown::button, Shown::button, Shown::button},
     {false, true, Shown::button, Shown::button, Shown::button, Shown::button},
     {false, false, Shown::in_menu, Shown::button, Shown::button, Shown::button},
     {false, false, Shown::in_menu, Shown::button, Shown::icon, Shown::button},
     {false, false, Shown::in_menu, Shown::in_menu, Shown::icon, Shown::button},
     {false, false, Shown::in_menu, Shown::in_menu, Shown::in_menu, Shown::button},
     {false, false, Shown::in_menu, Shown::in_menu, Shown::in_menu, Shown::icon},
     {false, false, Shown::in_menu, Shown::in_menu, Shown::in_menu, Shown::icon, false}}};

struct Row {
  PanelContext& c;
  float y;
  float square;
  float gap;
  Fit fit;
  [[nodiscard]] Rect at(float x, float w) const { return {x, y, x + w, y + c.ui.px(theme::kRow)}; }
  [[nodiscard]] float shortcut_width(std::string_view key) const {
    return fit.shortcuts ? c.ui.width(Type::small, key) + c.ui.px(8) : 0;
  }
};

// Returns the width of the tools and their menu, including the gap at the left.
[[nodiscard]] float tools_width(const Row& row);
void draw_tools(Row& row, float right);

namespace {

constexpr int kSpeedCount = 7;
struct Speeds {
  std::array<double, kSpeedCount> values;
  std::array<Choice, kSpeedCount> choices;
};
constexpr Speeds kSpeeds = {{0.1, 0.25, 0.5, 1, 2, 5, 10},
                            {{{"0.1×"}, {"0.25×"}, {"0.5×"}, {"1×"}, {"2×"}, {"5×"}, {"10×"}}}};
// For sources of 1000 frames per second and more: real time is too fast to follow.
constexpr Speeds kSlowSpeeds = {{0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1},
                                {{{"0.01×"}, {"0.02×"}, {"0.05×"}, {"0.1×"}, {"0.25×"}, {"0.5×"}, {"1×"}}}};

const Speeds& speeds_of(const Model& model) {
  const bool fast = model.source.acquisition != nullptr && model.source.acquisition->frame_rate_hz >= 1000.0;
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
  for (const Choice& choice : speeds_of(row.c.model).choices) labels += ui.width(Type::body, choice.label) + ui.px(8);
  return std::max(ui.px(216), std::round(labels));
}

float needed(const Row& row) {
  const Ui& ui = row.c.ui;
  return (row.fit.ends ? 4 : 2) * (row.square + row.gap) + freeze_width(row) + ui.px(6) + play_width(row) + ui.px(6) +
         speed_width(row) + tools_width(row);
}

enum class StepIcon { first, back, forward, last };

void draw_icon(const Ui& ui, StepIcon icon, const Rect& r, ImU32 color) {
  const bool left = icon == StepIcon::first || icon == StepIcon::back;
  const float s = left ? -1.0F : 1.0F;
  const bool bar = icon == StepIcon::first || icon == StepIcon::last;
  const float x = std::round(r.cx()) - s * ui.px(bar ? 1 : 0);
  const float y = std::round(r.cy());
  ui.triangle(x + s * ui.px(4), y, left ? Direction::left : Direction::right, color, 8.5F);
  if (!bar) return;
  const float edge = x + s * ui.px(left ? 6 : 4);
  ui.fill({edge, y - ui.px(5), edge + ui.px(2), y + ui.px(5)}, color);
}

struct StepButton {
  const char* id;
  StepIcon icon;
  CineAct act;
  Tip tip;
};

float step_button(Row& row, float x, StepButton b) {
  PanelContext& c = row.c;
  b.tip.why_not = why_no_play(c.model);
  const Rect r = row.at(x, row.square);
  if (c.ui.button(b.id, r, {}, b.tip)) cine_act(c.model, c.edits, c.commands, b.act);
  draw_icon(c.ui, b.icon, r, b.tip.why_not.empty() ? theme::kText : theme::kDisabled);
  return r.x1 + row.gap;
}

float freeze_button(Row& row, float x) {
  PanelContext& c = row.c;
  Ui& ui = c.ui;
  const bool frozen = c.model.run == RunState::frozen && !is_still(c.model);
  const std::string_view why = why_no_freeze(c.model);
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
    freeze(c.model, c.commands);
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
  const bool playing = c.edits.cine.playing && c.model.run == RunState::frozen;
  const Rect r = row.at(x, play_width(row));
  if (c.ui.button("play", r, {.label = playing ? "Pause" : "Play", .shortcut = row.fit.shortcuts ? "P" : ""},
                  {playing ? "Pause" : "Play", "Plays the history between the loop marks repeatedly (P).",
                   why_no_play(c.model)})) {
    cine_act(c.model, c.edits, c.commands, CineAct::play);
  }
  return r.x1 + c.ui.px(6);
}

void speed_choice(Row& row, float x) {
  PanelContext& c = row.c;
  Cine& cine = c.edits.cine;
  const Speeds& speeds = speeds_of(c.model);
  const auto* const found = std::find(speeds.values.begin(), speeds.values.end(), cine.speed);
  const int chosen = found == speeds.values.end() ? -1 : static_cast<int>(found - speeds.values.begin());
  const Rect r = row.at(x, speed_width(row));
  const std::string_view why = why_no_play(c.model);
  const Tip tip{why == kFreezeFirst ? "Playback speed: freeze first (Space)" : "Playback speed",
                "At 1× a second of the acquisition plays in a second.", why};
  const Choice shown = chosen >= 0 ? speeds.choices[static_cast<std::size_t>(chosen)] : Choice{"own"};
  const std::optional<int> picked = row.fit.segmented ? c.ui.segmented("speed", r, speeds.choices, chosen, tip)
                                                      : c.ui.combo("speed", r, shown, speeds.choices, chosen, tip);
  if (!picked) return;
  cine.speed = speeds.values[static_cast<std::size_t>(*picked)];
  c.commands.send(command::CineChanged{});
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
    x = step_button(row, x,
                    {"first", StepIcon::first, CineAct::first, {"First", "Oldest frame in history (Home).", {}}});
  }
  x = step_button(row, x, {"back", StepIcon::back, CineAct::back, {"Step back", "Previous frame (Left).", {}}});
  x = freeze_button(row, x);
  x = step_button(row, x,
                  {"forward", StepIcon::forward, CineAct::forward, {"Step forward", "Next frame (Right).", {}}});
  if (row.fit.ends) {
    x = step_button(row, x, {"last", StepIcon::last, CineAct::last, {"Last", "Newest frame in history (End).", {}}});
  }
  x = play_button(row, x + ui.px(6));
  speed_choice(row, x);
  draw_tools(row, x1);
}

namespace {

constexpr Tip kKeepTip = {
    "Keep acquiring", "The stream continues while frozen. Off: the source pauses until you resume.", {}};

constexpr Tip kSaveTip = {"Save", "Images, levels, data, videos and timings.", {}};

Tip save_tip(const PanelContext& c) {
  Tip tip = kSaveTip;
  tip.why_not = why_no_files(c.model);
  return tip;
}

enum class CineTool { keep, compare, picture, record };  // from left to right

constexpr float kMore = 20;  // width of the part of the image button that opens the save panel

Shown shown(const Row& row, CineTool tool) {
  switch (tool) {
    case CineTool::keep:
      return row.fit.keep;
    case CineTool::compare:
      return row.fit.compare;
    case CineTool::picture:
      return row.fit.picture;
    case CineTool::record:
      break;
  }
  return row.fit.record;
}

float tool_width(const Row& row, CineTool tool) {
  const Ui& ui = row.c.ui;
  const float padding = ui.px(20);
  switch (tool) {
    case CineTool::keep:
      return ui.width(Type::body, kKeepTip.title) + ui.px(24);
    case CineTool::compare:
      return ui.width(Type::body, "Compare") + row.shortcut_width("X") + padding;
    case CineTool::picture:
      if (row.fit.picture == Shown::icon) return row.square;
      return ui.width(Type::body, "Image") + row.shortcut_width("S") + padding + ui.px(kMore);
    case CineTool::record:
      if (row.fit.record == Shown::icon) return row.square;
      return ui.width(Type::body, "Record") + row.shortcut_width("R") + padding;
  }
  return 0;
}

void toggle_keep(PanelContext& c) {
  c.edits.cine.keep_acquiring = !c.edits.cine.keep_acquiring;
  c.commands.send(command::CineChanged{});
}

// Draws a button that saves the image; its right part opens the save panel.
void picture_tool(PanelContext& c, const Rect& r, std::string_view shortcut) {
  Ui& ui = c.ui;
  const Rect left{r.x0, r.y0, r.x1 - ui.px(kMore), r.y1};
  const Rect more{left.x1 + ui.hairline(), r.y0, r.x1, r.y1};
  if (ui.button("picture_button", left, {.label = "Image", .shortcut = shortcut},
                {"Image", "Saves the image on screen with the settings of Save as (S).",
                 why_no_picture(c.model, c.shown_grid)})) {
    c.commands.send(command::Save{SaveWhat::picture});
  }
  if (ui.button("save_menu", more, {}, save_tip(c))) ui.open_popup(kSavePanel);
  ui.chevron(more.cx(), more.cy(), Direction::up, theme::kText2);
}

// Draws a button that opens the panel, which can also save the image.
void save_icon(PanelContext& c, const Rect& r) {
  Ui& ui = c.ui;
  if (ui.button("save_menu", r, {}, save_tip(c))) ui.open_popup(kSavePanel);
  save_icon(IconPen{ui, std::round(r.cx()), std::round(r.cy()), theme::kText});
}

void record_button(const Row& row, const Rect& r) {
  PanelContext& c = row.c;
  const RecordingView& recording = c.model.saving.recording;
  const Tip tip{recording.on ? "Stop recording" : "Record",
                recording.on ? "Completes the file with all frames processed so far (R)."
                             : "Writes every processed raw frame to a file (R).",
                why_no_record(c.model)};
  const bool icon = row.fit.record == Shown::icon;
  const ButtonLook look{.label = icon           ? ""
                                 : recording.on ? "Stop"
                                                : "Record",
                        .shortcut = row.fit.shortcuts ? "R" : "",
                        .active = recording.on};
  if (c.ui.button("record", r, look, tip)) c.commands.send(command::ToggleRecord{});
  if (!icon) return;
  const ImU32 ink = tip.why_not.empty() ? theme::kRed : theme::kDisabled;
  if (recording.on)
    return c.ui.fill({r.cx() - c.ui.px(5), r.cy() - c.ui.px(5), r.cx() + c.ui.px(5), r.cy() + c.ui.px(5)}, ink, 2);
  c.ui.disc(r.cx(), r.cy(), 5, ink);
}

void draw_tool(const Row& row, CineTool tool, const Rect& r) {
  PanelContext& c = row.c;
  const auto key = [&](std::string_view k) { return row.fit.shortcuts ? k : std::string_view(); };
  if (tool == CineTool::keep) {
    if (c.ui.check_box("keep_acquiring", r, kKeepTip.title, c.edits.cine.keep_acquiring, kKeepTip)) toggle_keep(c);
  } else if (tool == CineTool::picture && row.fit.picture == Shown::icon) {
    save_icon(c, r);
  } else if (tool == CineTool::picture) {
    picture_tool(c, r, key("S"));
  } else if (tool == CineTool::record) {
    record_button(row, r);
  } else {
    const Tip tip{"Compare",
                  "Keeps the current settings, or shows another recording, as A; further changes apply to B (X).",
                  why_no_comparison(c.model)};
    const bool on = c.edits.cine.compare && tip.why_not.empty();
    if (c.ui.button("compare", r, {.label = "Compare", .shortcut = key("X"), .active = on}, tip)) {
      cine_act(c.model, c.edits, c.commands, CineAct::compare);
    }
  }
}

void draw_menu(const Row& row, const Rect& r) {
  PanelContext& c = row.c;
  Ui& ui = c.ui;
  enum class Entry { keep, compare, picture, save };
  std::vector<Entry> entries;
  std::vector<Choice> choices;
  const auto add = [&](Entry entry, const Choice& choice) {
    entries.push_back(entry);
    choices.push_back(choice);
  };
  const bool possible = why_no_comparison(c.model).empty();
  if (row.fit.keep == Shown::in_menu) {
    add(Entry::keep, {kKeepTip.title, c.edits.cine.keep_acquiring ? "on" : "off"});
  }
  if (row.fit.compare == Shown::in_menu) {
    add(Entry::compare, {"Compare", !possible ? "no frames" : c.edits.cine.compare ? "on" : "X"});
  }
  if (row.fit.picture == Shown::in_menu) {
    add(Entry::picture, {"Image", "S"});
    add(Entry::save, {"Save…", "video, data"});
  }
  const bool over = r.contains(ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y);
  ui.fill(r, over ? theme::kHover : theme::kField, theme::kRadius);
  const auto picked = ui.menu("cine_more", r, choices, -1, {"More", "Further controls.", {}});
  for (const float dx : {-5.0F, 0.0F, 5.0F}) ui.disc(r.cx() + ui.px(dx), r.cy(), 1.5F, theme::kText);
  if (!picked) return;
  switch (entries[static_cast<std::size_t>(*picked)]) {
    case Entry::keep:
      return toggle_keep(c);
    case Entry::compare:
      return cine_act(c.model, c.edits, c.commands, CineAct::compare);
    case Entry::picture:
      if (why_no_picture(c.model, c.shown_grid).empty()) c.commands.send(command::Save{SaveWhat::picture});
      return;
    case Entry::save:
      if (why_no_files(c.model).empty()) ui.open_popup(kSavePanel);
      return;
  }
}

constexpr std::array<CineTool, 4> kFromRight = {CineTool::record, CineTool::picture, CineTool::compare, CineTool::keep};

}  // namespace

float tools_width(const Row& row) {
  const Ui& ui = row.c.ui;
  float w = row.fit.has_menu() ? ui.px(6) + row.square : 0;
  for (const CineTool tool : kFromRight) {
    if (shown(row, tool) != Shown::in_menu) w += ui.px(8) + tool_width(row, tool);
  }
  return w;
}

void draw_tools(Row& row, float right) {
  const Ui& ui = row.c.ui;
  if (row.fit.has_menu()) {
    draw_menu(row, row.at(right - row.square, row.square));
    right -= row.square + ui.px(6);
  }
  for (const CineTool tool : kFromRight) {
    if (shown(row, tool) == Shown::in_menu) continue;
    const float w = tool_width(row, tool);
    draw_tool(row, tool, row.at(right - w, w));
    right -= w + ui.px(8);
  }
}

}  // namespace echoloop
