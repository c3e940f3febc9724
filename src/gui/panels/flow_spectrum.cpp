// One singular component: its Doppler spectrum, which is what its singular vector along the frames says of how fast it
// moves, and its map, which is what is on screen when it alone is kept.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <span>
#include <vector>

#include "gui/panels/flow_parts.h"
#include "gui/state/number_text.h"
#include "gui/toolkit/plot.h"
#include "measure/component_spectrum.h"

namespace echoloop {
namespace {

constexpr float kHeight = 108;
constexpr int kBins = 257;
constexpr double kFloor_db = -60.0;
constexpr std::string_view kSpectrumTitle = "Component spectrum";

// From one end of the axis to the other: velocities where they are known.
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

// Keeps this component only, and afterwards what was kept before.
bool alone_row(PanelContext& c, Column& column, int component, std::string_view why_not) {
  struct Kept {
    int low = 0, high = 0;
  };
  static Kept before;
  ImagingParams& p = c.state.params;
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

// What is under the pointer.
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

}  // namespace

bool spectrum_rows(PanelContext& c, Column& column, const FlowImage& flow, int first_kept, std::string_view why_not) {
  const int n = static_cast<int>(flow.singular_values.size());
  if (n < 2 || flow.temporal_vectors.size() != flow.singular_values.size() * flow.singular_values.size()) return false;
  static std::optional<int> chosen;  // one plot, one user; none: the first that is kept
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
  const Hit h = ui.hit("component_spectrum", plot.box);
  ui.tip("component_spectrum", h, plot.box,
         {"Component spectrum",
          "Doppler spectrum of this component (positive: towards the probe). Tissue is a peak at zero, blood is a "
          "broad band away from zero, noise is flat. The ends are the aliasing limit. Hann window over the ensemble.",
          {}});
  if (h.hovered) spectrum_note(ui, cell, plot, axis, levels, step);
  return alone_row(c, column, component, why_not);
}

}  // namespace echoloop
