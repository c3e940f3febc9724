// Flow: what is computed of moving things and how it lies over the image. Which singular components are kept is
// shown and dragged in flow_components.cpp. Then the sample volume of spectral Doppler.
#include <fmt/format.h>

#include <array>

#include "core/number.h"
#include "gui/overlay/flow_scale.h"
#include "gui/panels/flow_parts.h"
#include "gui/panels/param_rows.h"
#include "gui/state/number_text.h"
#include "gui/toolkit/fact_row.h"
#include "gui/view/flow_bar.h"

namespace echoloop {
namespace {

bool gate_row(PanelContext& c, Column& column) {
  const ParamSpec& spec = param("gate");
  constexpr std::array<Choice, 2> kOffOn = {{{"Off"}, {"On"}}};
  const std::string_view why = why_no_effect(spec, param_context(c));
  const Rect r = c.ui.labelled(column, "Doppler", why.empty());
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
  const SpectrogramCounts& n = c.state.analyses.spectrogram.counts;
  Ui& ui = c.ui;
  const Rect r = ui.row(column, 20, 0);
  ui.hit("sonogram_counts", r,
         {"Spectra",
          "Gaps: missing frames, black in the spectrum. Late: frames skipped because processing fell behind.",
          {}});
  ui.text(Type::small, r, theme::kText2, "Spectra");
  ui.text_right(Type::small, r.x1, r.y0, r.height(), theme::kText,
                fmt::format("{}, gaps {}, late {}", n.columns, n.gaps, n.late));
}

bool gate_rows(PanelContext& c, Column& column) {
  column.y += c.ui.px(3);
  const bool changed = param_rows(c, column, {ParamPart::doppler}, MoreRows::shown, kGateRows);
  if (c.state.params.doppler.gate == Gate::off) return changed;
  fact_row(c, column);
  return changed;
}

std::string_view why_not(const PanelContext& c) { return why_no_effect(param("flow"), param_context(c)); }

void warn(PanelContext& c, Column& column, const char* id, const std::string& text) {
  Ui& ui = c.ui;
  const float x = column.x0 + ui.px(14);
  ui.disc(column.x0 + ui.px(4), column.y + ui.px(8), 3, theme::kWarn);
  const float height = ui.paragraph(Type::small, x, column.y, column.x1 - x, ui.px(16), theme::kText2, text);
  ui.hit(id, {column.x0, column.y, column.x1, column.y + height});
  column.y += height + ui.px(4);
}

// A recording begins again before an ensemble is full, or the kept frames do not fill one.
void warn_of_short_ensemble(PanelContext& c, Column& column) {
  const std::uint64_t frames = c.state.source.frame_count;
  const auto needed = static_cast<std::uint64_t>(c.state.params.color_flow.frames);
  if (frames == 0 || frames >= needed) {
    if (c.state.run != RunState::frozen || c.state.cine.why_no_flow.empty()) return;
    return warn(c, column, "flow_no_ensemble", "No flow for this frame. " + c.state.cine.why_no_flow);
  }
  const std::string text =
      fmt::format("The recording has {}, too few for an ensemble of {}. {}", counted(frames, "frame"), needed,
                  frames >= 16 ? "Reduce the ensemble." : "Flow needs at least 16.");
  warn(c, column, "flow_too_short", text);
}

// Velocity and power of pixels that are not the linear sum of their channels.
void warn_of_method(PanelContext& c, Column& column) {
  const FormationParams& p = c.state.params.formation;
  if (p.recipe != Recipe::analytic || p.adaptive == Adaptive::off || is_weight(p.adaptive)) return;
  warn(c, column, "flow_of_method",
       fmt::format("Computed from the pixels of the method ({}), which are not linear.",
                   kAdaptiveMethods[static_cast<std::size_t>(p.adaptive)].label));
}

bool flow_row(PanelContext& c, Column& column) {
  const bool changed = mode_row(c, column, param("flow"));
  const std::string_view why = why_not(c);
  if (!why.empty()) c.ui.paragraph_row(column, 16, theme::kText2, why);
  if (c.state.params.color_flow.mode != FlowMode::off) {
    warn_of_short_ensemble(c, column);
    warn_of_method(c, column);
  }
  return changed;
}

bool components_row(PanelContext& c, Column& column) { return component_rows(c, column, why_not(c)); }

bool prf_row(PanelContext& c, Column& column) {
  const ParamSpec& spec = param("flow_prf_hz");
  ParamControl control = spec.control;
  const Acquisition* a = c.state.source.acquisition.get();
  if (a == nullptr || a->frame_rate_hz <= 0.0) control.text_at_min = "unknown";
  return number_row(c, column, spec, control);
}

constexpr std::array<OwnRow, 4> kFlowRows = {
    {{"flow", flow_row}, {"svd_low", components_row}, {"svd_high", nullptr}, {"flow_prf_hz", prf_row}}};

void fact_rows(PanelContext& c, Column& column) {
  const FlowImage* flow = c.state.analyses.flow.image;
  const FlowCounts& n = c.state.analyses.flow.counts;
  const bool frozen = c.state.run == RunState::frozen;
  if (frozen && !c.state.cine.why_no_flow.empty()) return;
  column.y += c.ui.px(4);
  if (frozen && (flow == nullptr || c.state.analyses.flow.age_s == 0.0)) {
    fact_row(
        c.ui, column, "flow_age", "Ensemble",
        flow != nullptr ? fmt::format("this frame and {} before", flow->frames - 1) : "computing",
        "History frames show the flow of the ensemble that ends with this frame, computed with the current settings.");
  } else {
    fact_row(c.ui, column, "flow_age", "Delay",
             flow != nullptr ? fmt::format("{} s, {} frames", flow_age_text(c.state.analyses.flow.age_s), flow->frames)
                             : "collecting an ensemble",
             "Time since acquisition of the newest frame in the displayed flow image; during playback, the delay "
             "relative to the displayed frame. The B-mode image does not wait for flow.");
  }
  if (flow != nullptr) {
    fact_row(c.ui, column, "flow_made", "Computed in", fixed(flow->times.total_ms, 1) + " ms",
             fmt::format("Decomposition {} ms, filter and image {} ms, in parallel with the live stream.",
                         fixed(flow->times.decompose_ms, 1), fixed(flow->times.filter_ms, 1)));
  }
  if (flow != nullptr && c.state.params.color_flow.mode == FlowMode::velocity) {
    fact_row(c.ui, column, "flow_prf", "PRF in use",
             flow->prf_hz > 0.0 ? grouped(static_cast<std::uint64_t>(flow->prf_hz + 0.5)) + " Hz" : "unknown",
             "Acquisition frame rate, independent of the display rate.");
    if (flow->aliasing_m_s > 0.0) {
      fact_row(c.ui, column, "flow_limit", "Aliasing limit",
               "\u00B1" + velocity_text(flow->aliasing_m_s, flow->aliasing_m_s).substr(1),
               "c PRF / (4 f cos(angle)) with centre frequency f: motion of a quarter wavelength between frames. "
               "Faster flow appears with the wrong sign.");
    }
  }
  if (frozen) return;
  fact_row(c.ui, column, "flow_counts", "Updates",
           fmt::format("{}, late {}, interrupted {}", n.pictures, n.late, n.restarts),
           "Late: delayed because the previous update was still computing. Interrupted: the ensemble restarted after a "
           "missing frame or a change of settings.");
}

}  // namespace

void flow_panel(PanelContext& c, Column& column, bool& open) {
  Ui& ui = c.ui;
  const ImagingParams& p = c.state.params;
  ui.header("panel_flow", column, "Flow",
            open                                 ? ""
            : p.color_flow.mode == FlowMode::off ? "off"
                                                 : get_choice(p, param("flow")).label,
            open);
  if (!open) return;
  column.y += ui.px(2);
  bool changed = param_rows(c, column, {ParamPart::color_flow}, MoreRows::shown, kFlowRows);
  if (p.color_flow.mode != FlowMode::off && why_not(c).empty()) fact_rows(c, column);
  changed |= gate_rows(c, column);
  if (changed) call(c.commands.params_changed);
}

}  // namespace echoloop
