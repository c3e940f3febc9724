#include "gui/workspace/tool_bar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/state/marks.h"
#include "gui/state/number_text.h"
#include "gui/toolkit/ui.h"

namespace echoloop {
namespace {

// A menu with icons below a button. UI thread only.

struct MenuRow {
  const char* id = "";
  std::function<void(float cx, float cy, ImU32 color)> icon = {};
  std::string_view label = {};
  std::string_view note = {};     // muted, at the right: a key, a state
  std::string_view why_not = {};  // not empty: reason why it is disabled
  bool chosen = false;
  bool parted = false;  // separated by a line above
};

constexpr float kRow = 30, kParted = 9, kPad = 4, kIcon = 24, kLabel = 46, kRight = 8, kNoteGap = 24;

bool draw_row(Ui& ui, const Rect& line, const MenuRow& row) {
  const bool enabled = row.why_not.empty();
  const Hit h = ui.control(row.id, line, FocusKind::line, row.label);
  ui.tip(row.id, h, line, {row.label, {}, row.why_not});
  if (row.chosen || (h.hovered && enabled)) ui.fill(line, row.chosen ? theme::kSelected : theme::kHover, 4);
  const ImU32 ink = !enabled ? theme::kDisabled : row.chosen || h.hovered ? theme::kText : theme::kText2;
  row.icon(line.x0 + ui.px(kIcon), line.cy(), ink);
  ui.text(Type::body, line.x0 + ui.px(kLabel), line.y0, line.height(), enabled ? theme::kText : theme::kDisabled,
          row.label);
  ui.text_right(Type::small, line.x1 - ui.px(kRight), line.y0, line.height(),
                !enabled                  ? theme::kDisabled
                : row.chosen || h.hovered ? theme::kText2
                                          : theme::kMuted,
                row.note);
  return h.clicked && enabled;
}

// Draws the menu `popup`, opened by Ui::open_popup; returns the row chosen in this frame.
std::optional<std::size_t> icon_menu(Ui& ui, const char* popup, const Rect& button, std::span<const MenuRow> rows) {
  if (!ImGui::IsPopupOpen(popup)) return std::nullopt;
  float wide = 0, tall = ui.px(2 * kPad);
  for (const MenuRow& row : rows) {
    const float note = row.note.empty() ? 0 : ui.width(Type::small, row.note) + ui.px(kNoteGap);
    wide = std::max(wide, ui.width(Type::body, row.label) + note);
    tall += ui.px(kRow) + (row.parted ? ui.px(kParted) : 0);
  }
  wide += ui.px(2 * kPad + kLabel + kRight);
  const float most = ImGui::GetIO().DisplaySize.x - wide - ui.px(4);
  const float x0 = std::max(ui.px(4), std::min(button.x0, most));
  const float y0 = button.y1 + ui.px(4);
  if (!ui.begin_popup(popup, {x0, y0, x0 + wide, y0 + tall}, theme::kPanel)) return std::nullopt;
  std::optional<std::size_t> chosen;
  float y = y0 + ui.px(kPad);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].parted) {
      ui.horizontal(x0 + ui.px(10), x0 + wide - ui.px(10), y + ui.px(0.5F * kParted), theme::kLine);
      y += ui.px(kParted);
    }
    const Rect line{x0 + ui.px(kPad), y, x0 + wide - ui.px(kPad), y + ui.px(kRow)};
    if (draw_row(ui, line, rows[i])) chosen = i;
    y += ui.px(kRow);
  }
  if (chosen) ui.close_popup();
  ui.end_popup();
  return chosen;
}

struct Tool {
  MarkTool tool;
  const char* id;
  std::string_view title;
  std::string_view key;
  std::string_view text;
};

constexpr Tool kPointer = {
    MarkTool::pointer, "tool/pointer", "Pointer", "Esc",
    "Selects and moves measurements; elsewhere, drag to pan. Scroll to zoom, double click to fit."};
constexpr Tool kGate = {
    MarkTool::gate, "tool/gate", "Sample volume", "",
    "Click or drag to place the sample volume of spectral Doppler. Drag an end to change the length."};
