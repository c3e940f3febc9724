// Key mapping of the GLFW window. UI thread only.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <vector>

#include "gui/state/focus.h"

namespace echoloop {

// Returns the key for GLFW's key and scan code; nullopt: without function.
[[nodiscard]] std::optional<Key> window_key(int glfw_key, int scancode);

// Returns true for keys without auto-repeat: repeats must not freeze and resume thirty times a second.
[[nodiscard]] bool acts_once(Key key);

// Keys pressed and released between two frames: ImGui before 1.87 reads the held keys when a frame begins and would
// miss them in text fields, or the Ctrl or Shift released with them. They count as held for one frame. No effect from
// 1.87 on, where ImGui handles this.
class ShortTaps {
 public:
  void press(int glfw_key, int glfw_mods);
  void begin_frame();  // called after ImGui's backend, before ImGui

 private:
  std::vector<int> pressed_, lent_;
};

// Mouse buttons of the GLFW window: every press and release has its own pointer position. UI thread only.

// ImGui before 1.87 reads the pointer when a frame begins: in slow frames the pointer has moved, and a click would
// apply to another position. Each frame here handles one press or release, at its own position. No effect from 1.87 on,
// where ImGui handles this.
class ButtonQueue {
 public:
  void move(float x, float y);  // window coordinates, as ImGui's
  void button(int index, bool down);
  // Called after ImGui's backend, before ImGui. Returns true if another frame is due at once.
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
  float shown_x_ = 0, shown_y_ = 0;  // last position given to ImGui
};

}  // namespace echoloop
