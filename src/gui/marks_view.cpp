#include "gui/marks_view.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gui/mark_shape.h"

namespace echoloop {
namespace {

// Lines run through pixels' centres where they can.
ImVec2 place_of(const PictureLayout& l, PlanePoint p) { return {l.x_px(p.x_m), l.z_px(p.z_m)}; }

void line_with_halo(const Ui& ui, const std::vector<ImVec2>& line, ImU32 color, float thickness) {
  const auto n = static_cast<int>(line.size());
  compat::add_polyline(ui.list(), line.data(), n, theme::kHalo, (thickness + 3) * ui.scale());
  compat::add_polyline(ui.list(), line.data(), n, color, thickness * ui.scale());
}

void cross_with_halo(const Ui& ui, ImVec2 at, float arm, float gap, ImU32 color) {
  const float a = arm * ui.scale(), g = gap * ui.scale();
  for (const bool halo : {true, false}) {
    const ImU32 ink = halo ? theme::kHalo : color;
    const float thickness = halo ? 4.5F : 1.5F;
    ui.stroke({at.x - a, at.y}, {at.x - g, at.y}, ink, thickness);
    ui.stroke({at.x + g, at.y}, {at.x + a, at.y}, ink, thickness);
    ui.stroke({at.x, at.y - a}, {at.x, at.y - g}, ink, thickness);
    ui.stroke({at.x, at.y + g}, {at.x, at.y + a}, ink, thickness);
  }
}

void handle_box(const Ui& ui, ImVec2 at, ImU32 color) {
  const float a = 3 * ui.scale(), o = 4.5F * ui.scale();
  ui.fill({at.x - o, at.y - o, at.x + o, at.y + o}, theme::kHalo, 2);
  ui.fill({at.x - a, at.y - a, at.x + a, at.y + a}, color, 1);
}

bool ends_are_crosses(MarkKind kind) { return kind == MarkKind::distance || kind == MarkKind::point; }

// A region says how large it is only while somebody looks at it: its numbers are in the Measure panel.
std::string chip_text(const MarksView& v, const Mark& m) {
  const bool looked_at = m.number == v.marks.hovered || m.number == v.marks.selected || &m == v.draft;
  return is_region(m.kind) && !looked_at ? "" : mark_value(m, length_decimals(v.layout));
}

// Beside the place of the label, turned over where there is no room; always within the picture.
Rect chip_rect(const MarksView& v, const Mark& m) {
  const Ui& ui = v.ui;
  const Rect& image = v.layout.image;
  const std::string value = chip_text(v, m);
  float w = ui.width(Type::badge, mark_label(m)) + ui.px(12);
  if (!value.empty()) w += ui.px(6) + ui.width(Type::badge, value);
  const float h = ui.px(20), gap = ui.px(8);
  const ImVec2 at = place_of(v.layout, label_place(m));
  float x = at.x + gap, y = at.y + gap;
  if (is_region(m.kind)) {
    x = at.x - ui.px(2);
    y = at.y - ui.px(5) - h;
  } else {
    const bool leftwards = m.kind != MarkKind::angle && m.points.back().x_m < m.points.front().x_m - 1e-9;
    if (leftwards || x + w > image.x1) x = at.x - gap - w;
    if (x < image.x0) x = at.x + gap;
    if (y + h > image.y1) y = at.y - gap - h;
  }
  x = std::clamp(x, image.x0 + ui.px(2), std::max(image.x0 + ui.px(2), image.x1 - w - ui.px(2)));
  y = std::clamp(y, image.y0 + ui.px(2), std::max(image.y0 + ui.px(2), image.y1 - h - ui.px(2)));
  return {std::round(x), std::round(y), std::round(x) + w, std::round(y) + h};
}

bool in_sight(const PictureLayout& l, const Mark& m) {
  if (m.points.empty()) return false;
  const ImVec2 first = place_of(l, m.points.front());
  Rect box{first.x, first.y, first.x, first.y};
  for (const PlanePoint p : mark_line(m)) {
    const ImVec2 at = place_of(l, p);
    box = {std::min(box.x0, at.x), std::min(box.y0, at.y), std::max(box.x1, at.x), std::max(box.y1, at.y)};
  }
  return box.inset(-1).overlaps(l.image);
}

void draw_chip(const MarksView& v, const Mark& m, bool lit) {
  const Ui& ui = v.ui;
  const Rect r = chip_rect(v, m);
  ui.fill(r, theme::kChip, 4);
  if (lit) ui.outline(r, theme::kAccent, 4);
  const float x = ui.text(Type::badge, r.x0 + ui.px(6), r.y0, r.height(), theme::kAccent, mark_label(m));
  ui.text(Type::badge, x + ui.px(6), r.y0, r.height(), theme::kText, chip_text(v, m));
}

void draw_mark(const MarksView& v, const Mark& m, bool lit, bool chosen) {
  if (!in_sight(v.layout, m)) return;
  const Ui& ui = v.ui;
  const ImU32 color = lit ? theme::kAccentHover : theme::kAccent;
  std::vector<ImVec2> line;
  for (const PlanePoint p : mark_line(m)) line.push_back(place_of(v.layout, p));
  if (line.size() > 1) line_with_halo(ui, line, color, lit || chosen ? 2.0F : 1.5F);
  if (ends_are_crosses(m.kind)) {
    for (const PlanePoint p : m.points) cross_with_halo(ui, place_of(v.layout, p), 6, 0, color);
  }
  if (chosen) {
    for (const PlanePoint p : mark_handles(m)) handle_box(ui, place_of(v.layout, p), theme::kText);
  }
}

}  // namespace

int length_decimals(const PictureLayout& layout) {
  constexpr double kPixelsPerTenth = 1.0;  // from there on a pixel is less than what one decimal tells apart
  return layout.px_per_mm() * 0.1 > kPixelsPerTenth ? 2 : 1;
}

int chip_at(const MarksView& v, float x, float y) {
  for (auto mark = v.marks.list.rbegin(); mark != v.marks.list.rend(); ++mark) {
    if (in_sight(v.layout, *mark) && chip_rect(v, *mark).contains(x, y)) return mark->number;
  }
  return 0;
}

void draw_marks(const MarksView& v) {
  const Rect& image = v.layout.image;
  v.ui.list().PushClipRect({image.x0, image.y0}, {image.x1, image.y1}, true);
  const auto lit = [&](const Mark& m) { return m.number == v.marks.hovered; };
  const auto chosen = [&](const Mark& m) { return m.number == v.marks.selected; };
  for (const Mark& m : v.marks.list) draw_mark(v, m, lit(m), chosen(m));
  for (const Mark& m : v.marks.list) {
    if (in_sight(v.layout, m)) draw_chip(v, m, lit(m) || chosen(m));
  }
  if (v.draft != nullptr) {
    draw_mark(v, *v.draft, true, false);
    if (v.draft->points.size() > 1) draw_chip(v, *v.draft, true);
  }
  v.ui.list().PopClipRect();
}

}  // namespace echoloop
