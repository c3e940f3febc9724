#include "gui/workspace/dock.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "gui/toolkit/splitter.h"
#include "gui/view/gate_hand.h"
#include "gui/workspace/tool_bar.h"

namespace echoloop {
namespace {

constexpr float kDefault = 262, kDefaultCompact = 186, kLeastDock = 124, kImageWanted = 190, kDockHead = 32;

}  // namespace

// One line that names it, where there is no room for more.
Rect DockArea::folded(const Ui& ui, Rect& area) {
  area.y1 -= ui.px(kFolded);
  return {area.x0, area.y1, area.x1, area.y1 + ui.px(kFolded)};
}

Rect DockArea::place(Ui& ui, ViewSettings& view, Rect& area, bool compact) const {
  if (view.dock == Dock::none) return {};
  const float room = area.height() / ui.scale();
  if (room < kLeastDock + kImageAreaLeast) return folded(ui, area);  // below a banner in a low window
  const float most = std::max(kLeastDock, room - kImageWanted);
  const float wanted = view.dock_height > 0 ? view.dock_height : compact ? kDefaultCompact : kDefault;
  Rect r{area.x0, area.y1 - ui.px(std::clamp(wanted, kLeastDock, most)), area.x1, area.y1};
  const Rect edge{r.x0 + ui.px(8), r.y0 - ui.px(4), r.x1 - ui.px(8), r.y0 + ui.px(4)};
  const Hit hit = ui.control("splitter_dock", edge, FocusKind::slider, "Height");
  if (hit.hovered || hit.held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  if (hit.held) view.dock_height = std::clamp((area.y1 - ImGui::GetIO().MousePos.y) / ui.scale(), kLeastDock, most);
  const float by_key = splitter_by_key(hit);
  if (by_key != 0) view.dock_height = std::clamp(r.height() / ui.scale() + by_key, kLeastDock, most);
  if (splitter_reset(hit)) view.dock_height = 0;
  area.y1 = r.y0;
  return r;
}

void DockArea::draw(PanelContext& c, const Rect& r, const Image& image, const MModeStrip& strip) {
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
    draw_content(c, head, {r.x0 + pad, head.y1 + ui.px(2), r.x1 - pad, r.y1 - ui.px(8)}, image, strip);
  }
  if (closing) toggle_dock(c.state, c.commands, c.view, c.view.dock);
}

void DockArea::draw_content(PanelContext& c, const Rect& head, const Rect& body, const Image& image,
                            const MModeStrip& strip) {
  boxes_ = {};
  if (c.view.dock != Dock::inspector) inspector_.close();
  switch (c.view.dock) {
    case Dock::inspector:
      return inspector_.draw(c, head, body);
    case Dock::m_mode:
      boxes_.m_mode = m_mode_.draw(c, head, body, image, strip);
      break;
    case Dock::sonogram:
      boxes_.sonogram = sonogram_.draw(c, head, body);
      break;
    case Dock::none:
      break;
  }
}

StripBoxes DockArea::draw_presented(PanelContext& c, const Rect& area, const Image& image, const MModeStrip& strip) {
  constexpr float kTwoAbove = 1200, kTap = 76;  // at scale 1
  Ui& ui = c.ui;
  StripBoxes boxes;
  const bool m_mode = c.view.has_m_mode(), sonogram = c.state.params.doppler.gate != Gate::off;
  if (area.height() <= 0 || !(m_mode || sonogram)) return boxes;
  if (m_mode != sonogram) {
    const Rect middle{area.x0, area.y0, area.x1, area.y0 + std::min(area.height(), 0.9F * area.width())};
    if (m_mode) boxes.m_mode = m_mode_.draw_presented(c, middle, image, strip);
    if (sonogram) boxes.sonogram = sonogram_.draw_presented(c, middle);
    return boxes;
  }
  if (ImGui::GetIO().DisplaySize.x < ui.px(kTwoAbove)) {
    const Rect choice{area.x0, area.y1 - ui.px(kTap), area.x1, area.y1};
    const Rect body{area.x0, area.y0, area.x1, choice.y0 - ui.px(10)};
    if (presents_sonogram_) boxes.sonogram = sonogram_.draw_presented(c, body);
    if (!presents_sonogram_) boxes.m_mode = m_mode_.draw_presented(c, body, image, strip);
    const float half = std::round(0.5F * choice.width());
    const auto tab = [&](const char* id, const Rect& r, std::string_view label, bool chosen) {
      ui.fill(r, chosen ? theme::kSelected : theme::kField, 8);
      ui.text_centred(Type::large, r, theme::kText, label);
      return ui.control(id, r, FocusKind::button, label).clicked;
    };
    const float gap = ui.px(4);
    if (tab("touch/m_mode", {choice.x0, choice.y0, choice.x0 + half - gap, choice.y1}, "M-mode", !presents_sonogram_)) {
      presents_sonogram_ = false;
    }
    if (tab("touch/sonogram", {choice.x0 + half + gap, choice.y0, choice.x1, choice.y1}, "Doppler",
            presents_sonogram_)) {
      presents_sonogram_ = true;
    }
    return boxes;
  }
  const float middle = std::round(area.cy());
  boxes.m_mode = m_mode_.draw_presented(c, {area.x0, area.y0, area.x1, middle - ui.px(8)}, image, strip);
  boxes.sonogram = sonogram_.draw_presented(c, {area.x0, middle + ui.px(8), area.x1, area.y1});
  return boxes;
}

void draw_inspected(const Ui& ui, const PictureLayout& l, const Image& image, PlanePoint at, Dock dock) {
  const Rect& r = l.image;
  if (dock == Dock::m_mode && image.grid.nx > 0) return draw_guide(ui, l, m_mode_guide(image.grid, at));
  const ImVec2 p{l.x_px(at.x_m), l.z_px(at.z_m)};
  const float gap = ui.px(4), reach = ui.px(12);
  ui.list().PushClipRect({r.x0, r.y0}, {r.x1, r.y1}, true);
  for (const auto& [thickness, color] : {std::pair{3.5F, theme::kHalo}, std::pair{1.5F, theme::kAccent}}) {
    ui.stroke({p.x - reach, p.y}, {p.x - gap, p.y}, color, thickness);
    ui.stroke({p.x + gap, p.y}, {p.x + reach, p.y}, color, thickness);
    ui.stroke({p.x, p.y - reach}, {p.x, p.y - gap}, color, thickness);
    ui.stroke({p.x, p.y + gap}, {p.x, p.y + reach}, color, thickness);
  }
  ui.list().PopClipRect();
}

}  // namespace echoloop
