// The levels of the image and its background. Heights are roots of counts, so that a few pixels of an object can be
// seen beside a million of background; the root of a Gaussian is a Gaussian again, wider by the root of 2.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/units.h"
#include "gui/overlay/transfer_function.h"
#include "gui/panels/objects_parts.h"
#include "gui/state/number_text.h"
#include "gui/toolkit/plot.h"

namespace echoloop {
namespace {

constexpr float kObjectsHeight = 122, kHistogramTitle = 18, kAxis = 17, kStrip = 6;

// Pixels in the fullest bin if the background were spread like a Gaussian.
double expected_peak(const Background& b, double step_db) {
  if (b.sigma_db <= 0.0) return 0.0;
  return static_cast<double>(b.pixels) * step_db / (std::sqrt(2.0 * kPi) * b.sigma_db);
}

double middle_db(const LevelHistogram& h, std::size_t bin) {
  return h.first_db + (static_cast<double>(bin) + 0.5) * h.step_db;
}

// Whole tens around all that matters; the same from image to image unless a lot changes.
Plot placed(const ObjectImage& found, const Rect& box) {
  const Background& b = found.background;
  Plot plot{box, {-90.0, 10.0, "dB"}, {1.0, 0.0, ""}};
  plot.x.first = std::min(plot.x.first, 10.0 * std::floor((b.median_db - 4.0 * b.sigma_db) / 10.0));
  plot.x.last = std::max(plot.x.last, 10.0 * std::ceil((b.median_db + 4.0 * b.sigma_db) / 10.0));
  double most = 1.0;
  for (const std::uint32_t count : found.histogram.counts) most = std::max(most, static_cast<double>(count));
  most = std::max(most, expected_peak(b, found.histogram.step_db));
  plot.y.first = 1.05 * std::sqrt(most);
  return plot;
}

void draw_bars(const Ui& ui, const Plot& plot, const ObjectImage& found) {
  const LevelHistogram& h = found.histogram;
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    const double from = h.first_db + static_cast<double>(i) * h.step_db, to = from + h.step_db;
    if (h.counts[i] == 0 || from < plot.x.first || to > plot.x.last) continue;
    const bool kept = middle_db(h, i) >= found.background.lowest_db && middle_db(h, i) <= found.background.highest_db;
    const float x0 = std::round(plot.x_px(from));
    ui.fill({x0, std::round(plot.y_px(std::sqrt(static_cast<double>(h.counts[i])))),
             std::max(x0 + 1.0F, std::round(plot.x_px(to))), plot.box.y1},
            kept ? theme::kHistoryBefore : theme::kDisabled);
  }
}

// `peak`: pixels where it is the highest.
void draw_gaussian(const Ui& ui, const Plot& plot, const Background& b, double peak, ImU32 color) {
  if (b.sigma_db <= 0.0) return;
  constexpr double kStep_db = 0.25;
  std::vector<float> roots;
  for (double level = plot.x.first; level <= plot.x.last; level += kStep_db) {
    const double t = (level - b.mean_db) / b.sigma_db;
    roots.push_back(static_cast<float>(std::sqrt(peak) * std::exp(-0.25 * t * t)));
  }
  draw_curve(ui, plot, roots, plot.x.first, kStep_db, color);
}

// The colours that the display gives to the levels, below the axis of levels.
void draw_display(const Ui& ui, const Plot& plot, const ImagingParams& p) {
  const float step = std::max(1.0F, ui.px(2));
  const float y = plot.box.y1 + ui.px(2);
  for (float x = plot.box.x0; x < plot.box.x1; x += step) {
    const double level = plot.x_at(x + 0.5F * step);
    const bool rejected = p.display.reject_db > kNoReject_db && level < p.display.reject_db;
    const Rgb c = map_color(p.display.color_map, rejected ? 0.0 : transfer(level, p.display));
    ui.fill({x, y, std::min(x + step, plot.box.x1), y + ui.px(kStrip)}, IM_COL32(c.r, c.g, c.b, 255));
  }
  ui.outline({plot.box.x0, y, plot.box.x1, y + ui.px(kStrip)}, theme::kLine2, 0);
}

void draw_threshold(const Ui& ui, const Plot& plot, const ObjectImage& found) {
  const float x = std::clamp(std::round(plot.x_px(found.threshold_db)), plot.box.x0, plot.box.x1);
  const bool bright = found.params.objects.kind == ObjectKind::bright;
  ui.fill({bright ? x : plot.box.x0, plot.box.y0, bright ? plot.box.x1 : x, plot.box.y1}, theme::kSelected);
}

void draw_threshold_line(const Ui& ui, const Plot& plot, const ObjectImage& found) {
  const float x = std::round(plot.x_px(found.threshold_db));
  if (x < plot.box.x0 || x > plot.box.x1) return;
  ui.fill({x, plot.box.y0, x + ui.px(2), plot.box.y1}, theme::kAccent);
}

// Every 20 dB, and the threshold, which is never covered.
void draw_axis(const Ui& ui, const Plot& plot, double threshold_db) {
  const float y = plot.box.y1 + ui.px(kStrip + 2);
  const float line = ui.px(kAxis - 2);
  const auto place = [&](Type type, double db, const std::string& text) {
    const float half = 0.5F * ui.width(type, text);
    return std::clamp(plot.x_px(db) - half, plot.box.x0, std::max(plot.box.x0, plot.box.x1 - 2 * half));
  };
  const std::string own = fixed(threshold_db, 0);
  const float own_x = place(Type::badge, threshold_db, own);
  const float own_end = own_x + ui.width(Type::badge, own);
  for (double db = 20.0 * std::ceil(plot.x.first / 20.0); db <= plot.x.last; db += 20.0) {
    const std::string text = fixed(db, 0);
    const float x = place(Type::small, db, text), end = x + ui.width(Type::small, text);
    if (end + ui.px(4) > own_x && x - ui.px(4) < own_end) continue;
    ui.text(Type::small, x, y, line, theme::kMuted, text);
  }
  ui.text(Type::badge, own_x, y, line, theme::kAccent, own);
}

std::string note(const Plot& plot, const ObjectImage& found, float mouse_x) {
  const LevelHistogram& h = found.histogram;
  const double at = (plot.x_at(mouse_x) - h.first_db) / h.step_db;
  if (at < 0.0 || at >= static_cast<double>(h.counts.size())) return {};
  const auto bin = static_cast<std::size_t>(at);
  return fmt::format("{} dB  {} px", fixed(h.first_db + static_cast<double>(bin) * h.step_db, 1),
                     grouped(h.counts[bin]));
}

}  // namespace

