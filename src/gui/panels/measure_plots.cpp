// The plots of the Measure panel: levels over millimetres, what a number was in the last 30 s, and the levels of a
// method over those of delay-and-sum.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/panels/measure_parts.h"
#include "gui/state/number_text.h"

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

// Over the range of both, but never over less than a hundredth of the value: noise of the last digit is no trend.
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
constexpr double kLinearWithin = 0.1;  // of slope 1: the sentence calls the dynamic range unchanged

std::string slope_sentence(double slope) {
  if (std::abs(slope - 1.0) <= kLinearWithin) return "Dynamic range is unchanged.";
  return fmt::format("1 dB of delay-and-sum becomes {} dB: the dynamic range is {}.", fixed(slope, 2),
                     slope > 1.0 ? "stretched" : "compressed");
}

// From tens of decibels to tens of decibels.
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
  const auto& all = c.state.image.measured.scatters;
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

}  // namespace echoloop
