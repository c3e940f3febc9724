#include "gui/toolkit/sparkline.h"

#include <algorithm>
#include <cmath>

namespace echoloop {
namespace {

// Steps without a value that the curve still crosses: a slow stream has frames between them, after a pause it
// restarts. Of ten seconds.
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
    if (points.size() == 1) points.push_back({points[0].x + 1.5F * ui.scale(), points[0].y});  // one value alone: a dot
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
  ui.list().PushClipRect({box.x0, box.y0}, {box.x1, box.y1}, true);  // joints of steep lines stick out
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
