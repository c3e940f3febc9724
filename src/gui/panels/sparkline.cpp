#include "gui/panels/sparkline.h"

#include <algorithm>
#include <cmath>

namespace echoloop {
namespace {

// At most one point every two pixels; a peak between two points must not vanish, so each is its bin's largest value.
std::vector<float> thin(const std::vector<float>& values, std::size_t points) {
  if (values.size() <= points) return values;
  std::vector<float> thinned(points);
  for (std::size_t i = 0; i < points; ++i) {
    const std::size_t begin = i * values.size() / points;
    const std::size_t end = std::max(begin + 1, (i + 1) * values.size() / points);
    thinned[i] = *std::max_element(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                   values.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return thinned;
}

void dashed(const Ui& ui, float x0, float x1, float y, ImU32 color) {
  for (float x = x0; x < x1; x += ui.px(6)) ui.horizontal(x, std::min(x + ui.px(3), x1), y, color);
}

float y_of(const Ui& ui, const Rect& box, double value, double top) {
  const double share = top > 0.0 ? std::clamp(value / top, 0.0, 1.0) : 0.0;
  return box.y1 - ui.px(2) - static_cast<float>(share) * (box.height() - ui.px(4));
}

void curve(const Ui& ui, const Rect& box, const Sparkline& plot) {
  const auto most = static_cast<std::size_t>(std::max(2.0F, box.width() / ui.px(2)));
  const std::vector<float> shown = thin(plot.values, most);
  if (shown.size() < 2) return;
  std::vector<ImVec2> points(shown.size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    points[i] = {box.x0 + box.width() * static_cast<float>(i) / static_cast<float>(shown.size() - 1),
                 y_of(ui, box, static_cast<double>(shown[i]), plot.top)};
  }
  compat::add_polyline(ui.list(), points.data(), static_cast<int>(points.size()), theme::kAccent, 1.25F * ui.scale());
}

}  // namespace

Rect draw_sparkline(const Ui& ui, const Rect& row, const Sparkline& plot) {
  const Rect box{row.x0, row.y0, row.x1 - ui.px(50), row.y1};
  ui.fill(box, theme::kCanvas, 3);
  curve(ui, box, plot);
  const float label = box.x1 + ui.px(6);
  const float line = ui.px(14);
  ui.text(Type::small, label, box.y0 - ui.px(2), line, theme::kText2, plot.top_text);
  ui.text(Type::small, label, box.y1 - line + ui.px(2), line, theme::kMuted, "0");
  if (!plot.middle_text.empty())
    ui.text(Type::small, label, box.cy() - 0.5F * line, line, theme::kMuted, plot.middle_text);
  if (!plot.line) return box;
  const float y = y_of(ui, box, *plot.line, plot.top);
  dashed(ui, box.x0, box.x1, std::round(y), theme::kText2);
  const float at = std::clamp(y - 0.5F * line, box.y0 + line - ui.px(2), box.y1 - 2 * line + ui.px(4));
  ui.text(Type::small, label, std::round(at), line, theme::kMuted, plot.line_text);
  return box;
}

void draw_sparkline_axis(const Ui& ui, Column& column, const Rect& box) {
  const Rect axis = ui.row(column, 16, 2);
  ui.text(Type::small, axis, theme::kMuted, "\u221210 s");
  ui.text_right(Type::small, box.x1, axis.y0, axis.height(), theme::kMuted, "now");
}

}  // namespace echoloop
