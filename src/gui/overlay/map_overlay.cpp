#include "gui/overlay/map_overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "measure/map_on_grid.h"

namespace echoloop {
namespace {

Rgb mixed(std::span<const std::array<float, 3>> stops, double share) {
  const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
  const std::size_t i = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  const auto t = static_cast<float>(place - static_cast<double>(i));
  const auto part = [&](std::size_t k) {
    return static_cast<std::uint8_t>(std::lround(stops[i][k] + t * (stops[i + 1][k] - stops[i][k])));
  };
  return {part(0), part(1), part(2)};
}

}  // namespace

ShownMap shown_map(const MapViewPtr& map, MapOn on, const LevelImage& own) {
  constexpr double kShown_db = 12.0;  // on either side
  if (map == nullptr || on != MapOn::difference || map->map.kind != MapKind::levels) return {.view = map};
  LevelDifference difference = level_difference(levels_on_grid(own, map->grid), map->values);
  auto view = std::make_shared<MapView>(*map);
  view->values = std::move(difference.db);
  view->map.kind = MapKind::velocity;  // two colours
  view->map.name = "own − " + map->map.name;
  view->map.unit = "dB";
  view->least = -kShown_db, view->most = kShown_db;
  return {.view = std::move(view),
          .numbers = fmt::format("rms {:.2f} dB, median {:.1f} dB", difference.rms_db, difference.median_db)};
}

Rgb map_bar_color(MapKind kind, double share) {
  static constexpr std::array<float, 3> kGray[] = {{0, 0, 0}, {255, 255, 255}};
  static constexpr std::array<float, 3> kFlow[] = {
      {80, 160, 255}, {20, 60, 190}, {12, 14, 18}, {190, 40, 20}, {255, 190, 80}};
  static constexpr std::array<float, 3> kViridis[] = {
      {68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
  switch (kind) {
    case MapKind::levels:
    case MapKind::picture:
      return mixed(kGray, share);
    case MapKind::velocity:
      return mixed(kFlow, share);
    case MapKind::label:
      return {86, 200, 235};
    case MapKind::value:
      break;
  }
  return mixed(kViridis, share);
}

MapColor map_color(const MapView& map, float value, double opacity) {
  if (!std::isfinite(value) || (map.map.kind == MapKind::label && !(value > 0.5F))) return {};
  const double range = map.most - map.least;
  return {map_bar_color(map.map.kind, range > 0.0 ? (static_cast<double>(value) - map.least) / range : 0.5),
          std::clamp(opacity, 0.0, 1.0)};
}

std::string map_words(const ShownMap& map) {
  if (map.view == nullptr) return {};
  std::string text = map.view->map.name;
  if (map.view->map.kind != MapKind::label)
    text += fmt::format(", {:.4g} to {:.4g}{}{}", map.view->least, map.view->most,
                        map.view->map.unit.empty() ? "" : " ", map.view->map.unit);
  return map.numbers.empty() ? text : text + ", " + map.numbers;
}

void draw_map_in(RgbImage& picture, const PixelArea& area, const Grid& grid, const MapOverlay& overlay) {
  if (picture.rgb.empty()) return;
  const MapView& map = *overlay.map.view;
  const double opacity = overlay.on == MapOn::overlay ? overlay.opacity : 1.0;
  const int w = area.x1 - area.x0, h = area.y1 - area.y0;
  const int first = overlay.on == MapOn::b_side ? static_cast<int>(std::lround(overlay.from * w)) : 0;
  for (int y = 0; y < h; ++y) {
    for (int x = std::max(first, 0); x < w; ++x) {
      const PlanePoint at{grid.x0_m + (x + 0.5) / w * grid.width_m(), grid.z0_m + (y + 0.5) / h * grid.height_m()};
      const MapColor color = map_color(map, static_cast<float>(map.at(at)), opacity);
      if (color.opacity <= 0.0) continue;
      std::uint8_t* rgb =
          &picture.rgb[3 * (static_cast<std::size_t>(area.y0 + y) * static_cast<std::size_t>(picture.width) +
                            static_cast<std::size_t>(area.x0 + x))];
      const std::uint8_t over[3] = {color.rgb.r, color.rgb.g, color.rgb.b};
      for (int k = 0; k < 3; ++k)
        rgb[k] = static_cast<std::uint8_t>(std::lround(rgb[k] + color.opacity * (over[k] - rgb[k])));
    }
  }
}

void draw_map_bar(Canvas& canvas, const CanvasRect& bar, const MapView& map, const ScaleLook& look) {
  constexpr int kSteps = 128;
  const double em = look.em;
  for (int k = 0; k < kSteps; ++k) {
    const double y0 = bar.y0 + bar.height() * k / kSteps, y1 = bar.y0 + bar.height() * (k + 1) / kSteps;
    canvas.fill({bar.x0, y0, bar.x1, y1}, {map_bar_color(map.map.kind, 1.0 - (k + 0.5) / kSteps)});
  }
  canvas.text({bar.x1 + 0.35 * em, bar.y0 + 0.5 * em}, look.label(look.text), TextAlign::left,
              fmt::format("{:.4g}", map.most));
  canvas.text({bar.x1 + 0.35 * em, bar.y1 - 0.5 * em}, look.label(look.text), TextAlign::left,
              fmt::format("{:.4g}", map.least));
  canvas.text({bar.x0, bar.y0 - 1.6 * em}, look.label(look.muted), TextAlign::left, map.map.unit);
}

}  // namespace echoloop
