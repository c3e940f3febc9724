// Plots of the Measure panel: levels over millimetres, trends over the last 30 s, and the levels of a method over those
// of delay-and-sum.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gui/gl/surface.h"
#include "gui/overlay/mark_drawing.h"
#include "gui/panels/cine_actions.h"
#include "gui/panels/panels.h"
#include "gui/state/number_text.h"
#include "gui/view/image_view.h"

namespace echoloop {
namespace {

constexpr float kAxisLeft = 26, kAxisBottom = 16;

struct Range {
  double low = 0, high = 0;
  bool known = false;
  void add(double value) {
    if (!std::isfinite(value)) return;
    low = known ? std::min(low, value) : value;
    high = known ? std::max(high, value) : value;
    known = true;
  }
};

// Scales to the range of both, but at least to a hundredth of the value: noise of the last digit is no trend.
void trend_box(const Ui& ui, const Rect& box, const MeasuredValue* first, const MeasuredValue* second) {
  ui.fill(box, theme::kCanvas, 2);
  Range range;
  for (const MeasuredValue* v : {first, second}) {
    if (v == nullptr) continue;
    for (const float value : v->trend) range.add(static_cast<double>(value));
  }
  if (!range.known) return;
  const double least = std::max(0.01 * std::max(std::abs(range.low), std::abs(range.high)), 1e-6);
  const double middle = 0.5 * (range.low + range.high), span = std::max(range.high - range.low, least);
  const Plot plot{box.inset(ui.px(2)), {0, kTrendSteps - 1, {}}, {middle + 0.5 * span, middle - 0.5 * span, {}}};
  if (second != nullptr) draw_curve(ui, plot, second->trend, 0.0, 1.0, theme::kMuted);
  if (first != nullptr) draw_curve(ui, plot, first->trend, 0.0, 1.0, theme::kAccent);
}

std::string trend_text(const MeasuredValue* value, int decimals) {
  Range range;
  if (value != nullptr) {
    for (const float v : value->trend) range.add(static_cast<double>(v));
  }
  return range.known ? " Last 30 s: " + fixed(range.low, decimals) + " to " + fixed(range.high, decimals) + "." : "";
}

constexpr float kScatterHeight = 150;
constexpr double kLinearWithin = 0.1;  // from slope 1: the dynamic range counts as unchanged

std::string slope_sentence(double slope) {
  if (std::abs(slope - 1.0) <= kLinearWithin) return "Dynamic range is unchanged.";
  return fmt::format("1 dB of delay-and-sum becomes {} dB: the dynamic range is {}.", fixed(slope, 2),
                     slope > 1.0 ? "stretched" : "compressed");
}

// Returns an axis rounded outwards to multiples of 10 dB.
PlotAxis tens(const std::vector<ScatterPoint>& points, float ScatterPoint::*level_db, std::string_view unit) {
  const auto [low, high] = std::ranges::minmax(points, {}, level_db);
  return {.first = 10.0 * std::floor(0.1 * static_cast<double>(low.*level_db)),
          .last = 10.0 * std::floor(0.1 * static_cast<double>(high.*level_db) + 1.0),
          .unit = unit};
}

void draw_dashes(const Ui& ui, const Plot& plot) {
  constexpr int kDashes = 40;
  const double step = (plot.x.last - plot.x.first) / kDashes;
  for (int i = 0; i < kDashes; ++i) {
    const double from = plot.x.first + step * i, to = from + 0.55 * step;
    const ImVec2 ends[] = {plot.px(from, from), plot.px(to, to)};
    if (plot.box.contains(ends[0].x, ends[0].y) && plot.box.contains(ends[1].x, ends[1].y)) {
      draw_curve(ui, plot, ends, theme::kText2, 1);
    }
  }
}

void draw_points(const Ui& ui, const Plot& plot, const std::vector<ScatterPoint>& points) {
  const float half = 0.75F * ui.scale();
  for (const ScatterPoint& p : points) {
    const ImVec2 at = plot.px(static_cast<double>(p.das_db), static_cast<double>(p.method_db));
    ui.fill({at.x - half, at.y - half, at.x + half, at.y + half},
            p.role == RegionRole::background ? theme::kMuted : theme::kHistoryBefore, 0);
  }
}

void legend_row(PanelContext& c, Column& column, const MeasuredScatter& scatter) {
  const Ui& ui = c.ui;
  const Rect r = ui.row(column, 18, 0);
  float x = r.x0;
  const auto word = [&](RegionRole role, ImU32 color, std::string_view text) {
    if (std::ranges::none_of(scatter.points, [&](const ScatterPoint& p) { return p.role == role; })) return;
    ui.fill({x, r.cy() - ui.px(3), x + ui.px(6), r.cy() + ui.px(3)}, color, 1);
    x = ui.text(Type::small, x + ui.px(10), r.y0, r.height(), theme::kText2, text) + ui.px(12);
  };
  word(RegionRole::target, theme::kHistoryBefore, "target");
  word(RegionRole::background, theme::kMuted, c.compact ? "backgr." : "background");
  const std::string fit = "r\u00B2 " + fixed(scatter.line.r_squared, 2);
  ui.text_right(Type::small, r.x1, r.y0, r.height(), theme::kText2, fit);
}

}  // namespace

Plot draw_plot_frame(const Ui& ui, const Rect& outer, const PlotAxis& x, const PlotAxis& y) {
  const Plot plot{{outer.x0 + ui.px(kAxisLeft), outer.y0, outer.x1, outer.y1 - ui.px(kAxisBottom)}, x, y};
  const Rect& box = plot.box;
  ui.fill(box, theme::kCanvas, 2);
  const auto step = [&](const PlotAxis& axis, float least, float length) {
    return round_up_125(std::abs(axis.last - axis.first) * static_cast<double>(ui.px(least) / length));
  };
  y.each_tick(step(y, 22, box.height()), [&](double value, const std::string& text) {
    const float at = std::round(plot.y_px(value));
    ui.horizontal(box.x0, box.x1, std::min(at, box.y1 - ui.hairline()), theme::kFaintLine);
    const float text_y = std::clamp(at - ui.px(7), box.y0 - ui.px(2), box.y1 - ui.px(11));
    ui.text_right(Type::small, box.x0 - ui.px(4), text_y, ui.px(14), theme::kMuted, text);
  });
  const float unit_x = box.x1 - ui.width(Type::small, x.unit);
  ui.text(Type::small, unit_x, box.y1 + ui.px(2), ui.px(14), theme::kMuted, x.unit);
  x.each_tick(step(x, 40, box.width()), [&](double value, const std::string& text) {
    const float at = std::round(plot.x_px(value));
    ui.vertical(std::min(at, box.x1 - ui.hairline()), box.y0, box.y1, theme::kFaintLine);
    const float w = ui.width(Type::small, text);
    const float text_x = std::max(box.x0, std::round(at - 0.5F * w));
    if (text_x + w > unit_x - ui.px(4)) return;
    ui.text(Type::small, text_x, box.y1 + ui.px(2), ui.px(14), theme::kMuted, text);
  });
  return plot;
}

void block_head(PanelContext& c, Column& column, const std::string& title, std::string_view note,
                std::string_view help) {
  Ui& ui = c.ui;
  const Rect r = ui.row(column, 22, 0);
  std::string shown = title;
  if (!shown.empty() && shown[0] >= 'a' && shown[0] <= 'z') shown[0] = static_cast<char>(shown[0] - 'a' + 'A');
  const std::string id = "measure/" + title;
  const Hit h = ui.hit(id.c_str(), r);
  if (!help.empty()) ui.tip(id.c_str(), h, r, {shown, help, {}});
  const float end = ui.text(Type::strong, r, theme::kText, shown);
  const float left = std::max(end + ui.px(8), r.x1 - ui.width(Type::small, note));
  ui.text_fitted(Type::small, left, r.x1 + 1, r.y0, r.height(), theme::kMuted, note);
}

TableColumns table_columns(const PanelContext& c, const Column& column) {
  const auto at = [&](float wide, float compact) { return column.x0 + c.ui.px(c.compact ? compact : wide); };
  return {at(146, 120), at(222, 172), at(234, 180), column.x1};
}

void table_row(PanelContext& c, Column& column, const TableRow& row) {
  Ui& ui = c.ui;
  const Rect r = ui.row(column, 20, 0);
  const TableColumns at = table_columns(c, column);
  const MeasuredValue* any = row.first != nullptr ? row.first : row.second;
  if (any != nullptr) {
    const std::string id = "measure/" + any->object + "/" + any->quantity;
    ui.hit(id.c_str(), r, {row.label, std::string(row.help) + trend_text(row.first, row.decimals), {}});
  }
  const float end = ui.text(Type::body, r, theme::kText2, row.label);
  ui.text(Type::small, end + ui.px(4), r.y0, r.height(), theme::kMuted, row.unit);
  const bool across = row.place == NumberPlace::across;
  const auto number = [&](float right, const MeasuredValue* value) {
    if (value == nullptr) return;
    const std::string text = fixed(value->value, row.decimals);
    const Type type = across ? Type::strong : Type::body;
    const bool low = value->value < row.least;
    ui.text_right(type, right, r.y0, r.height(), low ? theme::kWarn : theme::kText, text);
    if (low) ui.disc(right - ui.width(type, text) - ui.px(7), r.cy(), 2.5F, theme::kWarn);
  };
  number(across ? at.value1 : at.value0, row.first);
  number(at.value1, row.second);
  trend_box(ui, {at.trend0, r.y0 + ui.px(2), at.trend1, r.y1 - ui.px(2)}, row.first, row.second);
}

void scatter_block(PanelContext& c, Column& column, const std::string& object) {
  const auto& all = c.edits.measured.scatters;
  const auto scatter = std::ranges::find(all, object, &MeasuredScatter::object);
  if (scatter == all.end() || !std::isfinite(scatter->line.slope)) return;
  Ui& ui = c.ui;
  ui.paragraph_row(column, 18, theme::kMuted, slope_sentence(scatter->line.slope));
  const Rect area = ui.row(column, kScatterHeight, 2);
  PlotAxis y = tens(scatter->points, &ScatterPoint::method_db, {});
  std::swap(y.first, y.last);
  const Plot plot = draw_plot_frame(ui, area, tens(scatter->points, &ScatterPoint::das_db, "A, dB"), y);
  draw_points(ui, plot, scatter->points);
  draw_dashes(ui, plot);
  const auto at = [&](double das_db) {
    return plot.px(das_db, scatter->line.intercept_db + scatter->line.slope * das_db);
  };
  const ImVec2 line[] = {at(plot.x.first), at(plot.x.last)};
  ui.list().PushClipRect({plot.box.x0, plot.box.y0}, {plot.box.x1, plot.box.y1}, true);
  ui.stroke(line[0], line[1], theme::kAccent, 1.5F);
  ui.list().PopClipRect();
  ui.text(Type::small, plot.box.x0 + ui.px(4), plot.box.y0 + ui.px(2), ui.px(14), theme::kMuted, "B, dB");
  const std::string id = "scatter/" + object;
  ui.hit(id.c_str(), area,
         {"Method against delay-and-sum",
          "Level of each pixel in B over its level in A (at most 1 000 points). Blue: regression of all pixels; its "
          "slope is 1 where a method keeps the dynamic range. Dashed: equal levels. After Rindal et al. 2019.",
          {}});
  legend_row(c, column, *scatter);
}

// Histogram of the image's levels, with the display window over it: its ends and the part between them can be dragged.

namespace {

constexpr double kLow_db = -90.0, kHigh_db = 10.0;
constexpr float kLevelsHeight = 96;

float x_of(const Rect& box, double db) {
  return box.x0 + static_cast<float>(std::clamp((db - kLow_db) / (kHigh_db - kLow_db), 0.0, 1.0)) * box.width();
}

WindowGrip nearest_limit(const Ui& ui, const Rect& box, const DisplayWindow& w, float x) {
  const float to_top = std::abs(x - x_of(box, w.top_db)), to_bottom = std::abs(x - x_of(box, w.bottom_db));
  if (std::min(to_top, to_bottom) <= ui.px(8)) return to_top <= to_bottom ? WindowGrip::top : WindowGrip::bottom;
  return WindowGrip::middle;
}

void draw_bars(const Ui& ui, const Rect& box, const LevelHistogram& h, const DisplayWindow& w) {
  double most = 1.0;
  for (const std::uint32_t count : h.counts) most = std::max(most, static_cast<double>(count));
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    const double from = h.first_db + static_cast<double>(i) * h.step_db, to = from + h.step_db;
    if (h.counts[i] == 0 || to <= kLow_db || from >= kHigh_db) continue;
    const bool inside = from >= w.bottom_db - 1e-6 && to <= w.top_db + 1e-6;
    const float height = std::max(1.0F, static_cast<float>(h.counts[i] / most) * (box.height() - ui.px(6)));
    ui.fill({std::round(x_of(box, from)), std::round(box.y1 - height), std::round(x_of(box, to)), box.y1},
            inside ? theme::kHistoryBefore : theme::kDisabled);
  }
}

void draw_window(const Ui& ui, const Rect& box, const DisplayWindow& w, WindowGrip lit) {
  const auto mark = [&](double db, WindowGrip grip) {
    const float x = std::round(x_of(box, db));
    const ImU32 color = lit == grip || lit == WindowGrip::middle ? theme::kAccentHover : theme::kAccent;
    ui.fill({x - ui.px(1), box.y0, x - ui.px(1) + ui.px(3), box.y1}, color, 1);
    ui.triangle(x + 0.5F * ui.hairline(), box.y1 + ui.px(1), Direction::up, color, 8);
  };
  mark(w.bottom_db, WindowGrip::bottom);
  mark(w.top_db, WindowGrip::top);
}

void draw_axis(const Ui& ui, const Rect& box, const DisplayWindow& w) {
  const float y = box.y1 + ui.px(9);
  const auto label = [&](double db, Type type, ImU32 color) {
    const std::string text = fixed(db, 0);
    const float x = x_of(box, db) - 0.5F * ui.width(type, text);
    ui.text(type, std::round(std::clamp(x, box.x0, box.x1 - ui.width(type, text))), y, ui.px(14), color, text);
  };
  for (double db = -80.0; db <= 0.0; db += 20.0) {
    ui.vertical(std::round(x_of(box, db)), box.y1, box.y1 + ui.px(4), theme::kTick);
    const float off =
        std::min(std::abs(x_of(box, db) - x_of(box, w.top_db)), std::abs(x_of(box, db) - x_of(box, w.bottom_db)));
    if (off >= ui.px(24)) label(db, Type::small, theme::kMuted);
  }
  label(w.bottom_db, Type::badge, theme::kText);
  label(w.top_db, Type::badge, theme::kText);
}

// Draws the percentages of all pixels with a level that are below and above the display window.
void draw_shares(const Ui& ui, Column& column, const LevelHistogram& h, const DisplayWindow& w) {
  double below = static_cast<double>(h.below), above = static_cast<double>(h.above), all = below + above;
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    const double middle = h.first_db + (static_cast<double>(i) + 0.5) * h.step_db;
    const auto count = static_cast<double>(h.counts[i]);
    all += count;
    if (middle < w.bottom_db) below += count;
    if (middle > w.top_db) above += count;
  }
  if (all <= 0.0) return;
  const Rect r = ui.row(column, 18, 0);
  ui.text(Type::small, r, theme::kText2, "below " + fixed(100.0 * below / all, 1) + " %");
  ui.text_right(Type::small, r.x1, r.y0, r.height(), theme::kText2, "above " + fixed(100.0 * above / all, 1) + " %");
}

