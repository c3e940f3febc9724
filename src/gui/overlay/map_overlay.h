// Colours of a stored map, its difference from the image, and both over the pixels of saved images and figures. Any
// thread. No ImGui.
#pragma once

#include <memory>
#include <string>

#include "gui/overlay/image_scales.h"
#include "gui/state/map_state.h"
#include "measure/levels.h"
#include "render/canvas.h"

namespace echoloop {

// A map as shown: the map itself, or the levels of an image minus its levels.
struct ShownMap {
  MapViewPtr view = {};      // null: none
  std::string numbers = {};  // of a difference: "rms 1.20 dB, median -3.1 dB"
};
ShownMap shown_map(const MapViewPtr& map, MapOn on, const LevelImage& own);

struct MapColor {
  Rgb rgb;
  double opacity = 0.0;
};
// Colour of a value of the map: gray for levels and pictures, blue to red for velocities (red: towards the transducer),
// one colour for labels, viridis for other values. opacity: of the whole map.
[[nodiscard]] MapColor map_color(const MapView& map, float value, double opacity);
[[nodiscard]] Rgb map_bar_color(MapKind kind, double share);

// Returns "sos_map, 1450 to 1620 m/s".
[[nodiscard]] std::string map_words(const ShownMap& map);

struct MapOverlay {
  ShownMap map = {};  // with a view
  MapOn on = MapOn::overlay;
  double opacity = 0.5;
  double from = 0.5;  // left limit on side B, as a share of the image's width
};
using MapOverlayPtr = std::shared_ptr<const MapOverlay>;  // null: none

// Draws over an image of `grid` in `area` of a picture, whose edges are the grid's end points; before mirroring.
void draw_map_in(RgbImage& picture, const PixelArea& area, const Grid& grid, const MapOverlay& overlay);
void draw_map_bar(Canvas& canvas, const CanvasRect& bar, const MapView& map, const ScaleLook& look);

}  // namespace echoloop
