#include "gui/docks/strip_span.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace echoloop {
namespace {

constexpr std::array<double, 3> kSpans = {2.0, 4.0, 8.0};

double power_of_ten(double value) { return std::pow(10.0, std::floor(std::log10(value) + 1e-9)); }

// Seconds of acquisition in a second.
double playback_speed(const UiState& state) {
  const double wanted_hz = state.stream.rate_hz > 0.0 ? state.stream.rate_hz : state.source.rate_hz;
  const Acquisition* const a = state.source.acquisition.get();
  if (a == nullptr || a->frame_rate_hz <= 0.0 || wanted_hz <= 0.0) return 1.0;
  if (std::isinf(wanted_hz)) return state.numbers.pace.slower ? state.numbers.pace.speed : 1.0;
  return std::min(wanted_hz / a->frame_rate_hz, 1.0);
}

}  // namespace

std::string strip_span_text(double span_s) {
  if (span_s > 0.1) return fmt::format("{:.3g} s", span_s);
  return span_s > 1e-4 ? fmt::format("{:.3g} ms", span_s * 1e3) : fmt::format("{:.3g} µs", span_s * 1e6);
}

double fitted_span_s(const UiState& state, double span_s) {
  if (state.run == RunState::frozen) return span_s;
  const double speed = std::max(playback_speed(state), 1e-9);
  return std::round(span_s / power_of_ten(span_s)) / power_of_ten(1.0 / speed);
}

void choose_span(PanelContext& c, const char* id, Rect& head, double& span_s) {
  Ui& ui = c.ui;
  span_s = fitted_span_s(c.state, span_s);
  const double unit_s = power_of_ten(span_s);
  std::array<std::string, kSpans.size()> names;
  std::array<Choice, kSpans.size()> choices;
  int chosen = -1;
  for (std::size_t i = 0; i < kSpans.size(); ++i) {
    names[i] = strip_span_text(kSpans[i] * unit_s);
    choices[i] = {names[i]};
    if (std::lround(span_s / unit_s) == std::lround(kSpans[i])) chosen = static_cast<int>(i);
  }
  const Rect spans{head.x1 - ui.px(unit_s < 0.05 ? 150 : 132), head.y0 + ui.px(3), head.x1, head.y1 - ui.px(3)};
  if (const auto now = ui.segmented(id, spans, choices, chosen,
                                    {"Time span", "Acquisition time across the strip, shorter in slow motion.", {}})) {
    span_s = kSpans[static_cast<std::size_t>(*now)] * unit_s;
  }
  head.x1 = spans.x0 - ui.px(12);
}

}  // namespace echoloop
