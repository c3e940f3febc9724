#include "gui/toolkit/plot.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace echoloop {
namespace {

constexpr float kTitle = 18, kLabels = 15, kLeft = 34;

// Returns the scale of a plot's lengths, by its labels.
float plot_scale(Type labels) { return labels == Type::small ? 1.0F : 1.5F; }

// Returns the x step: labels are side by side, the first of them shifted inwards, and wide ones need wider steps.
double step_across(const Ui& ui, const PlotAxis& axis, float length_px, Type type) {
  const float least = ui.px(30 * plot_scale(type));
  const auto step = [&](float apart) { return axis.step(static_cast<double>(length_px), static_cast<double>(apart)); };
  float widest = 0;
  axis.each_tick(step(least),
                 [&](double, const std::string& text) { widest = std::max(widest, ui.width(type, text)); });
  return step(std::max(least, 1.5F * widest + ui.px(2)));
}

}  // namespace

float Plot::x_px(double v) const { return box.x0 + static_cast<float>(x.share(v)) * box.width(); }
float Plot::y_px(double v) const { return box.y0 + static_cast<float>(y.share(v)) * box.height(); }
double Plot::x_at(float px) const {
  return x.first + static_cast<double>((px - box.x0) / std::max(box.width(), 1.0F)) * (x.last - x.first);
}
double Plot::y_at(float px) const {
  return y.first + static_cast<double>((px - box.y0) / std::max(box.height(), 1.0F)) * (y.last - y.first);
}

Rect plot_box(const Ui& ui, const Rect& cell, Type labels) {
  const float k = plot_scale(labels);
  return {cell.x0 + ui.px(kLeft * k), cell.y0 + ui.px(kTitle), cell.x1, cell.y1 - ui.px(kLabels * k)};
}

Plot draw_plot(const Ui& ui, const Rect& cell, const PlotLook& look) {
  const Type type = look.labels;
  const float k = plot_scale(type);
  Plot plot{plot_box(ui, cell, type), look.x, look.y};
  const Rect& box = plot.box;
  if (look.ground == PlotGround::canvas) ui.fill(box, theme::kCanvas);
  ui.text_fitted(type, box.x0, cell.x1, cell.y0, ui.px(kTitle), theme::kText2, look.title);
  const float line = ui.px(kLabels * k);
  const float unit_x = box.x1 - ui.width(type, look.x.unit);
  look.x.each_tick(step_across(ui, look.x, box.width(), type), [&](double v, const std::string& text) {
    const float at = std::round(plot.x_px(v));
    ui.vertical(std::min(at, box.x1 - ui.hairline()), box.y1, box.y1 + ui.px(3), theme::kTick);
    const float half = 0.5F * ui.width(type, text);
    const float left = std::max(at - half, box.x0 - ui.px(4));
    if (left + 2 * half > unit_x - ui.px(3)) return;  // space of the unit
    ui.text(type, left, box.y1 + ui.px(2), line, theme::kMuted, text);
  });
  ui.text(type, unit_x, box.y1 + ui.px(2), line, theme::kMuted, look.x.unit);
  const double step_y = look.y.step(static_cast<double>(box.height()), static_cast<double>(ui.px(24 * k)));
  look.y.each_tick(step_y, [&](double v, const std::string& text) {
    const float at = std::round(plot.y_px(v));
    ui.horizontal(box.x0 - ui.px(3), box.x0, std::min(at, box.y1 - ui.hairline()), theme::kTick);
    if (at < box.y0 + ui.px(13 * k)) return;  // space of the unit
    ui.text_right(type, box.x0 - ui.px(5), at - 0.5F * line, line, theme::kMuted, text);
  });
  ui.text_right(type, box.x0 - ui.px(5), box.y0 - ui.px(6), line, theme::kMuted, look.y.unit);
  return plot;
}

void draw_plot_note(const Ui& ui, const Rect& cell, const Plot& plot, std::string_view title, std::string_view note) {
  // Covers the title if there is no room next to it.
  const float from = cell.x1 - ui.width(Type::small, note);
  if (from < plot.box.x0 + ui.width(Type::small, title) + ui.px(8)) {
    ui.fill({plot.box.x0, cell.y0, cell.x1, plot.box.y0}, theme::kPanel);
  }
  ui.text_right(Type::small, cell.x1, cell.y0, ui.px(kTitle), theme::kText, note);
}