constexpr std::array<Tool, 3> kLines = {{
    {MarkTool::distance, "tool/distance", "Distance", "C", "Click both ends, or drag: length in mm."},
    {MarkTool::angle, "tool/angle", "Angle", "", "Click the first leg, the vertex and the second leg."},
    {MarkTool::profile, "tool/profile", "Profile along a line", "",
     "Click both ends, or drag: level profile along the line."},
}};
constexpr std::array<Tool, 4> kRegions = {{
    {MarkTool::ellipse, "tool/ellipse", "Elliptical region", "A",
     "Click both ends of one axis, then the width. The first region is the target, the second the background."},
    {MarkTool::rectangle, "tool/rectangle", "Rectangular region", "A",
     "Drag from corner to corner. The first region is the target, the second the background."},
    {MarkTool::circle, "tool/circle", "Circular region", "A",
     "Drag from centre to edge. The first region is the target, the second the background."},
    {MarkTool::outline, "tool/outline", "Freehand region", "A",
     "Drag along the outline. The first region is the target, the second the background."},
}};
constexpr std::array<Tool, 2> kPlaces = {{
    {MarkTool::point, "tool/point", "Point target", "", "Click a point target to measure axial and lateral FWHM."},
    {MarkTool::inspect, "tool/inspect", "Inspect a pixel", "",
     "Click or drag to place the pixel of the inspector and the line of M-mode."},
}};

// Tools of one kind, which share a button without much room.
struct ToolKind {
  const char* id;  // button that opens its menu
  std::string_view title;
  std::span<const Tool> tools;
};
constexpr std::array<ToolKind, kToolKinds> kKinds = {{{"tools/lines", "Lines and angles", kLines},
                                                      {"tools/regions", "Regions", kRegions},
                                                      {"tools/places", "Points", kPlaces}}};

struct View {
  Dock dock = Dock::none;  // none: the Measure panel
  const char* id = "";
  std::string_view name, key, text;
  Icon icon = nullptr;
};
constexpr std::array<View, kBarViews> kViews = [] {
  std::array<View, kBarViews> views;
  views[0] = {
      Dock::none,  "dock/measure", "Measure", "", "Values of all measurements and the image histogram, on the right.",
      measure_icon};
  for (std::size_t i = 0; i < kDocks.size(); ++i) {
    const DockRow& row = kDocks[i];
    views[i + 1] = {row.dock, row.id, row.name, row.key_name, row.text, row.icon};
  }
  return views;
}();

constexpr float kToolSide = 28, kSideCompact = 26, kChevron = 15, kToolGap = 2, kPart = 9, kFactor = 38;
constexpr char kMenu[] = "tools/more/menu";
constexpr std::string_view kWholeImage = "The whole image is visible.";

struct ToolRow {
  PanelContext& c;
  Rect area;
  const ImageLayout& layout;
  float x;
  float side, gap;

  [[nodiscard]] Rect at(float x0, float w) const {
    const float y = std::round(area.cy() - 0.5F * side);
    return {x0, y, x0 + w, y + side};
  }
  Rect next() {
    const Rect r = at(x, side);
    x = r.x1 + gap;
    return r;
  }
  void part() {
    const float middle = x + 0.5F * c.ui.px(kPart) - gap;
    c.ui.vertical(std::round(middle), area.cy() - c.ui.px(9), area.cy() + c.ui.px(9), theme::kLine2);
    x += c.ui.px(kPart);
  }
};

struct Pressed {
  bool clicked;
  bool held;
  ImU32 ink;
};

// Draws a button; active: background as hovered, and an accent outline, `outlined`, around all of its button.
Pressed square(Ui& ui, const char* id, const Rect& r, const Rect& outlined, bool active, const Tip& tip) {
  const bool enabled = tip.why_not.empty();
  const Hit h = ui.control(id, r);
  ui.tip(id, h, r, tip);
  if (active) ui.fill(outlined, theme::kHover, theme::kRadius);
  if (h.hovered && enabled) ui.fill(r, theme::kHover, theme::kRadius);
  if (active) ui.outline(outlined, theme::kAccent, theme::kRadius);
  const ImU32 ink = !enabled ? theme::kDisabled : active ? theme::kAccent : h.hovered ? theme::kText : theme::kText2;
  return {h.clicked && enabled, h.held && enabled, ink};
}

