// Two small panels about the program itself: About, from the list of keys, and the question before a recording is
// opened where the system offers no sandbox. UI thread only.
#pragma once

#include <optional>
#include <string>

#include "gui/state/program_facts.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

inline constexpr const char* kAboutPanel = "about";

// Every frame; opened by Ui::open_popup(kAboutPanel).
void draw_about(Ui& ui, const ProgramFacts& facts);

class SandboxDialog {
 public:
  // Every frame. `file`: the recording, as long as the question stands. Closing the panel is a refusal.
  std::optional<SandboxAnswer> draw(Ui& ui, const std::optional<std::string>& file);

 private:
  bool open_ = false;
};

}  // namespace echoloop