void plot(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  ImagingParams& p = c.edits.params;
  const Rect row = ui.row(column, kLevelsHeight, 2);
  const Rect box{row.x0 + ui.px(2), row.y0, row.x1 - ui.px(2), row.y1 - ui.px(24)};
  const Rect area{row.x0, row.y0, row.x1, row.y1};
  const Hit h = ui.control("histogram", area, FocusKind::slider);
  ui.tip("histogram", h, area,
         {"Image histogram",
          "Number of pixels per 1 dB. The marks are the display window: drag an end to change the range, drag between "
          "the ends to change the gain. Right-click to reset.",
          {}});
  static WindowGrip grip = WindowGrip::none;  // only one histogram and one mouse
  static DisplayWindow start{};
  static float start_x = 0;
  const ImagingParams before = p;
  const float x = ImGui::GetIO().MousePos.x;
  if (h.pressed) {
    start = display_window(p);
    start_x = x;
    grip = nearest_limit(ui, box, start, x);
  }
  if (h.held) {
    const double moved = static_cast<double>((x - start_x) / std::max(box.width(), 1.0F)) * (kHigh_db - kLow_db);
    drag_display_window(p, grip, start, moved);
  }
  if (h.right) reset_display_window(p, c.model.defaults);
  for (const KeyPress& press : h.keys) key_display_window(p, c.model.defaults, press);
  const DisplayWindow w = display_window(p);
  ui.fill(box, theme::kCanvas, 2);
  if (c.edits.measured.histogram) draw_bars(ui, box, *c.edits.measured.histogram, w);
  draw_window(ui, box, w, h.held ? grip : h.hovered ? nearest_limit(ui, box, w, x) : WindowGrip::none);
  draw_axis(ui, box, w);
  if (c.edits.measured.histogram) draw_shares(ui, column, *c.edits.measured.histogram, w);
  if (!(p == before)) c.commands.send(command::ParamsChanged{});
}

}  // namespace

