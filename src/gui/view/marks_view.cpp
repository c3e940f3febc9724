#include "gui/view/marks_view.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gui/overlay/mark_drawing.h"
#include "gui/state/mark_shape.h"

namespace echoloop {
namespace {

// Lines run through pixels' centres where they can.
ImVec2 place_of(const ImageLayout& l, PlanePoint p) { return {l.x_px(p.x_m), l.z_px(p.z_m)}; }

void line_with_halo(const Ui& ui, const std::vector<ImVec2>& line, ImU32 color, float thickness) {
  const auto n = static_cast<int>(line.size());
  compat::add_polyline(ui.list(), line.data(), n, theme::kHalo, (thickness + 3) * ui.scale());
  compat::add_polyline(ui.list(), line.data(), n, color, thickness * ui.scale());
}

void handle_box(const Ui& ui, ImVec2 at, ImU32 color) {
  const float a = 3 * ui.scale(), o = 4.5F * ui.scale();
  ui.fill({at.x - o, at.y - o, at.x + o, at.y + o}, theme::kHalo, 2);
  ui.fill({at.x - a, at.y - a, at.x + a, at.y + a}, color, 1);
}

bool ends_are_crosses(MarkKind kind) { return kind == MarkKind::distance || kind == MarkKind::point; }

// A region shows its size only while it is selected or under the pointer: its numbers are in the Measure panel.
enum class Pointed { no, yes };
std::string chip_text(const MarksView& v, const Mark& m, Pointed pointed) {
  const bool looked_at = pointed == Pointed::yes || m.number == v.marks.selected || &m == v.draft;
  return is_region(m.kind) && !looked_at ? "" : mark_value(m, length_decimals(v.layout));
}

ChipWish chip_wish(const MarksView& v, const Mark& m, Pointed pointed) {
  const Ui& ui = v.ui;
  const std::string value = chip_text(v, m, pointed);
  float w = ui.width(Type::badge, mark_label(m)) + ui.px(12);
  if (!value.empty()) w += ui.px(6) + ui.width(Type::badge, value);
  return {&m, w, ui.px(20)};
}

bool in_sight(const ImageLayout& l, const Mark& m) {
  if (m.points.empty()) return false;
  const ImVec2 first = place_of(l, m.points.front());
  Rect box{first.x, first.y, first.x, first.y};
  for (const PlanePoint p : mark_line(m)) {
    const ImVec2 at = place_of(l, p);
    box = {std::min(box.x0, at.x), std::min(box.y0, at.y), std::max(box.x1, at.x), std::max(box.y1, at.y)};
  }
  return box.inset(-1).overlaps(l.image);
}

struct ChipOfMark {
  const Mark* mark;
  PlacedChip place;
};

// Placed as if the pointer were elsewhere, so that none moves away from under it; the one there has more text and grows
// to the right.
std::vector<ChipOfMark> chips_of(const MarksView& v) {
  std::vector<ChipWish> wishes;
  for (const Mark& m : v.marks.list) {
    if (in_sight(v.layout, m)) wishes.push_back(chip_wish(v, m, Pointed::no));
  }
  const std::vector<PlacedChip> placed = place_chips(v.layout, wishes);
  std::vector<ChipOfMark> chips;
  for (std::size_t i = 0; i < wishes.size(); ++i) chips.push_back({wishes[i].mark, placed[i]});
  for (ChipOfMark& chip : chips) {
    if (chip.mark->number != v.marks.hovered) continue;
    Rect& r = chip.place.rect;
    r.x1 = r.x0 + chip_wish(v, *chip.mark, Pointed::yes).width;
    const float beyond = std::min(std::max(r.x1 - v.layout.image.x1 + v.ui.px(2), 0.0F), r.x0 - v.layout.image.x0);
    r.x0 -= beyond, r.x1 -= beyond;
  }
  return chips;
}

enum class ChipLook { plain, lit };

void draw_chip(const MarksView& v, const Mark& m, const PlacedChip& chip, ChipLook look) {
  const Ui& ui = v.ui;
  const Rect& r = chip.rect;
  ui.fill(r, theme::kChip, 4);
  if (look == ChipLook::lit) ui.outline(r, theme::kAccent, 4);
  const Pointed pointed = m.number == v.marks.hovered ? Pointed::yes : Pointed::no;
  const float x = ui.text(Type::badge, r.x0 + ui.px(6), r.y0, r.height(), theme::kAccent, mark_label(m));
  ui.text(Type::badge, x + ui.px(6), r.y0, r.height(), theme::kText, chip_text(v, m, pointed));
}

void draw_leader(const Ui& ui, const PlacedChip& chip) {
  if (!chip.leader) return;
  const ImVec2 foot{static_cast<float>(chip.foot.x), static_cast<float>(chip.foot.y)},
      end{chip.rect.cx(), chip.rect.cy()};
  ui.stroke(foot, end, theme::kHalo, 2.5F);
  ui.stroke(foot, end, theme::kAccent, 1.0F);
}

void draw_mark(const MarksView& v, const Mark& m, bool lit, bool chosen) {
  if (!in_sight(v.layout, m)) return;
  const Ui& ui = v.ui;
  const ImU32 color = lit ? theme::kAccentHover : theme::kAccent;
  std::vector<ImVec2> line;
  for (const PlanePoint p : mark_line(m)) line.push_back(place_of(v.layout, p));
  if (line.size() > 1) line_with_halo(ui, line, color, lit || chosen ? 2.0F : 1.5F);
  if (ends_are_crosses(m.kind)) {
    for (const PlanePoint p : m.points) ui.crosshair(place_of(v.layout, p), 0, 6 * ui.scale(), color);
  }
  if (chosen) {
    for (const PlanePoint p : mark_handles(m)) handle_box(ui, place_of(v.layout, p), theme::kText);
  }
}

constexpr double kGap = 3.0, kLeaderFrom = 10.0, kArm = 6.0;  // pixels at scale 1

}  // namespace

int length_decimals(const ImageLayout& layout) {
  constexpr double kPixelsPerTenth = 1.0;  // from there on a pixel is less than a step of one decimal
  return layout.px_per_mm() * 0.1 > kPixelsPerTenth ? 2 : 1;
}

int chip_at(const MarksView& v, float x, float y) {
  const std::vector<ChipOfMark> chips = chips_of(v);
  for (auto chip = chips.rbegin(); chip != chips.rend(); ++chip) {
    if (chip->place.rect.contains(x, y)) return chip->mark->number;
  }
  return 0;
}

void draw_marks(const MarksView& v) {
  const Rect& image = v.layout.image;
  v.ui.list().PushClipRect({image.x0, image.y0}, {image.x1, image.y1}, true);
  const auto lit = [&](const Mark& m) { return m.number == v.marks.hovered; };
  const auto chosen = [&](const Mark& m) { return m.number == v.marks.selected; };
  for (const Mark& m : v.marks.list) draw_mark(v, m, lit(m), chosen(m));
  const std::vector<ChipOfMark> chips = chips_of(v);
  for (const ChipOfMark& chip : chips) draw_leader(v.ui, chip.place);
  for (const bool above : {false, true}) {  // the one under the pointer may lie over others
    for (const auto& [mark, place] : chips) {
      const ChipLook look = lit(*mark) || chosen(*mark) ? ChipLook::lit : ChipLook::plain;
      if (lit(*mark) == above) draw_chip(v, *mark, place, look);
    }
  }
  if (v.draft != nullptr) {
    draw_mark(v, *v.draft, true, false);
    const ChipWish wish = chip_wish(v, *v.draft, Pointed::no);
    if (v.draft->points.size() > 1) draw_chip(v, *v.draft, {wished_chip(v.layout, wish), {}}, ChipLook::lit);
  }
  v.ui.list().PopClipRect();
}

Rect wished_chip(const ImageLayout& l, const ChipWish& wish) {
  const Mark& m = *wish.mark;
  const Rect& image = l.image;
  const float w = wish.width, h = wish.height, gap = 8 * l.scale, edge = 2 * l.scale;
  const PlanePoint place = label_place(m);
  const float at_x = l.x_px(place.x_m), at_y = l.z_px(place.z_m);
  float x = at_x + gap, y = at_y + gap;
  if (is_region(m.kind)) {
    x = at_x - edge;
    y = at_y - 5 * l.scale - h;
  } else {
    const bool leftwards = m.kind != MarkKind::angle && m.points.back().x_m < m.points.front().x_m - 1e-9;
    if (leftwards || x + w > image.x1) x = at_x - gap - w;
    if (x < image.x0) x = at_x + gap;
    if (y + h > image.y1) y = at_y - gap - h;
  }
  x = std::round(std::clamp(x, image.x0 + edge, std::max(image.x0 + edge, image.x1 - w - edge)));
  y = std::round(std::clamp(y, image.y0 + edge, std::max(image.y0 + edge, image.y1 - h - edge)));
  return {x, y, x + w, y + h};
}

std::vector<PlacedChip> place_chips(const ImageLayout& l, const std::vector<ChipWish>& wishes) {
  const auto scale = static_cast<double>(l.scale);
  const auto canvas = [](const Rect& r) {
    return CanvasRect{static_cast<double>(r.x0), static_cast<double>(r.y0), static_cast<double>(r.x1),
                      static_cast<double>(r.y1)};
  };
  const ImagePlace place{canvas(l.place(l.grid)), l.grid};
  std::vector<LabelledMark> marks;
  for (const ChipWish& wish : wishes) {
    LabelledMark m = labelled(*wish.mark, place, kArm * scale);
    const CanvasRect wished = canvas(wished_chip(l, wish));
    m.half = {0.5 * wished.width(), 0.5 * wished.height()};
    m.wish = CanvasPoint{wished.x0 + m.half.x, wished.y0 + m.half.y};
    marks.push_back(std::move(m));
  }
  std::vector<PlacedChip> chips;
  const auto placed =
      place_labels(marks, canvas(l.image), {}, {.gap = kGap * scale, .leader_from = kLeaderFrom * scale});
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const auto x = static_cast<float>(std::round(placed[i].at.x - marks[i].half.x));
    const auto y = static_cast<float>(std::round(placed[i].at.y - marks[i].half.y));
    chips.push_back({.rect = {x, y, x + wishes[i].width, y + wishes[i].height},
                     .foot = placed[i].foot,
                     .leader = placed[i].leader});
  }
  return chips;
}

}  // namespace echoloop
