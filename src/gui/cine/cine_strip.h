// The strip below the image: the track over the kept frames with playhead and loop marks, and the row of buttons.
// UI thread only.
#pragma once

#include <cstdint>
#include <optional>

#include "gui/panels/panels.h"

namespace echoloop {

// Dragging a playhead along a track over the kept frames. While live a drag freezes first and seeks as soon as the kept
// frames are frozen. UI thread only.

// Of a key: one frame an arrow, ten with Shift or Page; to later ones positive.
std::ptrdiff_t frame_steps(const KeyPress& press);

class TrackDrag {
 public:
  // `area`: where the mouse takes hold; `track`: from the oldest kept frame to the newest.
  void use(PanelContext& c, const char* id, const Rect& track, const Rect& area);

 private:
  std::optional<double> wanted_;  // share of the track: where to go once frozen
  double wanted_since_ = 0;
};

class CineStrip {
 public:
  void draw(PanelContext& c, const Rect& r);

 private:
  TrackDrag drag_;
};

// The row of buttons; `y` is its top. In cine_buttons.cpp.
void draw_cine_buttons(PanelContext& c, float x0, float x1, float y);

// The strip of the presentation for fingers: freeze, steps, slow motion, the kept frames. It hides when nothing has
// been touched for a while. UI thread only.

class TouchStrip {
 public:
  static constexpr float kHeight = 112;  // at scale 1

  void touch(std::int64_t now_ns) { touched_ns_ = now_ns; }  // there was input, or the presentation begins
  [[nodiscard]] bool shown(std::int64_t now_ns) const;
  // True when it is about to hide: one more frame has to be drawn.
  [[nodiscard]] bool ending(std::int64_t now_ns) const;

  void draw(PanelContext& c, const Rect& r);
  // A speed that was chosen while live takes effect once the history frames are frozen. Each frame.
  void follow(const Model& model, Edits& edits, Commands& commands);

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
