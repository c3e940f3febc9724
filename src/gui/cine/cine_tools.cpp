#include <cmath>
#include <vector>

#include "gui/cine/cine_row.h"
#include "gui/docks/save_panel.h"
#include "gui/panels/cine_actions.h"
#include "gui/workspace/tool_bar.h"

namespace echoloop {
namespace {

constexpr Tip kKeepTip = {
    "Keep acquiring", "The stream continues while frozen. Off: the source pauses until you resume.", {}};

constexpr Tip kSaveTip = {"Save", "Images, levels, data, videos and timings.", {}};

Tip save_tip(const PanelContext& c) {
  Tip tip = kSaveTip;
  tip.why_not = why_no_files(c.state);
  return tip;
}

enum class CineTool { keep, compare, picture, record };  // from left to right

constexpr float kMore = 20;  // the part of the image button that opens the save panel

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
  c.state.cine.keep_acquiring = !c.state.cine.keep_acquiring;
  call(c.commands.cine_changed);
}

// Saves the image at once; its right part opens the panel with everything else.
void picture_tool(PanelContext& c, const Rect& r, std::string_view shortcut) {
  Ui& ui = c.ui;
  const Rect left{r.x0, r.y0, r.x1 - ui.px(kMore), r.y1};
  const Rect more{left.x1 + ui.hairline(), r.y0, r.x1, r.y1};
  if (ui.button("picture_button", left, {.label = "Image", .shortcut = shortcut},
                {"Image", "Saves the image on screen with the settings of Save as (S).",
                 why_no_picture(c.state, c.shown_grid)})) {
    call(c.commands.save, SaveWhat::picture);
  }
  if (ui.button("save_menu", more, {}, save_tip(c))) ui.open_popup(kSavePanel);
  ui.chevron(more.cx(), more.cy(), Direction::up, theme::kText2);
}

// Opens the panel, which saves the image too.
void save_icon(PanelContext& c, const Rect& r) {
  Ui& ui = c.ui;
  if (ui.button("save_menu", r, {}, save_tip(c))) ui.open_popup(kSavePanel);
  save_icon(IconPen{ui, std::round(r.cx()), std::round(r.cy()), theme::kText});
}

void record_button(const Row& row, const Rect& r) {
  PanelContext& c = row.c;
  const RecordingView& recording = c.state.saving.recording;
  const Tip tip{recording.on ? "Stop recording" : "Record",
                recording.on ? "Completes the file with all frames processed so far (R)."
                             : "Writes every processed raw frame to a file (R).",
                why_no_record(c.state)};
  const bool icon = row.fit.record == Shown::icon;
  const ButtonLook look{.label = icon           ? ""
                                 : recording.on ? "Stop"
                                                : "Record",
                        .shortcut = row.fit.shortcuts ? "R" : "",
                        .active = recording.on};
  if (c.ui.button("record", r, look, tip)) call(c.commands.toggle_record);
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
    if (c.ui.check_box("keep_acquiring", r, kKeepTip.title, c.state.cine.keep_acquiring, kKeepTip)) toggle_keep(c);
  } else if (tool == CineTool::picture && row.fit.picture == Shown::icon) {
    save_icon(c, r);
  } else if (tool == CineTool::picture) {
    picture_tool(c, r, key("S"));
  } else if (tool == CineTool::record) {
    record_button(row, r);
  } else {
    const Tip tip{"Compare",
                  "Keeps the current settings, or shows another recording, as A; further changes apply to B (X).",
                  why_no_comparison(c.state)};
    const bool on = c.state.cine.compare && tip.why_not.empty();
    if (c.ui.button("compare", r, {.label = "Compare", .shortcut = key("X"), .active = on}, tip)) {
      cine_act(c.state, c.commands, CineAct::compare);
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
  const bool possible = why_no_comparison(c.state).empty();
  if (row.fit.keep == Shown::in_menu) {
    add(Entry::keep, {kKeepTip.title, c.state.cine.keep_acquiring ? "on" : "off"});
  }
  if (row.fit.compare == Shown::in_menu) {
    add(Entry::compare, {"Compare", !possible ? "no frames" : c.state.cine.compare ? "on" : "X"});
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
      return cine_act(c.state, c.commands, CineAct::compare);
    case Entry::picture:
      if (why_no_picture(c.state, c.shown_grid).empty()) call(c.commands.save, SaveWhat::picture);
      return;
    case Entry::save:
      if (why_no_files(c.state).empty()) ui.open_popup(kSavePanel);
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
