// The keys of the real window: which of ours GLFW means. UI thread only.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <vector>

#include "gui/state/focus.h"

namespace echoloop {

// Of GLFW's key and scan code; none: it means nothing here.
[[nodiscard]] std::optional<Key> window_key(int glfw_key, int scancode);

// Held down, it acts once: key repeats do not freeze and resume thirty times a second.
[[nodiscard]] bool acts_once(Key key);

// Keys that were pressed and let go between two frames: ImGui before 1.87 looks at what is held when a frame begins and
// would miss them in text fields, or the Ctrl or Shift that was let go with them. They count as held for one frame.
// From 1.87 it does so itself, and this does nothing.
class ShortTaps {
 public:
  void press(int glfw_key, int glfw_mods);
  void begin_frame();  // after ImGui's backend, before ImGui

 private:
  std::vector<int> pressed_, lent_;
};

// The mouse buttons of the real window: every press and release counts where the pointer was. UI thread only.

// ImGui before 1.87 reads the pointer when a frame begins: where frames are slow, the pointer has moved on, and a click
// would act on what lies under it by then. Here the frames take one press or release each, at its own place. From 1.87
// ImGui does so itself, and this does nothing.
class ButtonQueue {
 public:
  void move(float x, float y);  // window coordinates, as ImGui's
  void button(int index, bool down);
  // After ImGui's backend, before ImGui. Whether another frame is due at once.
  bool begin_frame();

 private:
  struct Event {
    int index;
    bool down;
    float x, y;
  };
  std::deque<Event> events_;
  std::array<bool, 3> held_{};  // left, right, middle
  float x_ = 0, y_ = 0;
  float shown_x_ = 0, shown_y_ = 0;  // to ImGui, last
};

}  // namespace echoloop
