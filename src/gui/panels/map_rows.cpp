// Maps of the recording, in the Source panel: the shown one, its place, opacity and range. UI thread only.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/units.h"
#include "gui/panels/panels.h"
#include "measure/map_on_grid.h"

namespace echoloop {
namespace {

void map_range_slider(PanelContext& c, Column& column, const MapView& map) {
  constexpr double kLargest = 1e30;
  MapChoice& choice = c.edits.map;
  const double span = std::max(map.own_most - map.own_least, 1e-12);
  const SliderLook look{.id = "map_range",
                        .label = "Map range",
                        .unit = map.map.unit.c_str(),
                        .decimals = span > 20.0  ? 0
                                    : span > 0.2 ? 2
                                                 : 4,
                        .track_min = map.own_least - 0.5 * span,
                        .track_max = map.own_most + 0.5 * span,
                        .least = -kLargest,
                        .most = kLargest,
                        .help = "Values of the first and the last colour."};
  const auto wanted =
      range_slider(c.ui, column, look, {map.least, map.most}, {map.own_least, map.own_most}, 1e-3 * span);
  if (!wanted || !(wanted->low < wanted->high)) return;
  choice.least = wanted->low, choice.most = wanted->high;
}

// Draws the place of the map and the opacity of an overlay.
void place_rows(PanelContext& c, Column& column, const StoredMap& map) {
  Ui& ui = c.ui;
  MapChoice& choice = c.edits.map;
  const bool levels = map.kind == MapKind::levels;
  const std::array<Choice, 3> places{Choice{"Overlay"}, Choice{"B side"}, Choice{"Difference"}};
  if (!levels && choice.on == MapOn::difference) choice.on = MapOn::overlay;
  const auto on = ui.segmented(
      "map_on", ui.row(column, theme::kRow, 6), std::span(places).first(levels ? 3 : 2), static_cast<int>(choice.on),
      {"Place of the map",
       levels ? "Overlay: over the whole image. B side: opaque, right of a line. Difference: levels of the image minus "
                "those of the map, without their median, where both are above −40 dB."
              : "Overlay: over the whole image. B side: opaque, right of a line.",
       {}});
  if (on) choice.on = static_cast<MapOn>(*on);
  if (choice.on == MapOn::overlay) {
    const SliderLook look{.id = "map_opacity",
                          .label = "Map opacity",
                          .decimals = 2,
                          .track_min = 0.0,
                          .track_max = 1.0,
                          .least = 0.0,
                          .most = 1.0,
                          .help = "0: only the image; 1: only the map."};
    if (const auto wanted = slider(ui, column, look, choice.opacity, 0.5)) choice.opacity = *wanted;
  }
}

}  // namespace

void map_rows(PanelContext& c, Column& column) {
  const SourceContents* const contents = c.model.source.contents.get();
  if (contents == nullptr || contents->maps.empty()) return;
  Ui& ui = c.ui;
  MapChoice& choice = c.edits.map;
  std::vector<Choice> choices{{"Off"}};
  std::vector<const StoredMap*> maps{nullptr};
  int chosen = 0;
  for (const StoredMap& map : contents->maps) {
    if (!map.note.empty()) continue;
    if (map.name == choice.name) chosen = static_cast<int>(choices.size());
    const std::string size = fmt::format("{} × {}", map.columns, map.rows);
    choices.push_back({map.name, map.unit.empty() ? size : map.unit + ", " + size});
    maps.push_back(&map);
  }
  const Rect r = ui.labelled(column, "Map", chosen > 0);
  const auto picked =
      ui.combo("map", r, choices[static_cast<std::size_t>(chosen)], choices, chosen,
               {"Map", "Maps stored in the recording, on the image plane: values, labels, images.", {}});
  if (picked)
    choice = {.name = *picked > 0 ? maps[static_cast<std::size_t>(*picked)]->name : "",
              .opacity = choice.opacity,
              .on = choice.on};
  if (choice.name.empty() || chosen == 0) return;
  const StoredMap& stored = *maps[static_cast<std::size_t>(chosen)];
  place_rows(c, column, stored);
  if (has_own_frames(stored, c.model.source.frame_count)) {
    const SliderLook look{.id = "map_frame",
                          .label = "Map frame",
                          .decimals = 0,
                          .track_min = 1.0,
                          .track_max = static_cast<double>(stored.frames),
                          .least = 1.0,
                          .most = static_cast<double>(stored.frames),
                          .help = "The map has neither times nor as many frames as the recording."};
    if (const auto wanted = slider(ui, column, look, static_cast<double>(choice.frame + 1), 1.0))
      choice.frame = static_cast<std::uint64_t>(std::lround(*wanted)) - 1;
  }
  const MapViewPtr& map = c.model.map;
  if (choice.on == MapOn::difference || map == nullptr || map->map.name != choice.name ||
      map->map.kind == MapKind::label)
    return;
  map_range_slider(c, column, *map);
}

}  // namespace echoloop
