// Latency: from a frame's arrival to its finished picture, and to the window's picture. Both in numbers, one as a
// curve.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/stream_parts.h"
#include "gui/state/number_text.h"
#include "gui/toolkit/sparkline.h"

namespace echoloop {
namespace {

struct Way {
  const char* id;
  const char* label;
  const char* help;
  const StageSummary& recent;  // over the last 10 s
  const StageSummary& since_start;
  Latency latency;
};

std::string percentiles_text(std::string_view span, const StageSummary& s) {
  if (s.count == 0) return {};
  return fmt::format(" {}: p50 {}, p95 {}, p99 {}, max {} ms.", span, ms_text(s.p50_ms, true), ms_text(s.p95_ms, true),
                     ms_text(s.p99_ms, true), ms_text(s.max_ms, true));
}

float number_step(const PanelContext& c) { return c.ui.px(c.compact ? 40 : 50); }

// The rows are the choice of what is drawn below them.
void number_row(PanelContext& c, Column& column, const Way& way, bool known) {
  Ui& ui = c.ui;
  const Rect r = ui.row(column, kStreamRow, 0);
  const bool plotted = c.view.plotted == way.latency;
  const std::string help =
      way.help + percentiles_text("Last 10 s", way.recent) + percentiles_text("Since the start", way.since_start);
  if (ui.radio(way.id, r, way.label, plotted, {way.label, help, {}})) c.view.plotted = way.latency;
  const StageSummary& s = c.view.transient.latency_since_start ? way.since_start : way.recent;
  float x = r.x1;
  for (const double ms : {s.max_ms, s.p99_ms, s.p95_ms, s.p50_ms}) {
    ui.text_right(c.compact ? Type::small : Type::body, x, r.y0, r.height(), plotted ? theme::kText : theme::kText2,
                  ms_text(ms, known && s.count > 0));
    x -= number_step(c);
  }
}

void head_row(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const Rect r = ui.row(column, kStreamRow, 0);
  float end = ui.text(Type::body, r, theme::kText2, "Latency") + ui.px(6);
  if (!c.compact) end = ui.text(Type::small, end, r.y0, r.height(), theme::kMuted, "ms,") + ui.px(4);
  const bool all = c.view.transient.latency_since_start;
  const char* span = c.compact ? (all ? "all" : "10 s") : all ? "since start" : "last 10 s";
  const Rect link{end, r.y0, end + ui.width(Type::small, span), r.y1};
  const Hit h = ui.hit("latency_span", link);
  ui.tip(
      "latency_span", h, link,
      {"Period of the percentiles", "The frames shown in the last 10 s, or all since the start. Click to switch.", {}});
  ui.text(Type::small, link, h.hovered ? theme::kText : theme::kAccent, span);
  if (h.clicked) c.view.transient.latency_since_start = !all;
  float x = r.x1;
  for (const char* name : {"max", "p99", "p95", "p50"}) {
    ui.text_right(Type::small, x, r.y0, r.height(), theme::kMuted, name);
    x -= number_step(c);
  }
}

std::string top_text(double top_ms) {
  if (top_ms >= 1000.0) return fixed(1e-3 * top_ms, 0) + " s";
  return fixed(top_ms, decimals_of_125(top_ms)) + " ms";
}

void plot_row(PanelContext& c, Column& column, bool running) {
  Ui& ui = c.ui;
  const bool shown = c.view.plotted == Latency::shown;
  const StageSummary& summary = shown ? c.state.numbers.shown_latency.recent : c.state.numbers.latency.recent;
  const std::vector<float>& history =
      shown ? c.state.numbers.shown_latency.history_ms : c.state.numbers.latency.history_ms;
  const bool known = running && summary.count > 0;
  double peak = known ? summary.p95_ms * 1.2 : 0.0;
  for (const float ms : history) peak = std::max(peak, std::isnan(ms) ? 0.0 : static_cast<double>(ms));
  const double top = round_up_125(peak);
  const Rect row = ui.row(column, 26, 0);
  const Hit h = ui.hit("latency", row);
  ui.tip("latency", h, row,
         {shown ? "Latency until shown" : "Latency until ready",
          "Last 10 s, slowest frame per interval; dashed line: p95.",
          {}});
  Sparkline plot{.values = history, .top = top, .top_text = top_text(top)};
  if (known) {
    plot.line = summary.p95_ms;
    plot.line_text = "p95";
  }
  draw_sparkline(ui, row, plot);
}

}  // namespace

void latency_rows(PanelContext& c, Column& column) {
  const bool running = c.state.run != RunState::fault;
  head_row(c, column);
  number_row(c, column,
             {"latency_ready", "Ready", "From a complete frame in host memory to the finished image.",
              c.state.numbers.latency.recent, c.state.numbers.latency.since_start, Latency::ready},
             running);
  number_row(c, column,
             {"latency_shown", "Shown", "From a complete frame in host memory to the image on the display.",
              c.state.numbers.shown_latency.recent, c.state.numbers.shown_latency.since_start, Latency::shown},
             running);
  column.y += c.ui.px(3);
  plot_row(c, column, running);
}

}  // namespace echoloop
