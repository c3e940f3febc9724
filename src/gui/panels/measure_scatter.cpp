// The scatter plot of a comparison with delay-and-sum: each point a pixel of the region, with the line of the
// regression, whose slope says how far the method stretches the dynamic range, and the line of equal levels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/measure_parts.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

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

void scatter_block(PanelContext& c, Column& column, const std::string& object) {
  const auto& all = c.state.image.measured.scatters;
  const auto scatter = std::ranges::find(all, object, &MeasuredScatter::object);
  if (scatter == all.end() || !std::isfinite(scatter->line.slope)) return;
  Ui& ui = c.ui;
  column.y += ui.paragraph(Type::small, column.x0, column.y, column.x1 - column.x0, ui.px(18), theme::kMuted,
                           slope_sentence(scatter->line.slope)) +
              ui.px(4);
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
  ui.tip(id.c_str(), ui.hit(id.c_str(), area), area,
         {"Method against delay-and-sum",
          "Level of each pixel in B over its level in A (at most 1 000 points). Blue: regression of all pixels; its "
          "slope is 1 where a method keeps the dynamic range. Dashed: equal levels. After Rindal et al. 2019.",
          {}});
  legend_row(c, column, *scatter);
}

}  // namespace echoloop
