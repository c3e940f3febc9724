// The Doppler spectrum of one singular component: what its course along the frames says of how fast it moves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <span>

#include "gui/number_text.h"
#include "gui/panels/flow_parts.h"
#include "gui/plot.h"
#include "measure/course_spectrum.h"

namespace echoloop {
namespace {

constexpr float kHeight = 108;
constexpr int kBins = 257;
constexpr double kFloor_db = -60.0;
constexpr std::string_view kTitle = "Its spectrum";

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

}  // namespace

void spectrum_rows(PanelContext& c, Column& column, const FlowImage& flow, int first_kept) {
  const int n = static_cast<int>(flow.singular_values.size());
  if (n < 2 || flow.courses.size() != flow.singular_values.size() * flow.singular_values.size()) return;
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
                             .help = "Whose spectrum is shown below. It changes nothing in the picture. Right-click "
                                     "goes back to the first one that is kept."},
                            component, first_kept);
  if (moved) chosen = static_cast<int>(std::lround(*moved));
  if (moved && *chosen == first_kept) chosen.reset();
  const auto size = static_cast<std::size_t>(n);
  const std::span<const std::complex<float>> course =
      std::span(flow.courses).subspan(static_cast<std::size_t>(component - 1) * size, size);
  const std::vector<float> levels = course_spectrum_db(course, kBins, kFloor_db);
  const Axis axis = axis_of(flow);
  const Rect cell = ui.row(column, kHeight, 4);
  const Plot plot = draw_plot(ui, cell, {kTitle, {-axis.limit, axis.limit, axis.unit}, {0.0, kFloor_db, "dB"}});
  draw_cursor(ui, plot, 0.0);
  const double step = 2.0 * axis.limit / (kBins - 1);
  draw_curve(ui, plot, levels, -axis.limit, step, theme::kText);
  const Hit h = ui.hit("component_spectrum", plot.box);
  ui.tip("component_spectrum", h, plot.box,
         {"Spectrum of a component",
          "How fast what this component shows comes (positive) or goes. Tissue is a peak at zero, blood is broad and "
          "away from it, noise is everywhere. The ends are the aliasing limit. Hann window; as many frames as the "
          "ensemble has.",
          {}});
  if (!h.hovered) return;
  const double at = plot.x_at(ImGui::GetIO().MousePos.x);
  const auto bin = static_cast<std::size_t>(std::clamp(std::lround((at + axis.limit) / step), 0L, kBins - 1L));
  draw_plot_note(ui, cell, plot, kTitle,
                 fmt::format("{} {}  {} dB",
                             signed_fixed(at, axis.limit < 1.0    ? 2
                                              : axis.limit < 20.0 ? 1
                                                                  : 0),
                             axis.unit, fixed(static_cast<double>(levels[bin]), 0)));
}

}  // namespace echoloop
