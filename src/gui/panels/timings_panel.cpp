#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/panels.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr int kFirst = static_cast<int>(Stage::upload);
constexpr int kLast = static_cast<int>(Stage::present);
constexpr int kEndOfFrame = static_cast<int>(kLastOfFrame);

struct Scale {
  double top_ms = 1.0;
  double budget_ms = 0.0;  // mark on the scale; 0: none
};

struct Columns {
  float name = 0, bar0 = 0, bar1 = 0, p50 = 0, p95 = 0, max = 0;
};

StageSummary sum_of_stages(const Model& model) {
  StageSummary sum;
  for (int i = kFirst; i <= kEndOfFrame; ++i) {
    const StageSummary& s = model.numbers.stages[static_cast<std::size_t>(i)];
    sum.p50_ms += s.p50_ms;
    sum.p95_ms += s.p95_ms;
    sum.max_ms += s.max_ms;
    sum.count = std::max(sum.count, s.count);
  }
  return sum;
}

StageSummary whole_frame(const Model& model) {
  return model.numbers.frame_total.count > 0 ? model.numbers.frame_total : sum_of_stages(model);
}

Scale bar_scale(const Model& model, const StageSummary& frame) {
  double largest = frame.p95_ms;
  for (int i = kFirst; i <= kLast; ++i)
    largest = std::max(largest, model.numbers.stages[static_cast<std::size_t>(i)].p95_ms);
  const double budget = model.numbers.frame_budget_ms;
  if (budget <= 0.0 || largest < 0.1 * budget) return {round_up_125(largest), 0.0};
  return {largest <= budget ? budget : round_up_125(largest), budget};
}

Columns columns_of(const Ui& ui, const Rect& r) {
  const float step = ui.px(kNumberStep);
  Columns c;
  c.name = r.x0 + ui.px(16);
  c.max = r.x1;
  c.p95 = c.max - step;
  c.p50 = c.p95 - step;
  c.bar0 = c.name + ui.px(76);
  c.bar1 = c.p50 - ui.px(40);
  return c;
}

void numbers(const Ui& ui, const Rect& r, const Columns& at, const StageSummary& s, Type type) {
  const ImU32 faint = type == Type::strong ? theme::kText : theme::kText2;
  ui.text_right(type, at.p50, r.y0, r.height(), faint, ms_text(s.p50_ms, s.count > 0));
  ui.text_right(type, at.p95, r.y0, r.height(), theme::kText, ms_text(s.p95_ms, s.count > 0));
  ui.text_right(type, at.max, r.y0, r.height(), faint, ms_text(s.max_ms, s.count > 0));
}

void bar(const Ui& ui, const Rect& r, const Columns& at, const StageSummary& s, const Scale& scale, ImU32 color) {
  if (at.bar1 - at.bar0 < ui.px(20)) return;
  const auto x = [&](double ms) {
    return std::round(at.bar0 + (at.bar1 - at.bar0) * static_cast<float>(std::clamp(ms / scale.top_ms, 0.0, 1.0)));
  };
  ui.fill({at.bar0, r.cy() - ui.px(3), at.bar1, r.cy() + ui.px(3)}, theme::kField, 1);
  if (s.count == 0) return;
  ui.fill({at.bar0, r.cy() - ui.px(3), std::max(x(s.p50_ms), at.bar0 + 1), r.cy() + ui.px(3)}, color, 1);
  ui.fill({x(s.p95_ms) - ui.px(1), r.cy() - ui.px(5), x(s.p95_ms) + ui.px(1), r.cy() + ui.px(5)}, color);
  ui.fill({x(s.max_ms), r.cy() - ui.px(3), x(s.max_ms) + ui.hairline(), r.cy() + ui.px(3)}, theme::kMuted);
}

// Draws the ends of the bars' scale and the titles of the numbers in the panel's header.
void head_words(const Ui& ui, const Rect& r, const Scale& scale) {
  const Columns at = columns_of(ui, r);
  if (at.bar1 - at.bar0 >= ui.px(20)) {
    const bool whole = scale.top_ms >= 10.0 || scale.top_ms == std::round(scale.top_ms);
    const int decimals = scale.top_ms < 1.0 ? 2 : whole ? 0 : 1;
    ui.text(Type::small, at.bar0, r.y0, r.height(), theme::kMuted, "0");
    ui.text_right(Type::small, at.bar1, r.y0, r.height(), theme::kMuted, fixed(scale.top_ms, decimals) + " ms");
  } else {
    ui.text_right(Type::small, at.p50 - ui.px(34), r.y0, r.height(), theme::kMuted, "ms");
  }
  ui.text_right(Type::small, at.p50, r.y0, r.height(), theme::kText2, "p50");
  ui.text_right(Type::small, at.p95, r.y0, r.height(), theme::kText2, "p95");
  ui.text_right(Type::small, at.max, r.y0, r.height(), theme::kText2, "max");
}

