#include "gui/docks/figure_m_mode.h"

#include <utility>

#include "core/units.h"
#include "gui/docks/m_mode_dock.h"

namespace echoloop {

FigureStrip figure_m_mode(const MModeStrip& strip, const UiState& state, const Image& image, double span_s) {
  const Grid& grid = strip.columns().line()->grid;
  const TimeSteps steps = strip.steps(span_s);
  const double offset_s = strip.offset_s(), newest_s = strip.newest_s();
  const PlotAxis depth{line_first_m(grid) / kMetresPerMillimetre, line_last_m(grid) / kMetresPerMillimetre, "mm"};
  FigureStrip f{.title = "M-mode",
                .facts = {line_text(image, *state.image.inspected)},
                .x = {offset_s - span_s, offset_s, "s"},
                .y = depth,
                .columns = steps.n,
                .rows = grid.nz,
                .levels_db = {},
                .display = state.params,
                .m_mode_line = state.image.inspected};
  sample_columns(strip.columns(), steps, grid.nz, f.levels_db);
  if (const auto shown = strip.shown_s()) {
    const double at = *shown - newest_s;
    f.lines.push_back({.points = {{at, depth.first}, {at, depth.last}}, .ink = {{255, 255, 255}, 0.6}});
  }
  for (const MModeCaliper& c : state.image.m_mode.calipers) {
    CaliperText text = caliper_text(c);
    f.calipers.push_back({.from = {c.time0_s - newest_s, c.depth0_m / kMetresPerMillimetre},
                          .to = {c.time1_s - newest_s, c.depth1_m / kMetresPerMillimetre},
                          .lengths = std::move(text.lengths),
                          .rates = std::move(text.rates)});
  }
  return f;
}

}  // namespace echoloop
