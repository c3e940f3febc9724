// The scanner of the window: what is known about its sender, also while none has come yet, and its lines for the
// message log. UI thread only.
#pragma once

#include <optional>
#include <string>

#include "app/window/window_opening.h"
#include "app/window/window_parts.h"
#include "history/child_program.h"

namespace echoloop {

class WindowScanner {
 public:
  WindowScanner(WindowParts& parts, const WindowOpening& opening) : parts_(parts), opening_(opening) {}

  void look();                       // once a window frame: fills UiState::scanner
  void command(SenderCommand what);  // nothing without a scanner; throws Error

 private:
  // Starts `echoloop send` with the heart phantom, which ends with this program, or ends it.
  void toggle_phantom();
  [[nodiscard]] const std::string& named() const;
  void say(const std::vector<LiveNote>& notes);
  void look_at_phantom();
  void end_phantom();

  WindowParts& parts_;
  const WindowOpening& opening_;
  std::optional<ChildProgram> phantom_;
  std::string sends_to_;  // the phantom; LiveStatus::address
  bool ending_ = false;   // it was interrupted
  std::size_t said_ = 0;  // bytes of what it has printed
};

}  // namespace echoloop
