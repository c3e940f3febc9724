#include "gui/tool_bar.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "gui/mark_editor.h"
#include "gui/number_text.h"

namespace echoloop {
namespace {

struct Tool {
  MarkTool tool;
  const char* id;
  std::string_view title;
  std::string_view text;
};

constexpr std::array<Tool, 11> kTools = {{
    {MarkTool::pointer, "tool/pointer", "Pointer   Esc",
     "Selects and moves marks; elsewhere, drag to pan. Scroll to zoom, double click to fit."},
    {MarkTool::distance, "tool/distance", "Distance   C", "Click both ends, or drag: length in mm."},
    {MarkTool::angle, "tool/angle", "Angle", "Click the first leg, the vertex and the second leg."},
    {MarkTool::ellipse, "tool/ellipse", "Elliptical region   A",
     "Click both ends of one axis, then the width. The first region is the target, the second the background."},
    {MarkTool::rectangle, "tool/rectangle", "Rectangular region   A",
     "Drag from corner to corner. The first region is the target, the second the background."},
    {MarkTool::circle, "tool/circle", "Circular region   A",
     "Drag from centre to edge. The first region is the target, the second the background."},
    {MarkTool::outline, "tool/outline", "Freehand region   A",
     "Drag along the outline. The first region is the target, the second the background."},
    {MarkTool::profile, "tool/profile", "Profile", "Click both ends, or drag: level profile along the line."},
    {MarkTool::point, "tool/point", "Point", "Click a point target to measure axial and lateral FWHM."},
    {MarkTool::inspect, "tool/inspect", "Inspect",
     "Click or drag to place the pixel of the inspector and the line of M-mode."},
    {MarkTool::gate, "tool/gate", "Doppler gate",
     "Click or drag to place the Doppler gate. Drag the gate ends to change the length."},
}};

// One square button of the row; moves x on.
struct Row {
  PanelContext& c;
  Rect area;
  float x;
  float side, gap;