std::string title_of(std::string_view title, std::string_view key) {
  return key.empty() ? std::string(title) : std::string(title) + "   " + std::string(key);
}

Pressed draw_tool(ToolRow& row, const Tool& t, const Rect& r, const Rect& outlined) {
  Marks& marks = row.c.edits.marks;
  const std::string title = title_of(t.title, t.key);
  const Pressed p = square(row.c.ui, t.id, r, outlined, marks.tool == t.tool, {title, t.text, {}});
  draw_tool_icon(row.c.ui, t.tool, r.cx(), r.cy(), p.ink);
  if (p.clicked) marks.tool = t.tool;
  return p;
}

void draw_tool(ToolRow& row, const Tool& t) {
  const Rect r = row.next();
  draw_tool(row, t, r, r);
}

void draw_kind_menu(ToolRow& row, const ToolKind& kind, const Rect& button, const std::string& popup) {
  Marks& marks = row.c.edits.marks;
  const Ui& ui = row.c.ui;
  std::vector<std::string> ids;
  for (const Tool& t : kind.tools) ids.push_back(std::string(kind.id) + "/" + std::string(t.id));
  std::vector<MenuRow> rows;
  for (std::size_t i = 0; i < kind.tools.size(); ++i) {
    const Tool& t = kind.tools[i];
    rows.push_back({.id = ids[i].c_str(),
                    .icon = [&ui, &t](float cx, float cy, ImU32 ink) { draw_tool_icon(ui, t.tool, cx, cy, ink); },
                    .label = t.title,
                    .note = t.key,
                    .chosen = marks.tool == t.tool});
  }
  if (const auto picked = icon_menu(row.c.ui, popup.c_str(), button, rows)) marks.tool = kind.tools[*picked].tool;
}

// Draws the last used tool of its kind, and a chevron; holding the button also opens the menu.
void draw_kind(ToolRow& row, const ToolKind& kind, MarkTool& last) {
  Ui& ui = row.c.ui;
  for (const Tool& t : kind.tools) {
    if (t.tool == row.c.edits.marks.tool) last = t.tool;
  }
  const auto shown = std::find_if(kind.tools.begin(), kind.tools.end(), [&](const Tool& t) { return t.tool == last; });
  const Tool& tool = shown != kind.tools.end() ? *shown : kind.tools.front();
  const Rect face = row.at(row.x, row.side);
  const Rect chevron{face.x1, face.y0, face.x1 + ui.px(kChevron), face.y1};
  const Rect both{face.x0, face.y0, chevron.x1, face.y1};
  const Pressed p = draw_tool(row, tool, face, both);
  const Pressed opens = square(ui, kind.id, chevron, chevron, false, {kind.title, "More tools.", {}});
  ui.chevron(chevron.cx() - ui.px(1), chevron.cy() + ui.px(1), Direction::down, opens.ink);
  constexpr float kHold_s = 0.4F;
  const std::string popup = std::string(kind.id) + "/menu";
  const bool held_long = p.held && ImGui::GetIO().MouseDownDuration[0] >= kHold_s && !ImGui::IsPopupOpen(popup.c_str());
  if (opens.clicked || held_long) ui.open_popup(popup.c_str());
  draw_kind_menu(row, kind, both, popup);
  row.x = both.x1 + row.gap;
}

void draw_tools(ToolRow& row, BarTools tools) {
  draw_tool(row, kPointer);
  row.part();
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (tools != BarTools::apart) {
      draw_kind(row, kKinds[i], row.c.view.transient.tool_of_kind[i]);
    } else {
      for (const Tool& t : kKinds[i].tools) draw_tool(row, t);
    }
  }
  draw_tool(row, kGate);
  row.part();
}

