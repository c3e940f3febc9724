// Point spread and profiles in the Measure panel: the curves that were measured, and the numbers read off them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/measure_parts.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr float kPlotHeight = 92;
constexpr double kSpreadFloor_db = -40.0;

struct SpreadSide {
  const char* name;  // as the quantities begin
  const char* label;
  const Lobe& lobe;
};

// The lobe and as much again on both sides, or what the picture has.
double reach_mm(const Lobe& lobe) {
  double most = 0.0;
  for (const double offset : lobe.offset_m) most = std::max(most, std::abs(offset) * 1e3);
  const double wanted = std::isfinite(lobe.fwhm_m) ? 2.5 * lobe.fwhm_m * 1e3 : most;
  return std::max(1e-3, std::min(most, wanted));
}

void lobe_plot(PanelContext& c, const Rect& outer, const SpreadSide& side) {
  const Ui& ui = c.ui;
  const Lobe& lobe = side.lobe;
  const double reach = reach_mm(lobe);
  const ProfilePlot plot =
      draw_plot_frame(ui, outer, {.x0 = -reach, .x1 = reach, .y0 = kSpreadFloor_db, .y1 = 2.0}, "mm");
  std::vector<ImVec2> points;
  if (lobe.fit) {
    constexpr int kSteps = 60;
    for (int i = 0; i <= kSteps; ++i) {
      const double offset_mm = reach * (2.0 * i / kSteps - 1.0);
      const double level = lobe.fit->level_db(offset_mm * 1e-3);
      points.push_back({plot.x(offset_mm), level >= -20.0 ? plot.y(level) : NAN});
    }
    draw_curve(ui, plot, points, theme::kText2, 1.25F);
    points.clear();
  }
  for (std::size_t i = 0; i < lobe.offset_m.size(); ++i) {
    points.push_back({plot.x(lobe.offset_m[i] * 1e3), plot.y(static_cast<double>(lobe.level_db[i]))});
  }
  draw_curve(ui, plot, points, theme::kAccent, 1.5F);
  if (std::isfinite(lobe.fwhm_m)) {
    const float y = std::round(plot.y(-6.0)), half = 0.5F * (plot.x(lobe.fwhm_m * 1e3) - plot.x(0.0));
    ui.horizontal(plot.x(0.0) - half, plot.x(0.0) + half, y, theme::kText);
  }
  ui.text(Type::small, plot.box.x0 + ui.px(4), plot.box.y0 + ui.px(2), ui.px(14), theme::kText2, side.label);
}

void width_row(PanelContext& c, Column& column, const MeasuredPoint& point, const SpreadSide& side) {
  const Measured& m = c.state.image.measured;
  const std::string name = side.name;
  table_row(
      c, column,
      {.label = side.label,
       .unit = "mm",
       .decimals = 2,
       .help = "Width 6 dB below the brightest pixel, between straight lines through the pixels' levels, beamformed "
               "on a grid of at least 10 pixels a width; second: width of the parabola in dB fitted to the lobe "
               "down to \u221210 dB.",
       .first = m.find(point.object, name + " width at -6 dB"),
       .second = m.find(point.object, name + " width of the fit")});
  table_row(c, column,
            {.label = c.compact ? "side lobe" : "  side lobe",
             .unit = "dB",
             .decimals = 1,
             .help = "Highest level outside the main lobe, within five widths, relative to the peak.",
             .first = m.find(point.object, name + " side lobe")});
}

}  // namespace

void note_row(PanelContext& c, Column& column, const std::string& text) {
  const Ui& ui = c.ui;
  const float line = ui.px(16);
  ui.disc(column.x0 + ui.px(3), column.y + 0.5F * line, 2.5F, theme::kWarn);
  const float x = column.x0 + ui.px(12);
  column.y += ui.paragraph(Type::small, x, column.y, column.x1 - x, line, theme::kText2, text) + ui.px(2);
}