  Rect next() {
    const Rect r{x, std::round(area.cy() - 0.5F * side), x + side, std::round(area.cy() - 0.5F * side) + side};
    x += side + gap;
    return r;
  }
  void part() {
    c.ui.vertical(x + c.ui.px(3), area.cy() - c.ui.px(9), area.cy() + c.ui.px(9), theme::kLine2);
    x += c.ui.px(7) + gap;
  }
};

struct Pressed {
  bool clicked;
  ImU32 ink;
};

// The ground of a button: as tokens of an active tool say, hover fill and an accent outline.
Pressed square(Ui& ui, const char* id, const Rect& r, bool active, const Tip& tip) {
  const bool enabled = tip.why_not.empty();
  const Hit h = ui.control(id, r);
  ui.tip(id, h, r, tip);
  if ((h.hovered && enabled) || active) ui.fill(r, theme::kHover, theme::kRadius);
  if (active) ui.outline(r, theme::kAccent, theme::kRadius);
  const ImU32 ink = !enabled ? theme::kDisabled : active ? theme::kAccent : h.hovered ? theme::kText : theme::kText2;
  return {h.clicked && enabled, ink};
}

void draw_tools(Row& row) {
  Marks& marks = row.c.state.marks;
  for (const Tool& t : kTools) {
    const Rect r = row.next();
    const Pressed p = square(row.c.ui, t.id, r, marks.tool == t.tool, {t.title, t.text, {}});
    draw_tool_icon(row.c.ui, t.tool, r.cx(), r.cy(), p.ink);
    if (p.clicked) marks.tool = t.tool;
    if (t.tool == MarkTool::pointer || t.tool == MarkTool::angle) row.part();
  }
}

void draw_zoom(Row& row, const PictureLayout& l) {
  Ui& ui = row.c.ui;
  PanZoom& pan_zoom = row.c.state.pan_zoom;
  const double zoom = l.image.width() > 0 ? l.zoom() : 1.0;
  const std::string_view fitted = zoom <= 1.0 ? "The whole image is visible." : "";
  const auto button = [&](const char* id, BarIcon icon, const Tip& tip) {
    const Rect r = row.next();
    const Pressed p = square(ui, id, r, false, tip);
    draw_bar_icon(ui, icon, r.cx(), r.cy(), p.ink);
    return p.clicked && l.image.width() > 0;
  };
  constexpr double kStep = 1.5;
  if (button("zoom/out", BarIcon::zoom_out,
             {"Zoom out", "Zooms out about the centre (scroll to zoom at the pointer).", fitted}))
    pan_zoom = zoomed_about(l, l.image.cx(), l.image.cy(), 1.0 / kStep);
  const float w = ui.px(38);
  const std::string factor = fixed(zoom, zoom < 9.95 ? 1 : 0) + "×";
  ui.text_centred(Type::small, {row.x - row.gap, row.area.y0, row.x - row.gap + w, row.area.y1},
                  zoom > 1.0 ? theme::kText : theme::kMuted, factor);
  row.x += w - row.gap;
  const std::string_view largest = zoom >= kMaxZoom - 1e-6 ? "Maximum zoom reached." : "";
  if (button("zoom/in", BarIcon::zoom_in,
             {"Zoom in", "Zooms in about the centre (scroll to zoom at the pointer).", largest}))
    pan_zoom = zoomed_about(l, l.image.cx(), l.image.cy(), kStep);
  if (button("zoom/fit", BarIcon::fit, {"Fit   F", "Fits the image to the window.", fitted})) pan_zoom = {};
}

void draw_clear(Row& row) {
  Marks& marks = row.c.state.marks;
  const Rect r = row.next();
  const std::string_view none = marks.list.empty() ? "No marks to clear." : "";
  const Pressed p = square(row.c.ui, "marks/clear", r, false, {"Clear", "Removes all marks from the image.", none});
  draw_bar_icon(row.c.ui, BarIcon::clear, r.cx(), r.cy(), p.ink);
  if (p.clicked) clear_marks(marks);
}

// At the right end: what can be opened beside and below the picture; with names where there is room.
void draw_docks(Row& row) {
  Ui& ui = row.c.ui;
  bool& measure = row.c.view.is_open(Panel::measure, row.c.compact);
  struct Entry {
    Dock dock;  // none: the Measure panel
    const char* id;
    std::string_view name;
    BarIcon icon;
    Tip tip;
  };
  const std::array<Entry, 4> entries = {
      {{Dock::none,
        "dock/measure",
        "Measure",
        BarIcon::measure,
        {"Measure", "Values of all marks and the image histogram, on the right.", {}}},
       {Dock::inspector,
        "dock/inspector",
        "Inspector",
        BarIcon::inspector,
        {"Inspector   N", "Channel data and processing of one pixel, below the image.", {}}},
       {Dock::m_mode,
        "dock/m_mode",
        "M-mode",
        BarIcon::m_mode,
        {"M-mode   M", "One image line over time, below the image.", {}}},
       {Dock::sonogram,
        "dock/sonogram",
        "Doppler",
        BarIcon::sonogram,
        {"Spectral Doppler   D", "Velocity spectrum in a gate over time, below the image.", {}}}}};
  float named = row.gap;
  for (const Entry& e : entries) named += row.side + ui.px(8) + ui.width(Type::body, e.name) + row.gap;
  const float right = row.area.x1 - ui.px(10);
  const bool names = row.x + ui.px(16) + named < right;
  float x = right - (names ? named - row.gap : 4 * row.side + 3 * row.gap);
  for (const Entry& e : entries) {
    const float w = names ? row.side + ui.px(8) + ui.width(Type::body, e.name) : row.side;
    const Rect r{x, std::round(row.area.cy() - 0.5F * row.side), x + w, std::round(row.area.cy() + 0.5F * row.side)};
    const bool open = e.dock == Dock::none ? measure : row.c.view.dock == e.dock;
    const Pressed p = square(ui, e.id, r, open, e.tip);
    draw_bar_icon(ui, e.icon, r.x0 + 0.5F * row.side, r.cy(), p.ink);
    if (names) ui.text(Type::body, r.x0 + row.side, r.y0, r.height(), p.ink, e.name);
    if (p.clicked && e.dock == Dock::none) {
      measure = !measure;
    } else if (p.clicked) {
      toggle_dock(row.c.state, row.c.commands, row.c.view, e.dock);
    }
    x += w + row.gap;
  }
}

}  // namespace

void toggle_dock(UiState& state, const UiCommands& commands, ViewSettings& view, Dock dock) {
  const bool open = view.dock == dock;
  view.m_mode_beside = !open && dock == Dock::sonogram && view.has_m_mode();
  view.dock = open ? Dock::none : dock;
  take_inspect_tool(state.marks, view.dock);
  const Gate wanted = open ? Gate::off : Gate::on;
  if (dock != Dock::sonogram || state.params.gate == wanted) return;
  state.params.gate = wanted;
  call(commands.params_changed);
}

void take_inspect_tool(Marks& marks, Dock opened) {
  const bool looks = opened == Dock::inspector || opened == Dock::m_mode;
  if (looks && (marks.tool == MarkTool::pointer || marks.tool == MarkTool::gate)) marks.tool = MarkTool::inspect;
  if (!looks && marks.tool == MarkTool::inspect) marks.tool = MarkTool::pointer;
  if (opened == Dock::sonogram && marks.tool == MarkTool::pointer) marks.tool = MarkTool::gate;
  if (opened == Dock::none && marks.tool == MarkTool::gate) marks.tool = MarkTool::pointer;
}

void draw_tool_bar(PanelContext& c, const Rect& area, const PictureLayout& layout) {
  const float side = c.ui.px(c.compact ? 22 : 28);
  Row row{c, area, area.x0 + c.ui.px(c.compact ? 6 : 12), side, c.ui.px(2)};
  draw_tools(row);
  row.part();
  draw_zoom(row, layout);
  row.part();
  draw_clear(row);
  draw_docks(row);
  c.ui.horizontal(area.x0, area.x1, area.y1 - c.ui.hairline(), theme::kEdge);
}

}  // namespace echoloop
