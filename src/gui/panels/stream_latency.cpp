// Latency: from a frame's arrival to its finished picture, and to the window's picture. Both in numbers, one as a
// curve.
#include <fmt/format.h>

#include <algorithm>

#include "gui/number_text.h"
#include "gui/panels/sparkline.h"
#include "gui/panels/stream_parts.h"

namespace echoloop {
namespace {

constexpr std::array<Choice, 2> kChoices = {{{"Ready"}, {"Shown"}}};

struct Way {
  const char* id;
  const char* label;
  const char* help;
  const StageSummary& summary;
};

void number_row(PanelContext& c, Column& column, const Way& way, bool plotted, bool known) {
  Ui& ui = c.ui;
  const Type type = c.compact ? Type::small : Type::body;
  const Rect r = ui.row(column, 20, 0);
  const Hit h = ui.hit(way.id, r);
  ui.tip(way.id, h, r, {way.label, way.help, {}});
  if (plotted) ui.fill({r.x0, r.cy() - ui.px(1), r.x0 + ui.px(8), r.cy() + ui.px(1)}, theme::kAccent);
  const ImU32 color = plotted ? theme::kText : theme::kText2;
  ui.text(type, r.x0 + ui.px(13), r.y0, r.height(), color, way.label);
  const StageSummary& s = way.summary;
  float x = r.x1;
  for (const double ms : {s.max_ms, s.p99_ms, s.p95_ms, s.p50_ms}) {
    ui.text_right(type, x, r.y0, r.height(), color, ms_text(ms, known && s.count > 0));
    x -= ui.px(c.compact ? 40 : 50);
  }
}

void head_row(const Ui& ui, Column& column, bool compact) {
  const Rect r = ui.row(column, 18, 0);
  ui.text(Type::small, r.x0 + ui.px(13), r.y0, r.height(), theme::kMuted, "ms");
  float x = r.x1;
  for (const char* name : {"max", "p99", "p95", "p50"}) {
    ui.text_right(Type::small, x, r.y0, r.height(), theme::kMuted, name);
    x -= ui.px(compact ? 40 : 50);
  }
}

}  // namespace

void latency_rows(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const bool shown = c.view.plotted == Latency::shown;
  const bool running = c.state.run != RunState::fault;
  const Rect head = ui.row(column, theme::kRow, 4);
  ui.text(Type::body, head, theme::kText2, "Latency");
  const float width = ui.px(c.compact ? 120 : 144);
  if (const auto picked =
          ui.segmented("latency_plot", {head.x1 - width, head.y0, head.x1, head.y1}, kChoices, shown ? 1 : 0,
                       {"Latency plot",
                        "Which of the two latencies is drawn: until the picture is ready, or until the "
                        "window has shown it.",
                        {}})) {
    c.view.plotted = *picked == 1 ? Latency::shown : Latency::ready;
  }
  const StageSummary& summary = shown ? c.state.shown_latency : c.state.latency;
  const std::vector<float>& history = shown ? c.state.shown_latency_history_ms : c.state.latency_history_ms;
  const bool known = running && summary.count > 0;
  const float peak = history.empty() ? 0.0F : *std::max_element(history.begin(), history.end());
  const double top = round_up_125(std::max(static_cast<double>(peak), known ? summary.p95_ms * 1.2 : 0.0));
  const Rect row = ui.row(column, 48, 2);
  const Hit h = ui.hit("latency", row);
  ui.tip("latency", h, row,
         {shown ? "Latency until shown" : "Latency until ready",
          "Each frame of the last 10 s; the dashed line is p95.",
          {}});
  Sparkline plot{.values = history, .top = top, .top_text = fixed(top, decimals_of_125(top)) + " ms"};
  if (known) {
    plot.line = summary.p95_ms;
    plot.line_text = "p95";
  }
  const Rect box = draw_sparkline(ui, row, plot);
  if (!c.compact) draw_sparkline_axis(ui, column, box);
  head_row(ui, column, c.compact);
  number_row(c, column,
             {"latency_ready", "Ready", "From the moment a frame is complete in host memory to its finished picture.",
              c.state.latency},
             !shown, running);
  number_row(c, column,
             {"latency_shown", "Shown",
              "From the moment a frame is complete in host memory to its picture on the "
              "display.",
              c.state.shown_latency},
             shown, running);
  column.y += ui.px(2);
}

}  // namespace echoloop
