// Faults on purpose: one control per row of injection_specs().
#include <fmt/format.h>

#include <algorithm>

#include "core/injection.h"
#include "gui/panels/panels.h"

namespace echoloop {
namespace {

// Where dragging ends; larger values are typed.
double track_end(const InjectionSpec& spec) {
  return std::min(spec.max, spec.unit == "ms" ? 1000.0 : spec.unit == "s" ? 60.0 : 1e6);
}

constexpr double kMostTyped = 1e12;  // a frame number that no stream reaches, and that still fits the column

bool fault_row(PanelContext& c, Column& column, const InjectionSpec& spec) {
  Injection& inject = c.state.stream.inject;
  double& value = inject.*spec.member;
  SliderLook look{.id = spec.key.data(),
                  .label = spec.label,
                  .unit = spec.unit,
                  .decimals = spec.step < 1.0 ? 1 : 0,
                  .track_max = track_end(spec),
                  .most = std::min(spec.max, kMostTyped),
                  .help = spec.help};
  std::optional<double> wanted;
  if (spec.member == &Injection::stall_every_s) {
    if (inject.stall_ms <= 0.0) look.why_not = "Stalls are off: set a duration first.";
    look.track = Track::logarithmic;
    look.track_min = look.least = spec.step;
    wanted = slider(c.ui, column, look, value, Injection().*spec.member);
  } else {
    wanted = slider_from_off(c.ui, column, look, value, spec.step);
  }
  if (wanted) value = *wanted;
  return wanted.has_value();
}

}  // namespace

void faults_panel(PanelContext& c, Column& column, bool& open) {
  Ui& ui = c.ui;
  Injection& inject = c.state.stream.inject;
  const std::string on = to_text(inject);
  ui.header("panel_faults", column, "Fault injection", on.empty() ? "all off" : on, open);
  if (!open) return;
  ui.paragraph_row(column, 16, theme::kMuted, "Deliberate faults, to show how each policy reacts.");
  bool changed = false;
  for (const InjectionSpec& spec : injection_specs()) changed |= fault_row(c, column, spec);
  column.y += ui.px(4);
  if (ui.button("faults_off", ui.row(column, theme::kRow, 4), {.label = "All off"},
                {"All off", "Turns all faults off; counters keep their values.",
                 on.empty() ? "All faults are off already." : ""})) {
    inject = {};
    changed = true;
  }
  if (changed) call(c.commands.stream_changed);
}

}  // namespace echoloop