void point_block(PanelContext& c, Column& column, const MeasuredPoint& point) {
  const Ui& ui = c.ui;
  if (!point.spread) {
    block_head(c, column, point.object, "no peak here", "A peak is a local maximum above the surrounding levels.");
    note_row(c, column, point.note);
    return;
  }
  const PointSpread& s = *point.spread;
  block_head(
      c, column, point.object,
      fmt::format("x {}  z {} mm  {} dB", fixed(s.peak.x_m * 1e3, 2), fixed(s.peak.z_m * 1e3, 2), fixed(s.peak_db, 1)),
      "Bright spot nearest to the click, with sub-pixel position.");
  const Rect head = ui.row(column, 16, 0);
  const TableColumns at = table_columns(c, column);
  ui.text(Type::small, head, theme::kMuted, "Width");
  ui.text_right(Type::small, at.value0, head.y0, head.height(), theme::kAccent, "at \u22126 dB");
  ui.text_right(Type::small, at.value1, head.y0, head.height(), theme::kText2, "fit");
  ui.text_right(Type::small, at.trend1, head.y0, head.height(), theme::kMuted, "30 s");
  const SpreadSide sides[] = {{"lateral", "Lateral", s.lateral}, {"axial", "Axial", s.axial}};
  for (const SpreadSide& side : sides) width_row(c, column, point, side);
  if (!point.note.empty()) note_row(c, column, point.note);
  constexpr double kFewPixels = 4.0;
  const double least = std::min(s.lateral.pixels_across, s.axial.pixels_across);
  if (point.from == PointSource::image && least < kFewPixels) {
    note_row(c, column, fmt::format("Only {} pixels across: use a finer grid for a reliable width.", fixed(least, 1)));
  }
  column.y += ui.px(4);
  const bool beside = column.x1 - column.x0 >= ui.px(280);
  const Rect row = ui.row(column, beside ? kPlotHeight : 2 * kPlotHeight + 6, 4);
  const float gap = ui.px(8), middle = std::round(0.5F * (row.x0 + row.x1 - gap));
  if (beside) {
    lobe_plot(c, {row.x0, row.y0, middle, row.y1}, sides[0]);
    lobe_plot(c, {middle + gap, row.y0, row.x1, row.y1}, sides[1]);
  } else {
    lobe_plot(c, {row.x0, row.y0, row.x1, row.y0 + ui.px(kPlotHeight)}, sides[0]);
    lobe_plot(c, {row.x0, row.y1 - ui.px(kPlotHeight), row.x1, row.y1}, sides[1]);
  }
}

void profile_plot(PanelContext& c, Column& column, const LineProfile& line, const LineProfile* a) {
  const Ui& ui = c.ui;
  const double length_mm = line.at_m.empty() ? 0.0 : line.at_m.back() * 1e3;
  double low = 0.0, high = -1e9;
  for (const LineProfile* p : {&line, a}) {
    if (p == nullptr) continue;
    for (const float db : p->level_db) {
      if (!std::isfinite(db)) continue;
      low = std::min(low, static_cast<double>(db));
      high = std::max(high, static_cast<double>(db));
    }
  }
  high = high > -1e9 ? std::ceil(high / 10.0) * 10.0 : 0.0;
  low = std::clamp(std::floor(low / 10.0) * 10.0, high - 80.0, high - 20.0);
  const Rect row = ui.row(column, kPlotHeight, 4);
  const ProfilePlot plot =
      draw_plot_frame(ui, row, {.x0 = 0.0, .x1 = std::max(length_mm, 1e-3), .y0 = low, .y1 = high}, "mm");
  const auto curve = [&](const LineProfile& p, ImU32 color) {
    std::vector<ImVec2> points;
    for (std::size_t i = 0; i < p.at_m.size(); ++i) {
      points.push_back({plot.x(p.at_m[i] * 1e3), plot.y(static_cast<double>(p.level_db[i]))});
    }
    draw_curve(ui, plot, points, color, 1.25F);
  };
  if (a != nullptr) curve(*a, theme::kText);
  curve(line, theme::kAccent);
}

void profile_block(PanelContext& c, Column& column, const MeasuredProfile& line) {
  const LineProfile& p = line.profile;
  const double length_mm = p.at_m.empty() ? 0.0 : p.at_m.back() * 1e3;
  block_head(c, column, line.object, fmt::format("{} mm", fixed(length_mm, 2)),
             "Levels along the line, from the first to the second point.");
  profile_plot(c, column, p, nullptr);
}

}  // namespace echoloop
