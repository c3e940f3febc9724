#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "gui/toolkit/layout.h"
#include "gui/view/analysis_layers.h"
#include "gui/view/m_mode.h"
#include "gui/workspace/image_area.h"
#include "gui/workspace/tool_bar.h"

namespace echoloop {
namespace {

constexpr float kDefault = 262, kDefaultCompact = 186, kLeastDock = 124, kImageWanted = 190, kDockHead = 32;

struct Limits {
  float least, most;
};

// Sets a length at scale 1 by its splitter: dragged, by keys, or back to the default 0.
void use_splitter(const Hit& hit, float& length, float by_mouse, float by_keys, Limits limits) {
  if (hit.held && ImGui::IsMouseDragging(0, 1)) length = std::clamp(by_mouse, limits.least, limits.most);
  if (splitter_by_key(hit) != 0) length = std::clamp(by_keys, limits.least, limits.most);
  if (splitter_reset(hit)) length = 0;
}

}  // namespace

DockArea::DockArea() {
  for (std::size_t i = 0; i < kDocks.size(); ++i) contents_[i] = kDocks[i].make();
}

// Returns a line for the dock's name, without room for more.
Rect DockArea::folded(const Ui& ui, Rect& area) {
  area.y1 -= ui.px(kFolded);
  return {area.x0, area.y1, area.x1, area.y1 + ui.px(kFolded)};
}

Rect DockArea::alone(Ui& ui, const ViewSettings& view, Rect& area) {
  constexpr float kChoice = 40, kWidth = 240;
  const DockRow row = dock_row(view.dock);
  if (std::exchange(alone_of_, view.dock) != view.dock) alone_ = Alone::dock;
  const std::array<Choice, 2> choices = {{{"Image"}, {row.name}}};
  const Rect r{area.x0 + ui.px(12), area.y0 + ui.px(6), area.x0 + ui.px(12 + kWidth), area.y0 + ui.px(6 + theme::kRow)};
  const auto now = ui.segmented("dock_or_image", r, choices, alone_ == Alone::image ? 0 : 1,
                                {choices[1].label, "The window is too narrow for both.", {}});
  if (now) alone_ = *now == 0 ? Alone::image : Alone::dock;
  area.y0 += ui.px(kChoice);
  if (alone_ == Alone::image) return {};
  const Rect whole = area;
  area.x1 = area.x0;
  area.y1 = area.y0;
  return whole;
}

Rect DockArea::beside(Ui& ui, ViewSettings& view, Rect& area, double aspect, int bars) {
  constexpr float kLeast = 340, kLeastShare = 0.37F, kAround = 72, kLeastImage = 96;
  const float room = area.width() / ui.scale(), high = area.height() / ui.scale() - theme::kRulerTop - theme::kCaption;
  const float around = kAround + theme::kColorBar * static_cast<float>(bars);
  const float standard = room - std::max(static_cast<float>(aspect) * high + around, kLeastShare * room);
  if (standard < kLeast) return alone(ui, view, area);
  const float most = std::max(kLeast, room - around - kLeastImage);
  const float width = view.widths.dock > 0 ? std::clamp(view.widths.dock, kLeast, most) : standard;
  const Rect r{std::round(area.x1 - width * ui.scale()), area.y0, area.x1, area.y1};
  const Rect edge{r.x0 - ui.px(4), r.y0 + ui.px(8), r.x0 + ui.px(4), r.y1 - ui.px(8)};
  const Hit hit = ui.control("splitter_dock", edge, FocusKind::slider, "Width");
  if (hit.hovered || hit.held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  const float by_mouse = (area.x1 - ImGui::GetIO().MousePos.x) / ui.scale();
  use_splitter(hit, view.widths.dock, by_mouse, width - splitter_by_key(hit), {kLeast, most});
  area.x1 = r.x0;
  ui.vertical(r.x0, r.y0, r.y1, theme::kEdge);
  return r;
}

Rect DockArea::place(Ui& ui, ViewSettings& view, Rect& area, bool compact, double aspect, int bars) {
  constexpr double kNarrow = 0.8;
  constexpr float kLeastBeside = 260;
  if (view.dock == Dock::none) {
    alone_of_ = Dock::none;
    return {};
  }
  const float room = area.height() / ui.scale();
  if (room < kLeastDock + kImageAreaLeast) return folded(ui, area);  // below a banner in a low window
  if (aspect > 0.0 && aspect < kNarrow && room >= kLeastBeside) return beside(ui, view, area, aspect, bars);
  const float most = std::max(kLeastDock, room - kImageWanted);
  const float wanted = view.dock_height > 0 ? view.dock_height : compact ? kDefaultCompact : kDefault;
  Rect r{area.x0, area.y1 - ui.px(std::clamp(wanted, kLeastDock, most)), area.x1, area.y1};
  const Rect edge{r.x0 + ui.px(8), r.y0 - ui.px(4), r.x1 - ui.px(8), r.y0 + ui.px(4)};
  const Hit hit = ui.control("splitter_dock", edge, FocusKind::slider, "Height");
  if (hit.hovered || hit.held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  const float by_mouse = (area.y1 - ImGui::GetIO().MousePos.y) / ui.scale();
  use_splitter(hit, view.dock_height, by_mouse, r.height() / ui.scale() + splitter_by_key(hit), {kLeastDock, most});
  area.y1 = r.y0;
  return r;
}

void DockArea::draw(const DockScene& scene, const Rect& r) {
  PanelContext& c = scene.c;
  Ui& ui = c.ui;
  const DockRow row = dock_row(c.view.dock);
  ui.horizontal(r.x0, r.x1, r.y0, theme::kEdge);
  const float pad = ui.px(c.compact ? 12 : 16);
  Rect head{r.x0 + pad, r.y0 + ui.px(2), r.x1 - pad, std::min(r.y0 + ui.px(2 + kDockHead), r.y1)};
  head.x0 = ui.text(Type::strong, head, theme::kText, row.title) + ui.px(16);
  const float size = ui.px(22);
  const Rect close{head.x1 - size, head.cy() - 0.5F * size, head.x1, head.cy() + 0.5F * size};
  const std::string title = "Close (" + std::string(row.key_name) + ")";
  const bool closing = ui.icon_button("close_dock", close, {title, row.closing, {}});
  ui.cross(close.cx(), close.cy(), theme::kText2);
  head.x1 = close.x0 - ui.px(12);
  if (r.height() < ui.px(kLeastDock)) {
    DockArea::close();
    constexpr std::string_view kWhy = "no room: enlarge the window or reduce the scale";
    const Rect line{head.x0, r.y0, head.x1, r.y1};
    ui.hit("dock_hidden", line);
    ui.text_fitted(Type::body, line.x0, line.x1, line.y0, line.height(), theme::kMuted, kWhy);
  } else {
    DockArea::close(row.dock);
    const Rect body{r.x0 + pad, head.y1 + ui.px(2), r.x1 - pad, r.y1 - ui.px(8)};
    for (std::size_t i = 0; i < kDocks.size(); ++i) {
      if (kDocks[i].dock == row.dock) contents_[i]->draw(scene, head, body);
    }
  }
  if (closing) toggle_dock(c.edits, c.commands, c.view, c.view.dock);
}

void DockArea::close(Dock but) {
  for (std::size_t i = 0; i < kDocks.size(); ++i) {
    if (kDocks[i].dock != but) contents_[i]->close();
  }
}

void DockArea::choose_presented(PanelContext& c, const Rect& row, std::span<const std::size_t> docks) {
  Ui& ui = c.ui;
  const float width = std::round(row.width() / static_cast<float>(docks.size())), gap = ui.px(4);
  float x = row.x0;
  for (const std::size_t i : docks) {
    const bool first = i == docks.front(), last = i == docks.back();
    const Rect tab{first ? x : x + gap, row.y0, last ? row.x1 : x + width - gap, row.y1};
    const std::string id = "touch/" + std::string(kDocks[i].key_in_file);
    ui.fill(tab, i == presented_ ? theme::kSelected : theme::kField, 8);
    ui.text_centred(Type::large, tab, theme::kText, kDocks[i].name);
    if (ui.control(id.c_str(), tab, FocusKind::button, kDocks[i].name).clicked) presented_ = i;
    x += width;
  }
}

void DockArea::draw_presented(const DockScene& scene, const Rect& area) {
  constexpr float kAllAbove = 1200, kTap = 76;  // at scale 1
  PanelContext& c = scene.c;
  const Ui& ui = c.ui;
  std::vector<std::size_t> docks;
  for (std::size_t i = 0; i < kDocks.size(); ++i) {
    if (contents_[i]->is_presented(c)) docks.push_back(i);
  }
  if (area.height() <= 0 || docks.empty()) return;
  if (docks.size() == 1) {
    const float height = std::min(area.height(), 0.9F * area.width());
    return contents_[docks.front()]->draw_presented(scene, {area.x0, area.y0, area.x1, area.y0 + height});
  }
  if (ImGui::GetIO().DisplaySize.x < ui.px(kAllAbove)) {
    if (std::ranges::find(docks, presented_) == docks.end()) presented_ = docks.front();
    const Rect choice{area.x0, area.y1 - ui.px(kTap), area.x1, area.y1};
    contents_[presented_]->draw_presented(scene, {area.x0, area.y0, area.x1, choice.y0 - ui.px(10)});
    return choose_presented(c, choice, docks);
  }
  const float height = area.height() / static_cast<float>(docks.size());
  for (std::size_t k = 0; k < docks.size(); ++k) {
    const bool first = k == 0, last = k + 1 == docks.size();
    const float y0 = std::round(area.y0 + height * static_cast<float>(k));
    const float y1 = std::round(area.y0 + height * static_cast<float>(k + 1));
    const Rect cell{area.x0, first ? area.y0 : y0 + ui.px(8), area.x1, last ? area.y1 : y1 - ui.px(8)};
    contents_[docks[k]]->draw_presented(scene, cell);
  }
}

void draw_inspected(const Ui& ui, const ImageLayout& l, const Image& image, PlanePoint at, Dock dock) {
  const Rect& r = l.image;
  if (dock == Dock::m_mode && image.grid.nx > 0) return draw_guide(ui, l, m_mode_guide(image.grid, at));
  ui.list().PushClipRect({r.x0, r.y0}, {r.x1, r.y1}, true);
  ui.crosshair({l.x_px(at.x_m), l.z_px(at.z_m)}, ui.px(4), ui.px(12), theme::kAccent, 3.5F);
  ui.list().PopClipRect();
}

}  // namespace echoloop
