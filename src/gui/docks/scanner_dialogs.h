// Two panels about a scanner, opened from its rows in the Source panel: its description as received, and the question
// before a port is opened on the network. UI thread only.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "gui/panels/panels.h"
#include "gui/toolkit/scroll.h"

namespace echoloop {

class ScannerDialogs {
 public:
  // Every frame.
  void draw(Ui& ui, const UiState& state, const UiCommands& commands);

 private:
  void draw_description(Ui& ui, const UiState& state, const UiCommands& commands);
  void draw_network(Ui& ui, const UiState& state, const UiCommands& commands);

  std::shared_ptr<const std::string> shown_;
  std::vector<std::string> lines_;  // of shown_
  Scroll scroll_;
  std::array<char, 8> port_{};
};

}  // namespace echoloop
