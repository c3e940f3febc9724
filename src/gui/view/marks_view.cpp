#include "gui/view/marks_view.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gui/overlay/mark_drawing.h"
#include "gui/state/marks.h"

namespace echoloop {
namespace {

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

// Returns the text; a region's size only if selected or under the pointer, as the Measure panel has its values.
enum class Pointed { no, yes };
std::string chip_text(const MarksView& v, const Mark& m, Pointed pointed) {
  const bool looked_at = pointed == Pointed::yes || m.number == v.marks.selected || &m == v.draft;
  return is_region(m.kind) && !looked_at ? "" : mark_value(m, length_decimals(v.layout));
}

ChipWish chip_wish(const MarksView& v, const Mark& m, Pointed pointed) {
  const Ui& ui = v.ui;
  const std::string value = chip_text(v, m, pointed);
  float w = ui.width(v.letters, mark_label(m)) + ui.px(12);
  if (!value.empty()) w += ui.px(6) + ui.width(v.letters, value);
  return {&m, w, ui.px(v.letters == Type::badge ? 20 : 26)};
}

// Returns the measured peak of a point mark, as long as it is that of its position; else the position.
PlanePoint peak_of(const MarksView& v, const Mark& m, PlanePoint p) {
  if (v.measured == nullptr || m.kind != MarkKind::point) return p;
  const auto point = std::ranges::find(v.measured->points, m.number, &MeasuredPoint::mark);
  if (point == v.measured->points.end() || !point->spread) return p;
  const bool same = point->at.x_m == p.x_m && point->at.z_m == p.z_m;
  return same ? PlanePoint{point->spread->peak.x_m, point->spread->peak.z_m} : p;
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

// Places the chips as if the pointer were elsewhere, so that none moves away from it; the chip under it has more text
// and grows to the right.
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
  const float x = ui.text(v.letters, r.x0 + ui.px(6), r.y0, r.height(), theme::kAccent, mark_label(m));
  ui.text(v.letters, x + ui.px(6), r.y0, r.height(), theme::kText, chip_text(v, m, pointed));
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
    for (const PlanePoint p : m.points) ui.crosshair(place_of(v.layout, peak_of(v, m, p)), 0, 6 * ui.scale(), color);
  }
  if (chosen) {
    for (const PlanePoint p : mark_handles(m)) handle_box(ui, place_of(v.layout, p), theme::kText);
  }
}

constexpr double kGap = 3.0, kLeaderFrom = 10.0, kArm = 6.0;  // pixels at scale 1

}  // namespace

int length_decimals(const ImageLayout& layout) {
  constexpr double kPixelsPerTenth = 1.0;  // beyond this a pixel is smaller than a step of one decimal
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
  for (const bool above : {false, true}) {  // the one under the pointer may cover others
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
    const bool leftwards = m.kind != MarkKind::angle && (m.points.back().x_m - m.points.front().x_m) * l.way() < -1e-9;
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
  const ImagePlace place{canvas(l.place(l.grid)), l.grid, l.mirrored};
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

namespace {

constexpr double kHistogramLow_db = -100.0;
constexpr int kHistogramBins = 120;  // bins of 1 dB

bool is_measured(const Mark& mark) {
  return is_region(mark.kind) || mark.kind == MarkKind::point || mark.kind == MarkKind::profile;
}

bool equal(const Mark& a, const Mark& b) {
  return a.number == b.number && a.kind == b.kind && a.role == b.role && a.pair == b.pair &&
         std::equal(a.points.begin(), a.points.end(), b.points.begin(), b.points.end(),
                    [](PlanePoint p, PlanePoint q) { return p.x_m == q.x_m && p.z_m == q.z_m; });
}

}  // namespace

bool Measuring::has_work(const Marks& marks) { return std::any_of(marks.list.begin(), marks.list.end(), is_measured); }

void Measuring::remember(Measured& m, double now_s) {
  const double late_s = now_s - next_step_s_;
  const int steps = late_s < 0.0 ? 0 : static_cast<int>(std::min<double>(kTrendSteps, 1.0 + late_s / kTrendStep_s));
  if (steps > 0) next_step_s_ = now_s + kTrendStep_s - std::fmod(std::max(late_s, 0.0), kTrendStep_s);
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  std::map<std::string, Trend> kept;
  for (MeasuredValue& v : m.values) {
    const std::string key = v.object + "/" + v.quantity;
    const auto found = trends_.find(key);
    Trend trend = found != trends_.end() ? std::move(found->second) : Trend{std::vector<float>(kTrendSteps, kNone)};
    if (steps > 0) {
      std::rotate(trend.values.begin(), trend.values.begin() + steps, trend.values.end());
      std::fill(trend.values.end() - steps, trend.values.end(),
                found != trends_.end() ? static_cast<float>(trend.value) : kNone);
    }
    trend.value = v.value;
    trend.values.back() = static_cast<float>(v.value);
    v.trend = trend.values;
    kept.emplace(key, std::move(trend));
  }
  trends_ = std::move(kept);
}

void Measuring::update(Measured& m, const Marks& marks, LevelReader& levels, HistogramUse histogram, double now_s) {
  const bool looked_at = histogram == HistogramUse::yes;
  if (!has_work(marks) && !looked_at && !levels.shows_mask()) {
    m = {};
    trends_.clear();
    pixels_.clear();
    measured_marks_.clear();
    return;
  }
  const LevelImage& picture = levels.ask();
  if (picture.number == 0 || shows_weight(levels.image().params.formation)) {  // weights are no levels
    m = {};
    return;
  }
  const bool same_picture = m.image.number == levels.image().number && m.image.ready_ns == levels.image().ready_ns &&
                            m.image.grid == levels.image().grid;
  const bool same_marks =
      std::equal(marks.list.begin(), marks.list.end(), measured_marks_.begin(), measured_marks_.end(), equal);
  const bool finer = std::exchange(m.fine_came, false);
  m.image = levels.image();
  if (!same_picture || !same_marks || finer) measure_marks(m, marks, picture, pixels_);
  if (!looked_at) {
    m.histogram.reset();
  } else if (!same_picture || !m.histogram) {
    m.histogram = LevelHistogram{.first_db = kHistogramLow_db, .step_db = 1.0};
    count_levels(picture.db, kHistogramBins, *m.histogram);
  }
  if (!same_marks) measured_marks_ = marks.list;
  if (!same_picture || !same_marks || finer || now_s >= next_step_s_) remember(m, now_s);
}

void Measuring::compare(Measured& m, const Measured& a, const Marks& marks, LevelReader& levels,
                        LevelReader& levels_a) {
  const bool both = m.image.number != 0 && a.image.number != 0;
  if (!both || !changed_by_method(m.image.params) || changed_by_method(a.image.params)) return clear_slopes(m);
  if (!m.scatters.empty() && same_picture(a.image, against_)) return;  // a new image of B has none yet
  against_ = a.image;
  measure_slopes(m, marks, levels.ask(), levels_a.ask(), pixels_);
}

}  // namespace echoloop
