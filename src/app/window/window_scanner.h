// The scanner of the window: what is known about its sender, also while none has come yet, and its lines for the
// message log. UI thread only.
#pragma once

#include "app/window/window_opening.h"
#include "app/window/window_parts.h"

namespace echoloop {

class WindowScanner {
 public:
  WindowScanner(WindowParts& parts, const WindowOpening& opening) : parts_(parts), opening_(opening) {}

  void look();                              // once a window frame: fills UiState::scanner
  void set_admission(Admission admission);  // nothing without a scanner

 private:
  void say(const std::vector<LiveNote>& notes);

  WindowParts& parts_;
  const WindowOpening& opening_;
};

}  // namespace echoloop
