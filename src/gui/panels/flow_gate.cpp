// The flow panel's rows of the Doppler gate and its sonogram.
#include <fmt/format.h>

#include <array>

#include "gui/number_text.h"
#include "gui/panels/flow_parts.h"
#include "gui/panels/formation_parts.h"

namespace echoloop {
namespace {

std::string_view why_not(const UiState& state) {
  const Acquisition* a = state.source.acquisition.get();
  if (a == nullptr) return "No source.";
  if (state.params.recipe == Recipe::course) return "Not available with the course recipe: pixels without phase.";
  if (a->frame_rate_hz <= 0.0 && state.params.flow_prf_hz <= 0.0)
    return "The recording has no frame rate: set the PRF first.";
  return {};
}

void fact_row(PanelContext& c, Column& column) {
  const SonogramCounts& n = c.state.sonogram.counts;
  Ui& ui = c.ui;
  const Rect r = ui.row(column, 20, 0);
  ui.tip("sonogram_counts", ui.hit("sonogram_counts", r), r,
         {"Spectra",
          "Gaps: missing frames, black in the spectrum. Late: frames skipped because processing fell behind.",
          {}});
  ui.text(Type::small, r, theme::kText2, "Spectra");
  ui.text_right(Type::small, r.x1, r.y0, r.height(), theme::kText,
                fmt::format("{}, gaps {}, late {}", n.columns, n.gaps, n.late));
}

}  // namespace

bool gate_rows(PanelContext& c, Column& column) {
  ImagingParams& p = c.state.params;
  const ImagingParams& d = c.state.defaults;
  const std::string_view why = why_not(c.state);
  bool changed = false;
  constexpr std::array<Choice, 2> kOffOn = {{{"Off"}, {"On"}}};
  column.y += c.ui.px(3);
  const Rect r = c.ui.labelled(column, "Doppler", {}, why.empty());
  if (const auto picked = c.ui.segmented("gate", r, kOffOn, static_cast<int>(p.gate),
                                         {"Spectral Doppler",
                                          "Velocity spectrum over time in a sample volume on the beam. Drag the "
                                          "sample volume or an end on the image.",
                                          why})) {
    p.gate = static_cast<Gate>(*picked);
    changed = true;
  }
  if (p.gate == Gate::off) return changed;
  changed |=
      param_slider(c.ui, column, "gate_length_m", p, d, {.min = 0.2, .max = 10, .track = Track::logarithmic}, why);
  changed |=
      param_slider(c.ui, column, "sonogram_frames", p, d, {.min = 16, .max = 512, .track = Track::logarithmic}, why);
  changed |=
      param_slider(c.ui, column, "sonogram_cutoff_hz", p, d, {.min = 0, .max = 500, .text_at_least = "off"}, why);
  if (p.flow != FlowMode::velocity) {  // which has these rows too
    changed |= param_slider(c.ui, column, "flow_angle_rad", p, d, {.min = -80, .max = 80}, why);
    changed |=
        param_slider(c.ui, column, "flow_prf_hz", p, d, {.min = 0, .max = 10000, .text_at_least = "as recorded"});
  }
  changed |= param_slider(c.ui, column, "sonogram_range_db", p, d, {.min = 10, .max = 80}, why);
  changed |= param_slider(c.ui, column, "sonogram_gain_db", p, d, {.min = -30, .max = 30, .sign = Sign::always}, why);
  changed |=
      param_slider(c.ui, column, "sonogram_baseline", p, d, {.min = -0.9, .max = 0.9, .sign = Sign::always}, why);
  fact_row(c, column);
  return changed;
}

}  // namespace echoloop
