#include "gui/dock.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/number_text.h"
#include "gui/plot.h"
#include "gui/splitter.h"
#include "gui/tool_bar.h"

namespace echoloop {
namespace {

constexpr float kDefault = 262, kDefaultCompact = 186, kLeast = 140, kPictureLeast = 190, kHead = 32;

// The labels beside a plot of the dock.
PlotAxis time_axis(double span_s) { return {-span_s, 0.0, "s"}; }

}  // namespace

Rect DockArea::place(Ui& ui, ViewSettings& view, Rect& area, bool compact) const {
  if (view.dock == Dock::none) return {};
  const float room = area.height() / ui.scale();
  const float most = std::max(kLeast, room - kPictureLeast);
  const float wanted = view.dock_height > 0 ? view.dock_height : compact ? kDefaultCompact : kDefault;
  Rect r{area.x0, area.y1 - ui.px(std::clamp(wanted, kLeast, most)), area.x1, area.y1};
  const Hit hit =
      ui.control("splitter_dock", {r.x0, r.y0 - ui.px(4), r.x1, r.y0 + ui.px(4)}, FocusKind::slider, "Height");
  if (hit.hovered || hit.held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  if (hit.held) view.dock_height = std::clamp((area.y1 - ImGui::GetIO().MousePos.y) / ui.scale(), kLeast, most);
  const float by_key = splitter_by_key(hit);
  if (by_key != 0) view.dock_height = std::clamp(r.height() / ui.scale() + by_key, kLeast, most);
  if (splitter_reset(hit)) view.dock_height = 0;
  area.y1 = r.y0;
  return r;
}

void DockArea::draw(PanelContext& c, const Rect& r, const Image& image, const MModeStrip& strip) {
  Ui& ui = c.ui;
  const bool m_mode = c.view.dock == Dock::m_mode;
  ui.horizontal(r.x0, r.x1, r.y0, theme::kEdge);
  const float pad = ui.px(c.compact ? 12 : 16);
  Rect head{r.x0 + pad, r.y0 + ui.px(2), r.x1 - pad, r.y0 + ui.px(2 + kHead)};
  const bool sonogram = c.view.dock == Dock::sonogram;
  const std::string_view name = sonogram ? "Spectral Doppler" : m_mode ? "M-mode" : "Inspector";
  head.x0 = ui.text(Type::strong, head, theme::kText, name) + ui.px(16);
  const float size = ui.px(22);
  const Rect close{head.x1 - size, head.cy() - 0.5F * size, head.x1, head.cy() + 0.5F * size};
  const bool closing = ui.icon_button(
      "close_dock", close,
      {sonogram ? "Close (D)"
       : m_mode ? "Close (M)"
                : "Close (N)",
       sonogram ? "The gate goes, and the picture gets the room back." : "The picture gets the room back.",
       {}});
  ui.cross(close.cx(), close.cy(), theme::kText2);
  head.x1 = close.x0 - ui.px(12);
  const Rect body{r.x0 + pad, head.y1 + ui.px(2), r.x1 - pad, r.y1 - ui.px(8)};
  strip_box_ = {};
  if (sonogram) {
    inspector_.close();
    strip_box_ = sonogram_.draw(c, head, body);
  } else if (m_mode) {
    inspector_.close();
    draw_m_mode(c, head, body, image, strip);
  } else {
    inspector_.draw(c, head, body);
  }
  if (closing) toggle_dock(c.state, c.commands, c.view, c.view.dock);
}

void DockArea::draw_m_mode(PanelContext& c, const Rect& head, const Rect& body, const Image& image,
                           const MModeStrip& strip) {
  Ui& ui = c.ui;
  if (!c.state.inspected || strip.empty()) {
    const bool frozen = c.state.run == RunState::frozen;
    ui.text_centred(Type::body, body, theme::kMuted,
                    !c.state.inspected ? "Choose a line: the inspect tool, then a click on the picture."
                    : frozen           ? "The strip grows with live pictures. Space goes live."
                                       : "Waiting for pictures…");
    return;
  }
  constexpr std::array<double, 3> kSpans = {2.0, 4.0, 8.0};
  constexpr std::array<Choice, 3> kNames = {{{"2 s"}, {"4 s"}, {"8 s"}}};
  const auto chosen = static_cast<int>(std::find(kSpans.begin(), kSpans.end(), span_s_) - kSpans.begin());
  const Rect spans{head.x1 - ui.px(132), head.y0 + ui.px(3), head.x1, head.y1 - ui.px(3)};
  if (const auto now = ui.segmented("m_mode_span", spans, kNames, chosen,
                                    {"Time across the strip", "By the time at which frames were acquired.", {}})) {
    span_s_ = kSpans[static_cast<std::size_t>(*now)];
  }
  const Grid& grid = image.grid;
  const double place = grid.place(c.state.inspected->x_m, c.state.inspected->z_m).column;
  const int column = std::clamp(static_cast<int>(std::lround(place)), 0, std::max(grid.nx - 1, 0));
  const std::string line = grid.polar() ? "line at " + signed_fixed(grid.angle_rad(column) * 57.29578, 1) + "°"
                                        : "line at x " + fixed(1e3 * grid.x_m(column), 2) + " mm";
  ui.text_fitted(Type::body, head.x0, spans.x0 - ui.px(12), head.y0, head.height(), theme::kText2, line);
  const Plot plot =
      draw_plot(ui, {body.x0, body.y0 - ui.px(12), body.x1, body.y1},
                {{}, time_axis(span_s_), {1e3 * strip.first_m(), 1e3 * strip.last_m(), "mm"}, PlotGround::none});
  strip_box_ = plot.box;
  // Frozen: where on the strip the picture above is.
  if (c.state.run != RunState::frozen) return;
  if (const auto age = strip.age_s(image.stamp)) draw_cursor(ui, plot, -*age);
}

void draw_inspected(const Ui& ui, const PictureLayout& l, const Image& image, PlanePoint at, Dock dock) {
  const Rect& r = l.image;
  ui.list().PushClipRect({r.x0, r.y0}, {r.x1, r.y1}, true);
  const ImVec2 p{l.x_px(at.x_m), l.z_px(at.z_m)};
  if (dock == Dock::m_mode && image.grid.nx > 0) {
    const Grid& g = image.grid;
    const int column = std::clamp(static_cast<int>(std::lround(g.place(at.x_m, at.z_m).column)), 0, g.nx - 1);
    const PlanePoint first = g.point(column, 0), last = g.point(column, g.nz - 1);
    const ImVec2 a{l.x_px(first.x_m), l.z_px(first.z_m)}, b{l.x_px(last.x_m), l.z_px(last.z_m)};
    ui.stroke(a, b, theme::kHalo, 3);
    ui.stroke(a, b, theme::rgb(0x4CC3E0, 200), 1);
  } else {
    const float gap = ui.px(4), reach = ui.px(12);
    for (const auto& [thickness, color] : {std::pair{3.5F, theme::kHalo}, std::pair{1.5F, theme::kAccent}}) {
      ui.stroke({p.x - reach, p.y}, {p.x - gap, p.y}, color, thickness);
      ui.stroke({p.x + gap, p.y}, {p.x + reach, p.y}, color, thickness);
      ui.stroke({p.x, p.y - reach}, {p.x, p.y - gap}, color, thickness);
      ui.stroke({p.x, p.y + gap}, {p.x, p.y + reach}, color, thickness);
    }
  }
  ui.list().PopClipRect();
}

}  // namespace echoloop