void histogram_block(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  bool& open = c.view.histogram;
  const Rect r = ui.row(column, 24, 0);
  const Hit h = ui.control("histogram_head", r);
  ui.tip("histogram_head", h, r, {"Histogram", "Histogram of image levels, with the displayed range.", {}});
  if (h.clicked) open = !open;
  ui.chevron(r.x0 + ui.px(4), r.cy(), open ? Direction::down : Direction::right,
             h.hovered ? theme::kText2 : theme::kMuted, 7);
  ui.text(Type::body, r.x0 + ui.px(16), r.y0, r.height(), theme::kText2, "Histogram");
  ui.text_right(Type::small, r.x1, r.y0, r.height(), theme::kMuted, "dB");
  if (open) plot(c, column);
}

// Measure panel during a comparison: each number of A, of B, and B - A. Both are measured at the same positions in
// millimetres.

namespace {

struct CompareRow {
  const char* label;
  const char* unit;
  int decimals;
  const char* quantity;  // name in MeasuredValue
  double least = -1e9;   // lower numbers: in warning colour
};

constexpr double kEnough_percent = 95.0;
constexpr std::array<CompareRow, 10> kPairRows = {
    {{"Contrast", "dB", 1, "contrast"},
     {"CNR", "", 2, "CNR"},
     {"Speckle SNR", "", 2, "background speckle SNR"},
     {"Std dev", "dB", 2, "background standard deviation of the level"},
     {"Target mean", "dB", 1, "target mean amplitude"},
     {"Backgr. mean", "dB", 1, "background mean amplitude"},
     {"Target echo", "%", 0, "target share with an echo", kEnough_percent},
     {"Backgr. echo", "%", 0, "background share with an echo", kEnough_percent},
     {"Target area", "mm\u00B2", 1, "target area"},
     {"Backgr. area", "mm\u00B2", 1, "background area"}}};
constexpr std::array<CompareRow, 5> kRegionRows = {{{"Mean", "dB", 1, "mean amplitude"},
                                                    {"Std dev", "dB", 2, "standard deviation of the level"},
                                                    {"Speckle SNR", "", 2, "speckle SNR"},
                                                    {"With echo", "%", 0, "share with an echo", kEnough_percent},
                                                    {"Area", "mm\u00B2", 1, "area"}}};
constexpr std::array<CompareRow, 1> kMaskRows = {{{"Area", "mm\u00B2", 2, "area"}}};
constexpr std::array<CompareRow, 7> kPointRows = {{{"Level", "dB", 1, "level"},
                                                   {"Lateral", "mm", 2, "lateral width at -6 dB"},
                                                   {"  side lobe", "dB", 1, "lateral side lobe"},
                                                   {"Axial", "mm", 2, "axial width at -6 dB"},
                                                   {"  side lobe", "dB", 1, "axial side lobe"},
                                                   {"x", "mm", 2, "x"},
                                                   {"z", "mm", 2, "z"}}};

struct CompareColumns {
  float a, b, difference;  // right edges
};

CompareColumns columns_of(const PanelContext& c, const Column& column) {
  const float w = c.ui.px(c.compact ? 48 : 68);
  return {column.x1 - 2 * w, column.x1 - w, column.x1};
}

double value_of(const Measured& m, const std::string& object, const char* quantity) {
  const MeasuredValue* value = m.find(object, quantity);
  return value != nullptr ? value->value : NAN;
}

// Draws a row; a narrow column has small type, and no unit if it would overlap the numbers.
void number_row(PanelContext& c, Column& column, const CompareRow& row, double a, double b, Type wanted = Type::body) {
  const Ui& ui = c.ui;
  const Type type = c.compact && wanted == Type::body ? Type::small : wanted;
  const Rect r = ui.row(column, type == Type::strong ? 24 : 20, 0);
  const CompareColumns at = columns_of(c, column);
  if (type == Type::strong) ui.fill({r.x0 - ui.px(6), r.y0, r.x1 + ui.px(4), r.y1}, theme::kField, 4);
  const float end = ui.text(type, r, type == Type::strong ? theme::kText : theme::kText2, row.label);
  const float unit_end = end + ui.px(4) + ui.width(Type::small, row.unit);
  if (unit_end + ui.px(4) <= at.a - ui.width(type, fixed(a, row.decimals))) {
    ui.text(Type::small, end + ui.px(4), r.y0, r.height(), theme::kMuted, row.unit);
  }
  const auto number = [&](float right, double value) {
    const std::string text = fixed(value, row.decimals);
    const bool low = value < row.least;
    ui.text_right(type, right, r.y0, r.height(), low ? theme::kWarn : theme::kText, text);
    if (low) ui.disc(right - ui.width(type, text) - ui.px(6), r.cy(), 3, theme::kWarn);
  };
  number(at.a, a);
  number(at.b, b);
  const double difference = b - a;
  ui.text_right(type, at.difference, r.y0, r.height(), theme::kText,
                std::isfinite(difference) ? signed_fixed(difference, row.decimals) : fixed(NAN, 0));
}

// Draws the object's name and the letters of the columns.
void head(PanelContext& c, Column& column, const std::string& object) {
  const Ui& ui = c.ui;
  const float y = column.y + ui.px(1);
  block_head(c, column, object, "", "");
  const CompareColumns at = columns_of(c, column);
  draw_side_letter(ui, CompareSide::a, at.a - ui.px(22), y);
  draw_side_letter(ui, CompareSide::b, at.b - ui.px(22), y);
  ui.text_right(Type::small, at.difference, y, ui.px(20), theme::kMuted, "B \u2212 A");
}

void rows(PanelContext& c, Column& column, const std::string& object, std::span<const CompareRow> list) {
  for (const CompareRow& row : list) {
    number_row(c, column, row, value_of(c.edits.measured_a, object, row.quantity),
               value_of(c.edits.measured, object, row.quantity));
  }
}

// Draws the slope of B against A, if A is delay-and-sum and B is not.
void slope_row(PanelContext& c, Column& column, const std::string& object) {
  const MeasuredValue* slope = c.edits.measured.find(object, kSlope);
  if (slope == nullptr) return;
  number_row(c, column, {"Slope against DAS", "", 2, ""}, 1.0, slope->value);
  scatter_block(c, column, object);
}

double highest_db(const LineProfile* line) {
  double highest = NAN;
  for (const float db : line != nullptr ? line->level_db : std::vector<float>()) {
    if (std::isfinite(db)) highest = std::fmax(highest, static_cast<double>(db));
  }
  return highest;
}

void compare_profile(PanelContext& c, Column& column, const MeasuredProfile& b) {
  const LineProfile* a = nullptr;
  for (const MeasuredProfile& line : c.edits.measured_a.profiles) a = line.mark == b.mark ? &line.profile : a;
  head(c, column, b.object);
  number_row(c, column, {"Highest level", "dB", 1, ""}, highest_db(a), highest_db(&b.profile));
  profile_plot(c, column, b.profile, a);
}

}  // namespace

