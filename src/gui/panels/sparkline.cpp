#include "gui/panels/sparkline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/number_text.h"

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

void curve(const Ui& ui, const Rect& box, const std::vector<float>& values, double top) {
  const auto most = static_cast<std::size_t>(std::max(2.0F, box.width() / ui.px(2)));
  const std::vector<float> shown = thin(values, most);
  if (shown.size() < 2) return;
  std::vector<ImVec2> points(shown.size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const float share = std::clamp(shown[i] / static_cast<float>(top), 0.0F, 1.0F);
    points[i] = {box.x0 + box.width() * static_cast<float>(i) / static_cast<float>(shown.size() - 1),
                 box.y1 - ui.px(2) - share * (box.height() - ui.px(4))};
  }
  compat::add_polyline(ui.list(), points.data(), static_cast<int>(points.size()), theme::kAccent, 1.25F * ui.scale());
}

}  // namespace

double round_up_125(double value) {
  if (!(value > 0.0)) return 1.0;
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (value <= factor * power * (1.0 + 1e-9)) return factor * power;
  }
  return 10.0 * power;
}

void sparkline_rows(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const StageSummary& latency = c.state.latency;
  const bool known = latency.count > 0 && c.state.run != RunState::fault;
  const Rect head = ui.row(column, 22, 2);
  ui.text(Type::body, head, theme::kText2, "Latency");
  ui.text_right(Type::body, head.x1, head.y0, head.height(), theme::kMuted, "ms p95");
  ui.text_right(Type::body, head.x1 - ui.width(Type::body, "ms p95") - ui.px(4), head.y0, head.height(), theme::kText,
                known ? fixed(latency.p95_ms, 2) : "—");
  const Rect row = ui.row(column, 48, 2);
  const Rect box{row.x0, row.y0, row.x1 - ui.px(50), row.y1};
  ui.fill(box, theme::kCanvas, 3);
  const Hit h = ui.hit("latency", row);
  ui.tip("latency", h, row,
         {"Latency", "From the moment a frame is complete in host memory to the moment its picture is ready.", {}});
  const auto& history = c.state.latency_history_ms;
  const float peak = history.empty() ? 0.0F : *std::max_element(history.begin(), history.end());
  const double top = round_up_125(std::max(static_cast<double>(peak), known ? latency.p95_ms * 1.2 : 0.0));
  curve(ui, box, history, top);
  const float label = box.x1 + ui.px(6);
  const float line = ui.px(14);
  const int decimals = top < 0.1 ? 2 : top < 1.0 ? 1 : 0;
  ui.text(Type::small, label, box.y0 - ui.px(2), line, theme::kText2, fixed(top, decimals) + " ms");
  ui.text(Type::small, label, box.y1 - line + ui.px(2), line, theme::kMuted, "0");
  if (known) {
    const float y =
        box.y1 - ui.px(2) - static_cast<float>(std::min(latency.p95_ms / top, 1.0)) * (box.height() - ui.px(4));
    dashed(ui, box.x0, box.x1, std::round(y), theme::kText2);
    const float at = std::clamp(y - 0.5F * line, box.y0 + line - ui.px(2), box.y1 - 2 * line + ui.px(4));
    ui.text(Type::small, label, std::round(at), line, theme::kMuted, "p95");
  }
  if (c.compact) return;
  const Rect axis = ui.row(column, 16, 2);
  ui.text(Type::small, axis, theme::kMuted, "\u221210 s");
  ui.text_right(Type::small, box.x1, axis.y0, axis.height(), theme::kMuted, "now");
}

}  // namespace echoloop
