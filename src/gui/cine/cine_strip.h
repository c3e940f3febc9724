// Strip below the image: the track over the kept frames with playhead and loop marks, and the row of buttons. UI thread
// only.
#pragma once

#include <cstdint>
#include <optional>

#include "gui/panels/panels.h"

namespace echoloop {

// Drag of a playhead along a track over the kept frames. A drag in a live stream first freezes and seeks when the kept
// frames are frozen. UI thread only.

// Returns the step of a key: one frame per arrow, ten with Shift or Page; positive to later ones.
std::ptrdiff_t frame_steps(const KeyPress& press);

class TrackDrag {
 public:
  // Handles the drag; returns true if the pointer is in the area. `area`: where it can start; `track`: from the oldest
  // kept frame to the newest.
  bool use(PanelContext& c, const char* id, const Rect& track, const Rect& area);

 private:
  std::optional<double> wanted_;  // fraction of the track: target when frozen
  double wanted_since_ = 0;
};

class CineStrip {
 public:
  void draw(PanelContext& c, const Rect& r);

 private:
  TrackDrag drag_;
};

// Draws the row of buttons; `y` is its top.
void draw_cine_buttons(PanelContext& c, float x0, float x1, float y);

// Touch strip of the presentation: freeze, steps, slow motion, the kept frames. It hides after a period without input.
// UI thread only.

class TouchStrip {
 public:
  static constexpr float kHeight = 112;  // at scale 1

  void touch(std::int64_t now_ns) { touched_ns_ = now_ns; }  // on input, or at the start of the presentation
  [[nodiscard]] bool shown(std::int64_t now_ns) const;
  // Returns true shortly before it hides: one more frame must be drawn.
  [[nodiscard]] bool ending(std::int64_t now_ns) const;

  void draw(PanelContext& c, const Rect& r);
  // Applies a speed chosen while live, when the history frames are frozen. Each frame.
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