void draw_zoom(ToolRow& row, BarTools tools) {
  Ui& ui = row.c.ui;
  const ImageLayout& l = row.layout;
  PanZoom& pan_zoom = row.c.edits.view.pan_zoom;
  const double zoom = l.image.width() > 0 ? l.zoom() : 1.0;
  const std::string_view fitted = zoom <= 1.0 ? kWholeImage : "";
  const auto button = [&](const char* id, Icon icon, const Tip& tip) {
    const Rect r = row.next();
    const Pressed p = square(ui, id, r, r, false, tip);
    icon({ui, r.cx(), r.cy(), p.ink});
    return p.clicked && l.image.width() > 0;
  };
  constexpr double kStep = 1.5;
  const auto zoomed = [&](double factor) {
    return zoomed_about(with_view(l, pan_zoom), l.image.cx(), l.image.cy(), factor);
  };
  if (button("zoom/out", zoom_out_icon, {"Zoom out", "Zooms out about the centre.", fitted}))
    pan_zoom = zoomed(1.0 / kStep);
  const float w = ui.px(kFactor);
  const std::string factor = fixed(zoom, zoom < 9.95 ? 1 : 0) + "×";
  ui.text_centred(Type::small, {row.x - row.gap, row.area.y0, row.x - row.gap + w, row.area.y1},
                  zoom > 1.0 ? theme::kText : theme::kMuted, factor);
  row.x += w - row.gap;
  const std::string_view largest = zoom >= kMaxZoom - 1e-6 ? "Maximum zoom reached." : "";
  if (button("zoom/in", zoom_in_icon,
             {"Zoom in", "Zooms in about the centre. Scroll to zoom at the pointer.", largest}))
    pan_zoom = zoomed(kStep);
  if (tools != BarTools::apart) return;  // it is in the menu
  if (button("zoom/fit", fit_icon, {"Fit to window   F", "Fits the image to the window.", fitted})) pan_zoom = {};
}

bool is_open(const PanelContext& c, const View& view) {
  return view.dock == Dock::none ? c.view.is_open("measure", c.compact) : c.view.dock == view.dock;
}

void toggle(PanelContext& c, const View& view) {
  if (view.dock != Dock::none) return toggle_dock(c.edits, c.commands, c.view, view.dock);
  bool& open = c.view.is_open("measure", c.compact);
  open = !open;
}

float named_width(const ToolRow& row, const View& view) {
  return row.side + row.c.ui.px(8) + row.c.ui.width(Type::body, view.name);
}

BarSizes sizes_of(const ToolRow& row, float room) {
  const Ui& ui = row.c.ui;
  const auto buttons = [&](int n) { return static_cast<float>(n) * (row.side + row.gap); };
  const float parts = 2 * ui.px(kPart), chevrons = static_cast<float>(kToolKinds) * ui.px(kChevron);
  const float zoom = buttons(2) + ui.px(kFactor) - row.gap;
  int all = 2;
  for (const ToolKind& kind : kKinds) all += static_cast<int>(kind.tools.size());
  BarSizes s{.room = room,
             .tools_apart = buttons(all + 1) + parts + zoom,
             .tools_grouped = buttons(2 + kToolKinds) + parts + chevrons + zoom,
             .tools_least = buttons(2 + kToolKinds) + parts + chevrons,
             .icon = row.side,
             .gap = row.gap,
             .menu = ui.px(32)};
  for (std::size_t i = 0; i < kViews.size(); ++i) {
    s.named[i] = named_width(row, kViews[i]);
    s.open[i] = is_open(row.c, kViews[i]);
  }
  return s;
}

