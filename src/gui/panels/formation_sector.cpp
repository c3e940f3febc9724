// Image formation: kind and limits of the grid, and the transmits that are used.
#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "gui/panels/formation_parts.h"

namespace echoloop {
namespace {

bool shows_sector(const PanelContext& c) {
  const Acquisition* a = c.state.source.acquisition.get();
  return a != nullptr && grid_kind(c.state.params, *a) == GridKind::polar;
}

int transmits_of(const PanelContext& c) {
  const Acquisition* a = c.state.source.acquisition.get();
  return a != nullptr ? a->n_transmits() : 1;
}

}  // namespace

bool grid_kind_row(PanelContext& c, Column& column) {
  const bool automatic = c.state.params.formation.grid_kind == GridChoice::automatic;
  return choice_row(c, column, param("grid_kind"), !automatic ? "" : shows_sector(c) ? "polar" : "cartesian");
}

bool lateral_row(PanelContext& c, Column& column) {
  const FormationParams& p = c.state.params.formation;
  const FormationParams& d = c.state.defaults.formation;
  const double widest =
      std::max({std::abs(d.lateral_min_m), d.lateral_max_m, std::abs(p.lateral_min_m), p.lateral_max_m, 5e-3}) * 1.5 /
      kMetresPerMillimetre;
  return interval_row(c, column, {.id = "lateral", .label = "Lateral", .track_min = -widest, .track_max = widest},
                      "lateral_min_m", "lateral_max_m", 1.0);
}

bool sector_row(PanelContext& c, Column& column) {
  return interval_row(c, column, {.id = "sector", .label = "Sector", .track_min = -90.0, .track_max = 90.0},
                      "sector_min_rad", "sector_max_rad", 2.0);
}

bool compounding_row(PanelContext& c, Column& column) {
  const ImagingParams& p = c.state.params;
  const Acquisition* a = c.state.source.acquisition.get();
  const bool automatic = p.formation.compounding == Compounding::automatic;
  const bool lines = a != nullptr && forms_lines(p, *a);
  return choice_row(c, column, param("compounding"), !automatic ? "" : lines ? "lines" : "coherent");
}

bool transmit_range_row(PanelContext& c, Column& column) {
  TransmitParams& p = c.state.params.transmits;
  const int n = transmits_of(c);
  const SliderLook look{.id = "transmits",
                        .label = "Transmits used",
                        .track_min = 1,
                        .track_max = static_cast<double>(std::max(n, 2)),
                        .least = 1,
                        .most = static_cast<double>(n),
                        .help = "First and last transmit of the image.",
                        .why_not = why_no_effect(param("transmit_first"), param_context(c))};
  const Interval now{static_cast<double>(p.first), static_cast<double>(p.last == 0 ? n : p.last)};
  const auto wanted = range_slider(c.ui, column, look, now, {1, static_cast<double>(n)}, 0);
  if (!wanted) return false;
  p.first = static_cast<int>(wanted->low);
  p.last = static_cast<int>(wanted->high) == n ? 0 : static_cast<int>(wanted->high);
  return true;
}

bool transmit_step_row(PanelContext& c, Column& column) {
  const ParamSpec& spec = param("transmit_every");
  ParamControl control = spec.control;
  control.drag_min = 1;
  control.drag_max = std::max(2, (transmits_of(c) + 1) / 2);
  return number_row(c, column, spec, control);
}

}  // namespace echoloop