void background_plot(PanelContext& c, Column& column, const ObjectImage& found) {
  Ui& ui = c.ui;
  constexpr std::string_view kName = "Levels";
  const Rect cell = ui.row(column, kObjectsHeight, 4);
  const Rect box{cell.x0, cell.y0 + ui.px(kHistogramTitle), cell.x1, cell.y1 - ui.px(kAxis + kStrip)};
  const Plot plot = placed(found, box);
  const Hit h = ui.hit(
      "background_plot", cell,
      {"Levels and background",
       "Bars: number of pixels per level (square-root scale); blue: background pixels after clipping. White curve: "
       "Gaussian with mean and sigma of the background; faint curve: background of the smoothed image, at the same "
       "height. Line: threshold on the smoothed image. The strip below shows the display mapping of each level.",
       {}});
  ui.fill(box, theme::kCanvas);
  draw_threshold(ui, plot, found);
  draw_bars(ui, plot, found);
  const double peak = expected_peak(found.background, found.histogram.step_db);
  if (found.params.objects.smooth_m > 0.0) {
    draw_gaussian(ui, plot, found.smoothed, peak, theme::kMuted);
  }
  draw_gaussian(ui, plot, found.background, peak, theme::kText);
  draw_threshold_line(ui, plot, found);
  draw_display(ui, plot, c.state.params);
  draw_axis(ui, plot, found.threshold_db);
  ui.text(Type::small, cell.x0, cell.y0, ui.px(kHistogramTitle), theme::kText2, kName);
  if (h.hovered) {
    draw_plot_note(ui, cell, plot, kName, note(plot, found, ImGui::GetIO().MousePos.x));
  } else {
    ui.text_right(Type::small, cell.x1, cell.y0, ui.px(kHistogramTitle), theme::kMuted, "dB");
  }
}

}  // namespace echoloop
