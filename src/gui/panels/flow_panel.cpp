// Flow: what is computed of moving things and how it lies over the picture. Which singular components are kept is
// shown and dragged in flow_components.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gui/flow_bar.h"
#include "gui/flow_colors.h"
#include "gui/flow_scale.h"
#include "gui/number_text.h"
#include "gui/panels/fact_row.h"
#include "gui/panels/flow_parts.h"
#include "gui/panels/formation_parts.h"

namespace echoloop {
namespace {

constexpr std::array<Choice, 4> kModes = {{{"Off"}, {"Power"}, {"Velocity"}, {"Low rank"}}};
constexpr std::array<Choice, 4> kFilters = {{{"None"}, {"FIR high-pass"}, {"Polynomial"}, {"SVD"}}};

std::string_view why_not(const UiState& state) {
  if (state.source.acquisition == nullptr) return "No source.";
  if (state.params.recipe == Recipe::course) return "Not available with the course recipe: pixels without phase.";
  return {};
}

// What acts on live pictures only.
std::string_view why_not_frozen(const UiState& state, std::string_view why) {
  const bool frozen = why.empty() && state.run == RunState::frozen;
  return frozen ? "History frames show the flow of the ensemble that ends with this frame, without persistence." : why;
}

bool mode_row(PanelContext& c, Column& column, std::string_view why) {
  ImagingParams& p = c.state.params;
  const Rect r = c.ui.row(column, theme::kRow, theme::kRowGap);
  const auto picked = c.ui.segmented(
      "flow", r, kModes, static_cast<int>(p.flow),
      {"Flow",
       "Power: Doppler power in any direction. Velocity: velocity along the beam from the phase change between frames. "
       "Low rank: the image reconstructed from a few singular components of the last frames.",
       why});
  if (!picked) return false;
  p.flow = static_cast<FlowMode>(*picked);
  return true;
}

bool filter_rows(PanelContext& c, Column& column, std::string_view why) {
  ImagingParams& p = c.state.params;
  bool changed = false;
  const bool low_rank = p.flow == FlowMode::low_rank;
  if (!low_rank) {
    const auto at = static_cast<std::size_t>(p.wall_filter);
    column.y += c.ui.px(3);
    if (const auto picked = c.ui.combo("wall_filter", c.ui.labelled(column, "Wall filter", {}, why.empty()),
                                       kFilters[at], kFilters, static_cast<int>(at),
                                       {"Wall filter",
                                        "Suppresses tissue echoes, which are slow and 20 to 60 dB stronger than blood. "
                                        "FIR passes velocities above the cut-off, the polynomial removes slow drifts "
                                        "in each pixel, SVD removes motion common to the whole image.",
                                        why})) {
      p.wall_filter = static_cast<WallFilter>(*picked);
      changed = true;
    }
  }
  const bool components = low_rank || p.wall_filter == WallFilter::svd;
  if (!components && p.wall_filter == WallFilter::polynomial) {
    changed |= param_slider(c.ui, column, "wall_order", p, c.state.defaults, {}, why);
  } else if (components || p.wall_filter == WallFilter::fir) {
    std::string_view why_cutoff = why;
    const int by_hand = low_rank ? p.svd_high : p.svd_low;
    if (why_cutoff.empty() && components && by_hand > 0) why_cutoff = "The components are selected manually.";
    changed |= param_slider(c.ui, column, "wall_cutoff", p, c.state.defaults, {.min = 0.01, .max = 0.9}, why_cutoff);
  }
  if (components) changed |= component_rows(c, column, why);
  return changed;
}

bool ensemble_rows(PanelContext& c, Column& column, std::string_view why) {
  ImagingParams& p = c.state.params;
  const ImagingParams& d = c.state.defaults;
  bool changed =
      param_slider(c.ui, column, "flow_frames", p, d, {.min = 16, .max = 512, .track = Track::logarithmic}, why);
  changed |= param_slider(c.ui, column, "flow_step", p, d, {.min = 1, .max = 128, .track = Track::logarithmic},
                          why_not_frozen(c.state, why));
  if (p.flow == FlowMode::velocity) {
    changed |= param_slider(c.ui, column, "flow_angle_rad", p, d, {.min = -80, .max = 80}, why);
  }
  const Acquisition* a = c.state.source.acquisition.get();
  const bool rate_known = a != nullptr && a->frame_rate_hz > 0.0;
  if (p.flow == FlowMode::velocity || !rate_known) {
    changed |= param_slider(c.ui, column, "flow_prf_hz", p, d,
                            {.min = 0, .max = 10000, .text_at_least = rate_known ? "as recorded" : "unknown"}, why);
  }
  return changed;
}

bool overlay_rows(PanelContext& c, Column& column, std::string_view why) {
  ImagingParams& p = c.state.params;
  const ImagingParams& d = c.state.defaults;
  bool changed = param_slider(c.ui, column, "flow_threshold_db", p, d, {.min = -100, .max = 0}, why);
  changed |= param_slider(c.ui, column, "flow_priority_db", p, d, {.min = -80, .max = 20}, why);
  changed |= param_slider(c.ui, column, "flow_persistence_s", p, d, {.min = 0, .max = 2, .text_at_least = "off"},
                          why_not_frozen(c.state, why));
  return changed;
}

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
  const auto needed = static_cast<std::uint64_t>(c.state.params.flow_frames);
  if (frames == 0 || frames >= needed) {
    if (c.state.run != RunState::frozen || c.state.cine.why_no_flow.empty()) return;
    return warn(c, column, "flow_no_ensemble", "No flow for this frame. " + c.state.cine.why_no_flow);
  }
  const std::string text = fmt::format("The recording has {} {}, too few for an ensemble of {}. {}", frames,
                                       frames == 1 ? "frame" : "frames", needed,
                                       frames >= 16 ? "Reduce the ensemble." : "Flow needs at least 16.");
  warn(c, column, "flow_too_short", text);
}

void fact_rows(PanelContext& c, Column& column) {
  const FlowImage* flow = c.state.flow.image;
  const FlowCounts& n = c.state.flow.counts;
  const bool frozen = c.state.run == RunState::frozen;
  if (frozen && !c.state.cine.why_no_flow.empty()) return;
  column.y += c.ui.px(4);
  if (frozen && (flow == nullptr || c.state.flow.age_s == 0.0)) {
    fact_row(
        c.ui, column, "flow_age", "Ensemble",
        flow != nullptr ? fmt::format("this frame and {} before", flow->frames - 1) : "computing",
        "History frames show the flow of the ensemble that ends with this frame, computed with the current settings.");
  } else {
    fact_row(c.ui, column, "flow_age", "Delay",
             flow != nullptr ? fmt::format("{} s, {} frames", flow_age_text(c.state.flow.age_s), flow->frames)
                             : "collecting an ensemble",
             "Time since acquisition of the newest frame in the displayed flow image; during playback, the delay "
             "relative to the displayed frame. The B-mode image does not wait for flow.");
  }
  if (flow != nullptr) {
    fact_row(c.ui, column, "flow_made", "Computed in", fixed(flow->times.total_ms, 1) + " ms",
             fmt::format("Decomposition {} ms, filter and image {} ms, in parallel with the live stream.",
                         fixed(flow->times.decompose_ms, 1), fixed(flow->times.filter_ms, 1)));
  }
  if (flow != nullptr && c.state.params.flow == FlowMode::velocity) {
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

void flow_panel(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  ImagingParams& p = c.state.params;
  bool& open = c.view.is_open(Panel::flow, c.compact);
  const auto mode = static_cast<std::size_t>(p.flow);
  ui.header("panel_flow", column, "Flow", open ? "" : mode == 0 ? "off" : kModes[mode].label, open);
  if (!open) return;
  column.y += ui.px(2);
  const std::string_view why = why_not(c.state);
  bool changed = mode_row(c, column, why);
  if (!why.empty()) {
    column.y +=
        ui.paragraph(Type::small, column.x0, column.y, column.x1 - column.x0, ui.px(16), theme::kText2, why) + ui.px(4);
  }
  if (p.flow != FlowMode::off) {
    warn_of_short_ensemble(c, column);
    changed |= filter_rows(c, column, why);
    changed |= ensemble_rows(c, column, why);
    if (is_overlay(p.flow)) changed |= overlay_rows(c, column, why);
    if (why.empty()) fact_rows(c, column);
  }
  changed |= gate_rows(c, column);
  if (changed) call(c.commands.params_changed);
}

}  // namespace echoloop
