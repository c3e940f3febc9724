// The first-start tour: callouts beside what they explain. The window stays usable under it. UI thread only.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "gui/state/keys.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

struct TourStep {
  std::string_view title;
  std::string_view text;
  // Ids of the controls that are pointed at, together; where none is drawn the last one, and else the image.
  std::array<const char*, 2> targets;
  const char* otherwise = "";
  std::string_view lesson = {};  // a session in assets/lessons that the callout offers to open
};

std::span<const TourStep> tour_steps();

class Tour {
 public:
  void begin() { step_ = 0; }
  void end() { step_ = -1; }
  [[nodiscard]] bool running() const { return step_ >= 0; }
  void hide() { shown_ = false; }  // nothing to point at in this frame: its keys are not taken

  // Enter and Right go on, Left goes back, Escape ends; true when the key was one of them.
  bool take_key(const KeyPress& press);
  // After everything else. `picture`: where the image is; empty = there is none yet. Returns the lesson to open.
  std::string_view draw(Ui& ui, const Rect& picture);

 private:
  void go(int by);
  [[nodiscard]] Rect target_of(const Ui& ui, const Rect& picture) const;

  int step_ = -1;
  bool shown_ = false;
};

}  // namespace echoloop