// Draws the menu: views without room, then rare actions, then removal.
void draw_more(ToolRow& row, const Rect& r, const BarFit& fit) {
  PanelContext& c = row.c;
  Ui& ui = c.ui;
  const Pressed p =
      square(ui, "tools/more", r, r, ImGui::IsPopupOpen(kMenu), {"More", "Further views and actions.", {}});
  for (const float dx : {-5.0F, 0.0F, 5.0F}) ui.disc(r.cx() + ui.px(dx), r.cy(), 1.5F, p.ink);
  if (p.clicked) ui.open_popup(kMenu);
  if (!ImGui::IsPopupOpen(kMenu)) return;
  std::vector<MenuRow> rows;
  std::vector<std::function<void()>> acts;
  const auto add = [&](MenuRow menu_row, Icon icon, std::function<void()> act) {
    menu_row.icon = [&ui, icon](float cx, float cy, ImU32 ink) { icon({ui, cx, cy, ink}); };
    rows.push_back(std::move(menu_row));
    acts.push_back(std::move(act));
  };
  for (std::size_t i = 0; i < kViews.size(); ++i) {
    const View& view = kViews[i];
    if (fit.hidden[i]) add({.id = view.id, .label = view.name, .note = view.key}, view.icon, [&] { toggle(c, view); });
  }
  const bool whole = row.layout.image.width() <= 0 || row.layout.zoom() <= 1.0;
  add({.id = "menu/fit",
       .label = "Fit to window",
       .note = "F",
       .why_not = whole ? kWholeImage : "",
       .parted = !rows.empty()},
      fit_icon, [&c] { c.edits.view.pan_zoom = {}; });
  add({.id = "menu/lecture", .label = "Enlarge Timeline and Stream", .note = "Ctrl+L", .parted = true}, enlarge_icon,
      [&c] { c.view.transient.lecture = true; });
  add({.id = "menu/outputs", .label = "Outputs to other programs"}, enlarge_icon,
      [&c] { c.view.transient.outputs = true; });
  for (const OfferedLesson& lesson : c.model.lesson.offered) {
    add({.id = lesson.id.c_str(), .label = lesson.title, .note = "Lesson"}, enlarge_icon,
        [&c, file = lesson.file] { c.commands.send(command::StartLesson{file}); });
  }
  add({.id = "marks/clear",
       .label = "Clear measurements…",
       .note = "can be undone",
       .why_not = c.edits.marks.list.empty() ? "No measurements." : "",
       .parted = true},
      clear_icon, [&c] { clear_marks(c.edits.marks); });
  if (const auto picked = icon_menu(ui, kMenu, r, rows)) acts[*picked]();
}

// Draws at the right end: views that open next to and below the image.
void draw_views(ToolRow& row, float right, const BarFit& fit) {
  PanelContext& c = row.c;
  Ui& ui = c.ui;
  const float menu = ui.px(32);
  draw_more(row, row.at(right - menu, menu), fit);
  right -= menu + row.gap;
  for (std::size_t i = kViews.size(); i-- > 0;) {
    if (fit.hidden[i]) continue;
    const View& view = kViews[i];
    const float w = fit.names ? named_width(row, view) : row.side;
    const Rect r = row.at(right - w, w);
    const std::string title = title_of(view.name, view.key);
    const Pressed p = square(ui, view.id, r, r, is_open(c, view), {title, view.text, {}});
    view.icon({ui, r.x0 + 0.5F * row.side, r.cy(), p.ink});
    if (fit.names) ui.text(Type::body, r.x0 + row.side, r.y0, r.height(), p.ink, view.name);
    if (p.clicked) toggle(c, view);
    right -= w + row.gap;
  }
}

}  // namespace

void draw_tool_bar(PanelContext& c, const Rect& area, const ImageLayout& layout) {
  const float left = area.x0 + c.ui.px(c.compact ? 8 : 12), right = area.x1 - c.ui.px(8);
  ToolRow row{c, area, layout, left, c.ui.px(c.compact ? kSideCompact : kToolSide), c.ui.px(kToolGap)};
  const BarFit fit = fit_tool_bar(sizes_of(row, right - left));
  draw_tools(row, fit.tools);
  if (fit.tools != BarTools::least) draw_zoom(row, fit.tools);
  draw_views(row, right, fit);
  c.ui.horizontal(area.x0, area.x1, area.y1 - c.ui.hairline(), theme::kEdge);
}

float width_of(const BarFit& fit, const BarSizes& s) {
  float w = fit.tools == BarTools::apart     ? s.tools_apart
            : fit.tools == BarTools::grouped ? s.tools_grouped
                                             : s.tools_least;
  for (std::size_t i = 0; i < fit.hidden.size(); ++i) {
    if (!fit.hidden[i]) w += s.gap + (fit.names ? s.named[i] : s.icon);
  }
  return w + s.gap + s.menu;
}

BarFit fit_tool_bar(const BarSizes& s) {
  BarFit fit;
  const auto fits = [&] { return width_of(fit, s) <= s.room; };
  if (fits()) return fit;
  fit.tools = BarTools::grouped;
  for (std::size_t i = fit.hidden.size() - 1; i > 0 && !fits(); --i) fit.hidden[i] = !s.open[i];
  if (!fits()) fit.names = false;
  if (!fits()) fit.tools = BarTools::least;
  return fit;
}

}  // namespace echoloop
