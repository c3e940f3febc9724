// Image formation, further rows: where pixels lie, and which transmits make them.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/scan_lines.h"
#include "core/units.h"
#include "gui/panels/formation_parts.h"

namespace echoloop {
namespace {

constexpr std::array<Choice, 3> kGridKinds = {
    {{"Auto", "polar for convex and phased"}, {"Cartesian", "rows and columns"}, {"Polar", "lines of a sector"}}};
constexpr std::array<Choice, 3> kCompoundings = {
    {{"Auto", "lines for focused fans"}, {"Coherent", "all transmits per pixel"}, {"Lines", "one transmit per line"}}};

bool shows_sector(const PanelContext& c) {
  const Acquisition* a = c.state.source.acquisition.get();
  return a != nullptr && grid_kind(c.state.params, *a) == GridKind::polar;
}

bool grid_kind_row(PanelContext& c, Column& column) {
  ImagingParams& p = c.state.params;
  const auto why = course_reason(p, "The course recipe uses a Cartesian grid.");
  const auto at = static_cast<std::size_t>(p.grid_kind);
  Choice shown{kGridKinds[at].label};
  if (p.grid_kind == GridChoice::automatic) shown.note = shows_sector(c) ? "polar" : "cartesian";
  const auto picked = c.ui.combo("grid_kind", c.ui.labelled(column, "Grid type", {}, why.empty()), shown, kGridKinds,
                                 static_cast<int>(at), {"Grid type", param_help("grid_kind"), why});
  if (!picked) return false;
  p.grid_kind = static_cast<GridChoice>(*picked);
  return true;
}

bool compounding_row(PanelContext& c, Column& column) {
  ImagingParams& p = c.state.params;
  const Acquisition* a = c.state.source.acquisition.get();
  std::string_view why = course_reason(p, "The course recipe compounds all transmits coherently.");
  if (why.empty() && (a == nullptr || !find_scan_lines(*a))) {
    why = "Only for transmits focused along scan lines.";
  }
  const auto at = static_cast<std::size_t>(p.compounding);
  Choice shown{kCompoundings[at].label};
  if (p.compounding == Compounding::automatic) shown.note = a != nullptr && forms_lines(p, *a) ? "lines" : "coherent";
  const auto picked = c.ui.combo("compounding", c.ui.labelled(column, "Transmits", {}, why.empty()), shown,
                                 kCompoundings, static_cast<int>(at), {"Transmits", param_help("compounding"), why});
  if (!picked) return false;
  p.compounding = static_cast<Compounding>(*picked);
  return true;
}

}  // namespace

bool sector_rows(PanelContext& c, Column& column) {
  const ImagingParams& p = c.state.params;
  const ImagingParams& d = c.state.defaults;
  const bool sector = shows_sector(c);
  bool changed = grid_kind_row(c, column);
  const double widest =
      std::max({std::abs(d.lateral_min_m), d.lateral_max_m, std::abs(p.lateral_min_m), p.lateral_max_m, 5e-3}) * 1.5 /
      kMetresPerMillimetre;
  changed |= interval_row(c, column,
                          {.id = "lateral",
                           .label = "Lateral",
                           .track_min = -widest,
                           .track_max = widest,
                           .why_not = sector ? "Not used with a polar grid: set the sector limits." : ""},
                          "lateral_min_m", "lateral_max_m", 1.0);
  changed |= interval_row(c, column,
                          {.id = "sector",
                           .label = "Sector",
                           .track_min = -90.0,
                           .track_max = 90.0,
                           .why_not = sector ? "" : "Only for polar grids."},
                          "sector_min_rad", "sector_max_rad", 2.0);
  changed |= compounding_row(c, column);
  return changed;
}

}  // namespace echoloop
