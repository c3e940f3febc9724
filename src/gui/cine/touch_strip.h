// The strip of the presentation for fingers: freeze, steps, slow motion, the kept frames. It hides when nothing has
// been touched for a while. UI thread only.
#pragma once

#include <cstdint>
#include <optional>

#include "gui/cine/track_drag.h"

namespace echoloop {

class TouchStrip {
 public:
  static constexpr float kHeight = 112;  // at scale 1

  void touch(std::int64_t now_ns) { touched_ns_ = now_ns; }  // there was input, or the presentation begins
  [[nodiscard]] bool shown(std::int64_t now_ns) const;
  // True when it is about to hide: one more frame has to be drawn.
  [[nodiscard]] bool ending(std::int64_t now_ns) const;

  void draw(PanelContext& c, const Rect& r);
  // A speed that was chosen while live takes effect once the kept frames stand still. Each frame.
  void follow(UiState& state, const UiCommands& commands);

 private:
  void choose_speed(PanelContext& c, double speed);
  void draw_speeds(PanelContext& c, Rect& row);
  void draw_track(PanelContext& c, const Rect& row);

  TrackDrag drag_;
  std::optional<double> wanted_speed_;
  double wanted_since_s_ = 0.0;
  std::int64_t touched_ns_ = 0;
};

}  // namespace echoloop
