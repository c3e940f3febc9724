// A stored map over the image, with its legend, and the traces of signals below the image. UI thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/contents.h"
#include "gui/gl/level_reader.h"
#include "gui/gl/shader.h"
#include "gui/overlay/map_overlay.h"
#include "gui/state/map_state.h"
#include "gui/toolkit/layout.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

class MapLayer {
 public:
  // Draws a map over the image. `from_x`: left limit in pixels, of a map on side B. `own`: levels of the image.
  void draw(Ui& ui, const ImageLayout& layout, const MapViewPtr& map, const MapChoice& choice, float from_x,
            LevelReader& own);

  // Returns what is drawn: the map, or its difference; null: nothing.
  [[nodiscard]] const MapView* drawn() const { return shown_.view.get(); }

 private:
  MapViewPtr of_;
  MapOn on_ = MapOn::overlay;
  std::uint64_t own_number_ = 0;  // image of a difference
  ShownMap shown_;
  double opacity_ = -1.0;
  ColorTexture texture_;
  std::vector<std::uint32_t> colors_;  // [nz][nx]
};

// Returns "sos_map 1508 m/s"; empty: no value there.
[[nodiscard]] std::string map_value_text(const MapView& map, PlanePoint at);

// Traces of the signals of a source: one row each, in the time of the frames.
struct TracesInput {
  const SourceContents& contents;
  double time_s = 0.0;  // of the frame on screen
  double span_s = 0.0;  // of a recording, whose traces are shown whole; 0: the last seconds up to time_s
};
// Takes the band of the traces from the bottom of the area; empty without room, or without signals.
[[nodiscard]] Rect take_traces_band(const Painter& painter, const SourceContents* contents, Rect& area);
// Draws the traces; returns the time of a click.
std::optional<double> draw_signal_traces(Ui& ui, const TracesInput& in, const Rect& band);

}  // namespace echoloop
