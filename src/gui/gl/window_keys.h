// The keys of the real window: which of ours GLFW means. UI thread only.
#pragma once

#include <optional>
#include <vector>

#include "gui/state/keys.h"

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

}  // namespace echoloop
