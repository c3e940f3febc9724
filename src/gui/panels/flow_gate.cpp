// The flow panel's rows of the Doppler gate and its sonogram.
#include <fmt/format.h>

#include <array>

#include "gui/panels/flow_parts.h"
#include "gui/panels/param_rows.h"

namespace echoloop {
namespace {

bool gate_row(PanelContext& c, Column& column) {
  const ParamSpec& spec = param("gate");
  constexpr std::array<Choice, 2> kOffOn = {{{"Off"}, {"On"}}};
  const std::string_view why = why_no_effect(spec, param_context(c));
  const Rect r = c.ui.labelled(column, "Doppler", {}, why.empty());
  const auto picked =
      c.ui.segmented("gate", r, kOffOn, static_cast<int>(get_number(c.state.params, spec)),
                     {"Spectral Doppler",
                      "Velocity spectrum over time in a sample volume on the beam. Drag the sample volume or an end on "
                      "the image.",
                      why});
  if (!picked) return false;
  set_number(c.state.params, spec, *picked);
  return true;
}

// Angle and PRF scale the velocities; colour Doppler has the same controls, where on screen.
bool range_rows(PanelContext& c, Column& column) {
  bool changed = false;
  for (const std::string_view key : {"flow_angle_rad", "flow_prf_hz"}) {
    const ParamSpec& spec = param(key);
    if (!spec.control.is_shown(param_context(c))) changed |= param_row(c, column, spec);
  }
  return param_row(c, column, "sonogram_range_db") || changed;
}

constexpr std::array<OwnRow, 4> kGateRows = {
    {{"gate", gate_row}, {"gate_x_m", nullptr}, {"gate_z_m", nullptr}, {"sonogram_range_db", range_rows}}};

void fact_row(PanelContext& c, Column& column) {
  const SonogramCounts& n = c.state.analyses.sonogram.counts;
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
  column.y += c.ui.px(3);
  const bool changed = param_rows(c, column, {ParamPart::doppler}, MoreRows::shown, kGateRows);
  if (c.state.params.doppler.gate == Gate::off) return changed;
  fact_row(c, column);
  return changed;
}

}  // namespace echoloop
