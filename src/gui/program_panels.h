// Dialogs above the window: keys (F1), About, questions, the tour, and those of a scanner. UI
// thread only.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/docks/tour.h"
#include "gui/state/program_facts.h"
#include "gui/state/ui_state.h"
#include "gui/toolkit/scroll.h"

namespace echoloop {

struct Question {  // answered by yes, or by Cancel
  const char* id;  // its buttons: "_open", "_cancel"
  std::string title, subject, why, yes;
};

class QuestionDialog {
 public:
  // Every frame, as long as the question stands. Closing the panel is a no.
  std::optional<bool> draw(Ui& ui, const Question& question, bool stands);

 private:
  bool open_ = false;
};

// Opened from a scanner's rows in the Source panel: its description as received, and the question before a port is
// opened on the network.
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

class ProgramPanels {
 public:
  // Every frame. The interface scale that was chosen in the list of keys; nothing: none was.
  std::optional<float> draw(Ui& ui, const UiState& state, const UiCommands& commands, float wanted_scale);
  void open_keys(Ui& ui) const;
  [[nodiscard]] bool keys_open() const;
  [[nodiscard]] Tour& tour() { return tour_; }

 private:
  QuestionDialog sandbox_;  // before a recording is opened where the system offers no sandbox
  QuestionDialog leave_;    // before another file takes the place of answers that are not saved
  ScannerDialogs scanner_;
  ProgramFacts facts_;  // once About was opened
  Tour tour_;
};

}  // namespace echoloop