void compare_blocks(PanelContext& c, Column& column) {
  const Measured& a = c.edits.measured_a;
  const Measured& b = c.edits.measured;
  const float gap = c.ui.px(6);
  if (a.image.number != 0 && b.image.number != 0 && !depths_overlap(a.image.grid, b.image.grid)) {
    const Rect r = c.ui.row(column, 20, 4);
    c.ui.text_fitted(Type::body, r.x0, r.x1, r.y0, r.height(), theme::kWarn, kNoCommonDepth);
  }
  for (const MeasuredPair& pair : b.pairs) {
    head(c, column, pair.object);
    number_row(c, column, {"gCNR", "", 3, "gCNR"}, value_of(a, pair.object, "gCNR"), value_of(b, pair.object, "gCNR"),
               Type::strong);
    if (changed_by_method(a.image.params) || changed_by_method(b.image.params)) changed_row(c, column);
    rows(c, column, pair.object, kPairRows);
    slope_row(c, column, pair.object);
    column.y += gap;
  }
  for (const MeasuredRegion& region : b.regions) {
    head(c, column, region.object);
    rows(c, column, region.object, kRegionRows);
    slope_row(c, column, region.object);
    column.y += gap;
  }
  for (const MeasuredPoint& point : b.points) {
    head(c, column, point.object);
    rows(c, column, point.object, kPointRows);
    for (const MeasuredPoint& of_a : a.points) {
      if (of_a.mark == point.mark && !of_a.note.empty()) note_row(c, column, "A: " + of_a.note);
    }
    if (!point.note.empty()) note_row(c, column, "B: " + point.note);
    column.y += gap;
  }
  for (const MeasuredProfile& line : b.profiles) {
    compare_profile(c, column, line);
    column.y += gap;
  }
  for (const MeasuredValue& value : b.image.mask != nullptr ? b.values : a.values) {
    if (!value.object.starts_with(kMaskObject)) continue;
    head(c, column, value.object);
    rows(c, column, value.object, kMaskRows);
    column.y += gap;
  }
  if (!Measuring::has_work(c.edits.marks)) {
    column.y += c.ui.paragraph(Type::small, column.x0, column.y, column.x1 - column.x0, c.ui.px(18), theme::kMuted,
                               "Draw a target and a background to compare A and B.") +
                gap;
  }
}

}  // namespace echoloop
