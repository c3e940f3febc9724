// Flow: mode, facts and overlay of the flow image, display and choice of the retained singular components, then the
// sample volume of spectral Doppler.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/own_method.h"
#include "core/units.h"
#include "gui/overlay/image_scales.h"
#include "gui/panels/panels.h"
#include "gui/state/number_text.h"
#include "gui/toolkit/layout.h"
#include "gui/toolkit/plot.h"
#include "gui/view/analysis_layers.h"
#include "measure/levels.h"

namespace echoloop {

// Rows of the flow panel defined below. UI thread only.

// Draws the singular values with draggable ends of the retained ones. Returns true if the parameters have changed.
bool component_rows(PanelContext& c, Column& column, std::string_view why_not);

namespace {

bool gate_row(PanelContext& c, Column& column) {
  const ParamSpec& spec = param("gate");
  constexpr std::array<Choice, 2> kOffOn = {{{"Off"}, {"On"}}};
  const std::string_view why = why_no_effect(spec, param_context(c));
  const Rect r = c.ui.labelled(column, "Doppler", why.empty());
  const auto picked =
      c.ui.segmented("gate", r, kOffOn, static_cast<int>(get_number(c.edits.params, spec)),
                     {"Spectral Doppler",
                      "Velocity spectrum over time in a sample volume on the beam. Drag the sample volume or an end on "
                      "the image.",
                      why});
  if (!picked) return false;
  set_number(c.edits.params, spec, *picked);
  return true;
}

// Draws angle and PRF, which scale the velocities, unless colour Doppler shows them already, and the range.
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
  const SpectrogramCounts& n = std::get<SpectrogramCounts>(c.model.analyses.of<AnalysisCounts>());
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
  const bool changed = param_rows(c, column, {kPart<&ImagingParams::doppler>}, MoreRows::shown, kGateRows);
  if (c.edits.params.doppler.gate == Gate::off) return changed;
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

// Warns if a recording is shorter than an ensemble, or the kept frames do not fill one.
void warn_of_short_ensemble(PanelContext& c, Column& column) {
  const std::uint64_t frames = c.model.source.frame_count;
  const auto needed = static_cast<std::uint64_t>(c.edits.params.color_flow.frames);
  if (frames == 0 || frames >= needed) {
    if (c.model.run != RunState::frozen || c.model.kept.why_no_flow.empty()) return;
    return warn(c, column, "flow_no_ensemble", "No flow for this frame. " + c.model.kept.why_no_flow);
  }
  const std::string text =
      fmt::format("The recording has {}, too few for an ensemble of {}. {}", counted(frames, "frame"), needed,
                  frames >= 16 ? "Reduce the ensemble." : "Flow needs at least 16.");
  warn(c, column, "flow_too_short", text);
}

// Warns that velocity and power come from pixels that are not the linear sum of their channels.
void warn_of_method(PanelContext& c, Column& column) {
  const FormationParams& p = c.edits.params.formation;
  const bool own = p.adaptive == Adaptive::own && p.own != nullptr && p.own->replaces;
  if (p.recipe != Recipe::analytic || p.adaptive == Adaptive::off || (is_weight(p.adaptive) && !own) || makes_mask(p))
    return;
  warn(c, column, "flow_of_method",
       fmt::format("Computed from the pixels of the method ({}), which are not linear.",
                   kAdaptiveMethods[static_cast<std::size_t>(p.adaptive)].label));
}

// Offers the policy under which no frame is lost.
void offer_block(PanelContext& c, Column& column) {
  if (!loses_ensembles(c.model, c.edits)) return;
  warn(c, column, "flow_frames_lost",
       fmt::format("{} drops frames: consecutive ones are rare.", policy_words(c.edits.stream.policy).label));
  const Rect r = c.ui.row(column, theme::kRow, 2);
  if (c.ui.button("flow_block", r, {.label = "Block the source"},
                  {"Block the source", "The source waits for a free slot; no frame is lost.", {}})) {
    c.edits.stream.policy = RingPolicy::block;
  }
}

bool flow_row(PanelContext& c, Column& column) {
  const bool changed = mode_row(c, column, param("flow"));
  const std::string_view why = why_not(c);
  if (!why.empty()) c.ui.paragraph_row(column, 16, theme::kText2, why);
  if (c.edits.params.color_flow.mode != FlowMode::off) {
    warn_of_short_ensemble(c, column);
    warn_of_method(c, column);
  }
  offer_block(c, column);
  return changed;
}

bool components_row(PanelContext& c, Column& column) { return component_rows(c, column, why_not(c)); }

bool prf_row(PanelContext& c, Column& column) {
  const ParamSpec& spec = param("flow_prf_hz");
  ParamControl control = spec.control;
  const Acquisition* a = c.model.source.acquisition.get();
  if (a == nullptr || a->frame_rate_hz <= 0.0) control.text_at_min = "unknown";
  return number_row(c, column, spec, control);
}

constexpr std::array<OwnRow, 4> kFlowRows = {
    {{"flow", flow_row}, {"svd_low", components_row}, {"svd_high", nullptr}, {"flow_prf_hz", prf_row}}};

void fact_rows(PanelContext& c, Column& column) {
  const FlowImage* flow = c.model.analyses.of<FlowView>().image.get();
  const FlowCounts& n = std::get<FlowCounts>(c.model.analyses.of<AnalysisCounts>());
  const bool frozen = c.model.run == RunState::frozen;
  if (frozen && !c.model.kept.why_no_flow.empty()) return;
  column.y += c.ui.px(4);
  if (frozen && (flow == nullptr || c.model.analyses.of<FlowView>().age_s == 0.0)) {
    fact_row(
        c.ui, column, "flow_age", "Ensemble",
        flow != nullptr ? fmt::format("this frame and {} before", flow->frames - 1) : "computing",
        "History frames show the flow of the ensemble that ends with this frame, computed with the current settings.");
  } else {
    fact_row(c.ui, column, "flow_age", "Delay",
             flow != nullptr
                 ? fmt::format("{} s, {} frames", flow_age_text(c.model.analyses.of<FlowView>().age_s), flow->frames)
                 : "collecting an ensemble",
             "Time since acquisition of the newest frame in the displayed flow image; during playback, the delay "
             "relative to the displayed frame. The B-mode image does not wait for flow.");
  }
  if (flow != nullptr) {
    fact_row(c.ui, column, "flow_made", "Computed in", fixed(flow->times.total_ms, 1) + " ms",
             fmt::format("Decomposition {} ms, filter and image {} ms, in parallel with the live stream.",
                         fixed(flow->times.decompose_ms, 1), fixed(flow->times.filter_ms, 1)));
  }
  if (flow != nullptr && c.edits.params.color_flow.mode == FlowMode::velocity) {
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

bool loses_ensembles(const Model& model, const Edits& edits) {
  const bool drops = edits.stream.policy == RingPolicy::drop_oldest || edits.stream.policy == RingPolicy::drop_newest;
  return drops && needs_ensembles(edits.params) && !model.source.live &&
         (model.run == RunState::live || model.run == RunState::replay) &&
         model.numbers.counts.dropped > model.numbers.counts.processed / 16;
}

void flow_panel(PanelContext& c, Column& column, bool& open) {
  Ui& ui = c.ui;
  const ImagingParams& p = c.edits.params;
  ui.header("panel_flow", column, "Flow",
            open                                 ? ""
            : p.color_flow.mode == FlowMode::off ? "off"
                                                 : get_choice(p, param("flow")).label,
            open);
  if (!open) return;
  column.y += ui.px(2);
  bool changed = param_rows(c, column, {kPart<&ImagingParams::color_flow>}, MoreRows::shown, kFlowRows);
  if (p.color_flow.mode != FlowMode::off && why_not(c).empty()) fact_rows(c, column);
  changed |= gate_rows(c, column);
  if (changed) c.commands.send(command::ParamsChanged{});
}

// Singular values of the last ensemble in decibels, and the retained ones: two draggable marks. Below, one component:
// its Doppler spectrum, from its singular vector along the frames, and its map, which is displayed if it alone is
// retained.

namespace {

constexpr float kHeight = 108;
constexpr int kBins = 257;
constexpr double kFloor_db = -60.0;
constexpr std::string_view kSpectrumTitle = "Component spectrum";

// Limits of the axis, plus and minus `limit`: velocities if known.
struct Axis {
  double limit = 1.0;
  std::string_view unit = "of Nyquist";
};

Axis axis_of(const FlowImage& flow) {
  if (flow.aliasing_m_s >= 1.0) return {flow.aliasing_m_s, "m/s"};
  if (flow.aliasing_m_s > 0.0) return {100.0 * flow.aliasing_m_s, "cm/s"};
  if (flow.prf_hz > 0.0) return {0.5 * flow.prf_hz, "Hz"};
  return {};
}

// Draws the switch that retains this component only, or restores the previous selection.
bool alone_row(PanelContext& c, Column& column, int component, std::string_view why_not) {
  struct Kept {
    int low = 0, high = 0;
  };
  static Kept before;
  ImagingParams& p = c.edits.params;
  const bool alone = p.color_flow.svd_low == component && p.color_flow.svd_high == component;
  const Rect r = c.ui.row(column, theme::kRow, theme::kRowGap);
  const std::string_view label =
      p.color_flow.mode == FlowMode::power ? "Show only this component" : "Show only this component";
  if (!c.ui.check_box("component_alone", r, label, alone,
                      {"Single component",
                       "Retains only this component. In Power, the overlay shows the strength of the component at each "
                       "pixel on the scale of the image (lower the threshold to show more); in Low rank, the newest "
                       "frame. Turning this off restores the previous selection.",
                       why_not})) {
    return false;
  }
  if (!alone) before = {p.color_flow.svd_low, p.color_flow.svd_high};
  const Kept now = alone ? before : Kept{component, component};
  p.color_flow.svd_low = now.low;
  p.color_flow.svd_high = now.high;
  return true;
}

// Draws the values under the pointer.
void spectrum_note(const Ui& ui, const Rect& cell, const Plot& plot, const Axis& axis, const std::vector<float>& levels,
                   double step) {
  const double at = plot.x_at(ImGui::GetIO().MousePos.x);
  const auto bin = static_cast<std::size_t>(std::clamp(std::lround((at + axis.limit) / step), 0L, kBins - 1L));
  draw_plot_note(ui, cell, plot, kSpectrumTitle,
                 fmt::format("{} {}  {} dB",
                             signed_fixed(at, axis.limit < 1.0    ? 2
                                              : axis.limit < 20.0 ? 1
                                                                  : 0),
                             axis.unit, fixed(static_cast<double>(levels[bin]), 0)));
}

bool spectrum_rows(PanelContext& c, Column& column, const FlowImage& flow, int first_kept, std::string_view why_not) {
  const int n = static_cast<int>(flow.singular_values.size());
  if (n < 2 || flow.temporal_vectors.size() != flow.singular_values.size() * flow.singular_values.size()) return false;
  static std::optional<int> chosen;  // only one plot; nullopt: the first retained component
  Ui& ui = c.ui;
  const int component = std::clamp(chosen.value_or(first_kept), 1, n);
  const auto moved = slider(ui, column,
                            {.id = "component",
                             .label = "Component",
                             .track_min = 1.0,
                             .track_max = static_cast<double>(n),
                             .least = 1.0,
                             .most = static_cast<double>(n),
                             .help = "Component of the spectrum below; the image is not affected. Right-click selects "
                                     "the first retained component."},
                            component, first_kept);
  if (moved) chosen = static_cast<int>(std::lround(*moved));
  if (moved && *chosen == first_kept) chosen.reset();
  const auto size = static_cast<std::size_t>(n);
  const std::span<const std::complex<float>> temporal_vector =
      std::span(flow.temporal_vectors).subspan(static_cast<std::size_t>(component - 1) * size, size);
  const std::vector<float> levels = component_spectrum_db(temporal_vector, kBins, kFloor_db);
  const Axis axis = axis_of(flow);
  const Rect cell = ui.row(column, kHeight, 4);
  const Plot plot = draw_plot(ui, cell, {kSpectrumTitle, {-axis.limit, axis.limit, axis.unit}, {0.0, kFloor_db, "dB"}});
  draw_cursor(ui, plot, 0.0);
  const double step = 2.0 * axis.limit / (kBins - 1);
  draw_curve(ui, plot, levels, -axis.limit, step, theme::kText);
  const Hit h = ui.hit(
      "component_spectrum", plot.box,
      {"Component spectrum",
       "Doppler spectrum of this component (positive: towards the probe). Tissue is a peak at zero, blood is a "
       "broad band away from zero, noise is flat. The ends are the aliasing limit. Hann window over the ensemble.",
       {}});
  if (h.hovered) spectrum_note(ui, cell, plot, axis, levels, step);
  return alone_row(c, column, component, why_not);
}

constexpr float kComponentsHeight = 132;
constexpr double kComponentFloor_db = -120.0;

enum class Grip { none, first, last };

struct Kept {
  int first = 0, last = 0;  // from 1
};

std::vector<float> levels_db(const std::vector<float>& values) {
  std::vector<float> levels;
  const double most = values.empty() ? 0.0 : static_cast<double>(values.front());
  for (const float v : values) {
    const double share = most > 0.0 ? static_cast<double>(v) / most : 0.0;
    levels.push_back(
        static_cast<float>(share > 0.0 ? std::max(20.0 * std::log10(share), kComponentFloor_db) : kComponentFloor_db));
  }
  return levels;
}

// Returns the energy of the kept components in percent of all frames' energy.
double energy_percent(const std::vector<float>& values, Kept kept) {
  double all = 0.0, inside = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double energy = static_cast<double>(values[i]) * static_cast<double>(values[i]);
    const int component = static_cast<int>(i) + 1;
    all += energy;
    if (component >= kept.first && component <= kept.last) inside += energy;
  }
  return all > 0.0 ? 100.0 * inside / all : 0.0;
}

// Returns the components of the displayed image, or those already selected.
Kept kept_now(const ImagingParams& p, const FlowImage& flow) {
  const int n = static_cast<int>(flow.singular_values.size());
  Kept kept{p.color_flow.svd_low > 0 ? std::min(p.color_flow.svd_low, n) : flow.components.first,
            p.color_flow.svd_high > 0 ? std::min(p.color_flow.svd_high, n) : flow.components.last};
  kept.last = std::max(kept.last, kept.first);
  return kept;
}

Grip nearest_grip(const Plot& plot, Kept kept, float x) {
  const float to_first = std::abs(x - plot.x_px(kept.first)), to_last = std::abs(x - plot.x_px(kept.last));
  if (to_first == to_last) return x < plot.x_px(kept.first) ? Grip::first : Grip::last;
  return to_first < to_last ? Grip::first : Grip::last;
}

bool drag(ImagingParams& p, Grip grip, Kept kept, int to, int n) {
  const ImagingParams before = p;
  if (grip == Grip::first) p.color_flow.svd_low = std::clamp(to, 1, kept.last);
  if (grip == Grip::last) p.color_flow.svd_high = std::clamp(to, kept.first, n);
  return !(p == before);
}

void draw_kept(const Ui& ui, const Plot& plot, Kept kept, Grip lit) {
  const float x0 = plot.x_px(kept.first - 0.5), x1 = plot.x_px(kept.last + 0.5);
  ui.fill(Rect{x0, plot.box.y0, x1, plot.box.y1}.common(plot.box), theme::kSelected);
  const auto mark = [&](int component, Grip grip) {
    const float x = std::round(plot.x_px(component));
    const ImU32 color = lit == grip ? theme::kAccentHover : theme::kAccent;
    ui.fill({x - ui.px(1), plot.box.y0, x - ui.px(1) + ui.px(2), plot.box.y1}, color);
    ui.triangle(x, plot.box.y0 + ui.px(8), Direction::down, color, 8);
  };
  mark(kept.first, Grip::first);
  mark(kept.last, Grip::last);
}

std::string kept_text(Kept kept) {
  return kept.first == kept.last ? std::to_string(kept.first) : fmt::format("{}\u2013{}", kept.first, kept.last);
}

std::string_view chosen_text(const ImagingParams& p) {
  if (p.color_flow.svd_low == 0 && p.color_flow.svd_high == 0) return ", automatic";
  return p.color_flow.svd_low > 0 && p.color_flow.svd_high > 0 ? ", manual" : ", partly manual";
}

}  // namespace

bool component_rows(PanelContext& c, Column& column, std::string_view why_not) {
  Ui& ui = c.ui;
  const FlowImage* flow = c.model.analyses.of<FlowView>().image.get();
  if (flow == nullptr || flow->singular_values.empty()) return false;  // until the next ensemble
  ImagingParams& p = c.edits.params;
  const int n = static_cast<int>(flow->singular_values.size());
  const std::vector<float> levels = levels_db(flow->singular_values);
  const Rect cell = ui.row(column, kComponentsHeight, 4);
  const PlotLook look{.title = "Singular values",
                      .x = {1.0, std::max(2.0, static_cast<double>(n)), "", 0},
                      .y = {0.0, std::min(-10.0, 10.0 * std::floor(static_cast<double>(levels.back()) / 10.0)), "dB"}};
  const Plot plot = draw_plot(ui, cell, look);
  const Hit h = ui.hit(
      "singular_values", plot.box,
      {"Singular values",
       "The ensemble matrix (pixels by frames) is a sum of components, each an image times a time course. The "
       "strongest components are tissue (slow, coherent motion), the flat tail is noise, and blood is in between. "
       "Coloured components are retained. Drag an end; right-click for automatic selection.",
       why_not});
  static Grip grip = Grip::none;  // only one plot and one mouse
  const float x = ImGui::GetIO().MousePos.x;
  bool changed = false;
  if (h.pressed) grip = nearest_grip(plot, kept_now(p, *flow), x);
  if (h.held && why_not.empty()) {
    changed = drag(p, grip, kept_now(p, *flow), static_cast<int>(std::lround(plot.x_at(x))), n);
  }
  if (h.right && why_not.empty()) {
    changed = p.color_flow.svd_low != 0 || p.color_flow.svd_high != 0;
    p.color_flow.svd_low = p.color_flow.svd_high = 0;
  }
  const Kept kept = kept_now(p, *flow);
  draw_kept(ui, plot, kept, h.held ? grip : h.hovered ? nearest_grip(plot, kept, x) : Grip::none);
  draw_curve(ui, plot, levels, 1.0, 1.0, theme::kText);
  const Rect r = ui.row(column, 20, 0);
  const float end = ui.text(Type::small, r, theme::kText2, "Retained " + kept_text(kept));
  const double percent = energy_percent(flow->singular_values, kept);
  const std::string energy = fixed(percent, percent < 1.0 ? 3 : 1) + " % energy";
  ui.text_right(Type::small, r.x1, r.y0, r.height(), theme::kText, energy);
  const std::string_view chosen = chosen_text(p);
  if (end + ui.width(Type::small, chosen) + ui.px(8) + ui.width(Type::small, energy) <= r.x1) {
    ui.text(Type::small, end, r.y0, r.height(), theme::kText2, chosen);
  }
  if (p.color_flow.mode == FlowMode::low_rank) {
    const Rect row = ui.row(column, 20, 0);
    ui.text(Type::small, row, theme::kText2, "Error relative to the full loop");
    ui.text_right(Type::small, row.x1, row.y0, row.height(), theme::kText,
                  fixed(100.0 * flow->relative_error, 2) + " %");
  }
  column.y += ui.px(4);
  changed |= spectrum_rows(c, column, *flow, kept.first, why_not);
  return changed;
}

constinit const PanelRow FlowAnalysis::kPanel{
    .key = "flow", .open = false, .open_compact = false, .mode = PanelMode::engineer, .draw = flow_panel};

}  // namespace echoloop