void draw_curve(const Ui& ui, const Plot& plot, std::span<const ImVec2> points, ImU32 color, float thickness) {
  ImDrawList& list = ui.list();
  list.PushClipRect({plot.box.x0, plot.box.y0}, {plot.box.x1, plot.box.y1}, true);
  std::vector<ImVec2> piece;
  const auto draw = [&] {
    if (piece.size() == 1) piece.push_back({piece[0].x + 1.5F * ui.scale(), piece[0].y});
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

void draw_curve(const Ui& ui, const Plot& plot, std::span<const float> values, double first_x, double step_x,
                ImU32 color, float thickness) {
  std::vector<ImVec2> points;
  for (std::size_t i = 0; i < values.size(); ++i) {
    points.push_back(plot.px(first_x + static_cast<double>(i) * step_x, static_cast<double>(values[i])));
  }
  draw_curve(ui, plot, points, color, thickness);
}

void draw_cursor(const Ui& ui, const Plot& plot, double x) {
  const float at = std::round(plot.x_px(x));
  if (at < plot.box.x0 || at > plot.box.x1) return;
  for (float y = plot.box.y0; y < plot.box.y1; y += ui.px(6)) {
    ui.vertical(at, y, std::min(y + ui.px(3), plot.box.y1), theme::kAccent);
  }
}

namespace {

// Gap without values that the curve still crosses, as a share of ten seconds: a slow stream has gaps between frames,
// after a pause the curve restarts.
constexpr double kBridgedShare = 0.1;

void dashed(const Ui& ui, float x0, float x1, float y, ImU32 color) {
  for (float x = x0; x < x1; x += ui.px(6)) ui.horizontal(x, std::min(x + ui.px(3), x1), y, color);
}

float y_of(const Ui& ui, const Rect& box, double value, double top) {
  const double share = top > 0.0 ? std::clamp(value / top, 0.0, 1.0) : 0.0;
  return box.y1 - ui.px(2) - static_cast<float>(share) * (box.height() - ui.px(4));
}

void curve(const Ui& ui, const Rect& box, const Sparkline& plot) {
  const std::size_t n = plot.values.size();
  if (n < 2) return;
  const auto bridged = static_cast<std::size_t>(kBridgedShare * static_cast<double>(n));
  std::vector<ImVec2> points;
  points.reserve(n);
  const auto draw = [&] {
    if (points.size() == 1) points.push_back({points[0].x + 1.5F * ui.scale(), points[0].y});  // single value: a dot
    if (!points.empty()) {
      compat::add_polyline(ui.list(), points.data(), static_cast<int>(points.size()), theme::kAccent,
                           1.25F * ui.scale());
    }
    points.clear();
  };
  std::size_t before = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto value = static_cast<double>(plot.values[i]);
    if (std::isnan(value)) continue;
    if (i - before > bridged) draw();
    before = i;
    points.push_back(
        {box.x0 + box.width() * static_cast<float>(i) / static_cast<float>(n - 1), y_of(ui, box, value, plot.top)});
  }
  draw();
}

}  // namespace

Rect draw_sparkline(const Ui& ui, const Rect& row, const Sparkline& plot) {
  const Rect box{row.x0, row.y0, row.x1 - ui.px(plot.label_width), row.y1};
  ui.fill(box, theme::kCanvas, 3);
  ui.list().PushClipRect({box.x0, box.y0}, {box.x1, box.y1}, true);  // joints of steep lines overshoot
  curve(ui, box, plot);
  ui.list().PopClipRect();
  if (plot.label_width <= 0) return box;
  const float label = box.x1 + ui.px(6);
  const float line = ui.px(14);
  ui.text(Type::small, label, box.y0 - ui.px(2), line, theme::kText2, plot.top_text);
  const float bottom = box.y1 - line + ui.px(2);
  const bool low = box.height() < ui.px(40);  // no room for three words
  if (!plot.line || !low) ui.text(Type::small, label, bottom, line, theme::kMuted, "0");
  if (!plot.line) return box;
  const float y = y_of(ui, box, *plot.line, plot.top);
  dashed(ui, box.x0, box.x1, std::round(y), theme::kText2);
  const float at = std::clamp(y - 0.5F * line, box.y0 + line - ui.px(2), low ? bottom : bottom - line + ui.px(2));
  ui.text(Type::small, label, std::round(at), line, theme::kMuted, plot.line_text);
  return box;
}

}  // namespace echoloop