std::string budget_text(const Model& model) {
  const double budget = model.numbers.frame_budget_ms;
  return fixed(budget, budget == std::round(budget) ? 0 : budget < 9.995 ? 2 : 1);
}

void frame_row(PanelContext& c, Column& column, const StageSummary& frame, const Scale& scale) {
  Ui& ui = c.ui;
  ui.horizontal(column.x0 + ui.px(16), column.x1, column.y, theme::kLine);
  column.y += ui.px(3);
  const Rect r = ui.row(column, kNumberRow, 0);
  const Columns at = columns_of(ui, r);
  const bool measured = c.model.numbers.frame_total.count > 0;
  ui.text(Type::strong, at.name, r.y0, r.height(), theme::kText, measured ? "Frame" : "Sum");
  const Hit h = ui.hit("frame_total", r);
  std::string help = measured ? "From the start of the upload to the finished image; stages may overlap."
                              : "Sum of the stages above, from upload to image. Frames in different lanes overlap.";
  if (c.model.numbers.frame_budget_ms > 0.0) help += fmt::format(" Budget of a frame: {} ms.", budget_text(c.model));
  ui.tip("frame_total", h, r, {measured ? "Frame" : "Sum", help, {}});
  if (at.bar1 - at.bar0 >= ui.px(20)) {
    ui.fill({at.bar0, r.cy() - ui.px(4), at.bar1, r.cy() + ui.px(4)}, theme::kField, 1);
    double sum = 0.0;
    const auto x = [&](double ms) {
      return std::round(at.bar0 + (at.bar1 - at.bar0) * static_cast<float>(std::clamp(ms / scale.top_ms, 0.0, 1.0)));
    };
    for (int i = kFirst; i <= kEndOfFrame; ++i) {
      const double part = c.model.numbers.stages[static_cast<std::size_t>(i)].p50_ms;
      ui.fill({x(sum), r.cy() - ui.px(4), x(sum + part), r.cy() + ui.px(4)},
              theme::kStageColors[static_cast<std::size_t>(i)]);
      sum += part;
    }
    if (scale.budget_ms > 0.0) {
      const float line = std::max(x(scale.budget_ms), at.bar0 + ui.px(2));
      ui.fill({line - ui.px(2), r.cy() - ui.px(6), line, r.cy() + ui.px(6)}, theme::kText);
    }
  }
  numbers(ui, r, at, frame, Type::strong);
}

std::string summary(const PanelContext& c, const StageSummary& frame) {
  const std::string p95 = frame.count > 0 ? "p95 " + ms_words(frame.p95_ms) : "p95 —";
  if (c.compact) return p95;
  if (c.model.numbers.frame_budget_ms <= 0.0) return frame.count > 0 ? p95 : "no budget: rate max";
  return fmt::format("{}, budget {} ms", p95, budget_text(c.model));
}

}  // namespace

void timings_panel(PanelContext& c, Column& column, bool& open) {
  Ui& ui = c.ui;
  const StageSummary frame = whole_frame(c.model);
  const float top = column.y;
  ui.header("panel_timings", column, "Timings", open ? "" : summary(c, frame), open);
  if (!open) return;
  const Scale scale = bar_scale(c.model, frame);
  head_words(ui, {column.x0, top, column.x1, column.y}, scale);
  for (int i = kFirst; i <= kLast; ++i) {
    const auto stage = static_cast<std::size_t>(i);
    const StageSummary& s = c.model.numbers.stages[stage];
    if (stage == static_cast<std::size_t>(Stage::load) && c.edits.stream.inject.load_ms == 0.0) continue;
    if (stage == static_cast<std::size_t>(Stage::refine) && s.count == 0) continue;  // all its filters are off
    const Rect r = ui.row(column, kNumberRow, 0);
    const Columns at = columns_of(ui, r);
    const float chip = ui.px(8);
    ui.fill({r.x0, r.cy() - 0.5F * chip, r.x0 + chip, r.cy() + 0.5F * chip}, theme::kStageColors[stage], 2);
    ui.text(Type::body, at.name, r.y0, r.height(), theme::kText, kStages[stage].label);
    bar(ui, r, at, s, scale, theme::kStageColors[stage]);
    numbers(ui, r, at, s, Type::body);
  }
  frame_row(c, column, frame, scale);
  if (c.model.numbers.why_fp32 != nullptr)
    note_row(c, column, fmt::format("Single precision: {}.", c.model.numbers.why_fp32));
}

}  // namespace echoloop
