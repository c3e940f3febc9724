// The plots of the Measure panel: levels over millimetres, what a number was in the last 30 s, and the levels of a
// method over those of delay-and-sum.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

void trend_curve(const Ui& ui, const ProfilePlot& plot, const std::vector<float>& values, ImU32 color) {
  std::vector<ImVec2> points;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<double>(values[i]);
    points.push_back({plot.x(static_cast<double>(i)), std::isnan(value) ? NAN : plot.y(value)});
  }
  draw_curve(ui, plot, points, color, 1.25F);
}

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
  const ProfilePlot plot{box.inset(ui.px(2)), 0, kTrendSteps - 1, middle - 0.5 * span, middle + 0.5 * span};
  if (second != nullptr) trend_curve(ui, plot, second->trend, theme::kMuted);
  if (first != nullptr) trend_curve(ui, plot, first->trend, theme::kAccent);
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

// Both axes begin and end at tens of decibels.
ProfilePlot axes_of(const std::vector<ScatterPoint>& points) {
  const auto down = [](float db) { return 10.0 * std::floor(0.1 * static_cast<double>(db)); };
  const auto up = [](float db) { return 10.0 * std::floor(0.1 * static_cast<double>(db) + 1.0); };
  const auto [x0, x1] = std::ranges::minmax(points, {}, &ScatterPoint::das_db);
  const auto [y0, y1] = std::ranges::minmax(points, {}, &ScatterPoint::method_db);
  return {.x0 = down(x0.das_db), .x1 = up(x1.das_db), .y0 = down(y0.method_db), .y1 = up(y1.method_db)};
}

void draw_dashes(const Ui& ui, const ProfilePlot& plot) {
  constexpr int kDashes = 40;
  const double step = (plot.x1 - plot.x0) / kDashes;
  for (int i = 0; i < kDashes; ++i) {
    const double from = plot.x0 + step * i, to = from + 0.55 * step;
    const ImVec2 ends[] = {{plot.x(from), plot.y(from)}, {plot.x(to), plot.y(to)}};
    if (plot.box.contains(ends[0].x, ends[0].y) && plot.box.contains(ends[1].x, ends[1].y)) {
      draw_curve(ui, plot, ends, theme::kText2, 1);
    }
  }
}

void draw_points(const Ui& ui, const ProfilePlot& plot, const std::vector<ScatterPoint>& points) {
  const float half = 0.75F * ui.scale();
  for (const ScatterPoint& p : points) {
    const float x = plot.x(static_cast<double>(p.das_db)), y = plot.y(static_cast<double>(p.method_db));
    ui.fill({x - half, y - half, x + half, y + half},
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

void draw_curve(const Ui& ui, const ProfilePlot& plot, std::span<const ImVec2> points, ImU32 color, float thickness) {
  ImDrawList& list = ui.list();
  list.PushClipRect({plot.box.x0, plot.box.y0}, {plot.box.x1, plot.box.y1}, true);
  std::vector<ImVec2> piece;
  const auto draw = [&] {
    if (piece.size() == 1) piece.push_back({piece[0].x + 1.5F * ui.scale(), piece[0].y});  // one value alone: a dot
    if (!piece.empty()) {
      compat::add_polyline(list, piece.data(), static_cast<int>(piece.size()), color, thickness * ui.scale());
    }
    piece.clear();
  };
  for (const ImVec2& p : points) {
    if (std::isfinite(p.y)) {
      piece.push_back({p.x, std::clamp(p.y, plot.box.y0 - plot.box.height(), plot.box.y1 + plot.box.height())});
    } else {
      draw();
    }
  }
  draw();
  list.PopClipRect();
}

ProfilePlot draw_plot_frame(const Ui& ui, const Rect& outer, ProfilePlot plot, std::string_view x_unit) {
  const Rect& box = plot.box = {outer.x0 + ui.px(kAxisLeft), outer.y0, outer.x1, outer.y1 - ui.px(kAxisBottom)};
  ui.fill(box, theme::kCanvas, 2);
  const double y_step = round_up_125((plot.y1 - plot.y0) * static_cast<double>(ui.px(22) / box.height()));
  for (double y = std::ceil(plot.y0 / y_step - 1e-6) * y_step; y <= plot.y1 + 1e-6 * y_step; y += y_step) {
    const float at = std::round(plot.y(y));
    ui.horizontal(box.x0, box.x1, std::min(at, box.y1 - ui.hairline()), theme::kFaintLine);
    const float text_y = std::clamp(at - ui.px(7), box.y0 - ui.px(2), box.y1 - ui.px(11));
    ui.text_right(Type::small, box.x0 - ui.px(4), text_y, ui.px(14), theme::kMuted, fixed(y, decimals_of_125(y_step)));
  }
  const double x_step = round_up_125((plot.x1 - plot.x0) * static_cast<double>(ui.px(40) / box.width()));
  const float unit_x = box.x1 - ui.width(Type::small, x_unit);
  ui.text(Type::small, unit_x, box.y1 + ui.px(2), ui.px(14), theme::kMuted, x_unit);
  for (double x = std::ceil(plot.x0 / x_step - 1e-6) * x_step; x <= plot.x1 + 1e-6 * x_step; x += x_step) {
    const float at = std::round(plot.x(x));
    ui.vertical(std::min(at, box.x1 - ui.hairline()), box.y0, box.y1, theme::kFaintLine);
    const std::string text = fixed(std::abs(x) < 1e-9 * x_step ? 0.0 : x, decimals_of_125(x_step));
    const float w = ui.width(Type::small, text);
    const float text_x = std::max(box.x0, std::round(at - 0.5F * w));
    if (text_x + w > unit_x - ui.px(4)) continue;
    ui.text(Type::small, text_x, box.y1 + ui.px(2), ui.px(14), theme::kMuted, text);
  }
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
  const ProfilePlot plot = draw_plot_frame(ui, area, axes_of(scatter->points), "A, dB");
  draw_points(ui, plot, scatter->points);
  draw_dashes(ui, plot);
  const auto at = [&](double das_db) {
    return ImVec2{plot.x(das_db), plot.y(scatter->line.intercept_db + scatter->line.slope * das_db)};
  };
  const ImVec2 line[] = {at(plot.x0), at(plot.x1)};
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
