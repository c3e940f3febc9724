// The import assistant in place of the columns and the image: what the file holds, the description, the preview. Draws
// UiState::import and sends orders. UI thread only.
#pragma once

#include <string>

#include "gui/assistant/assistant_parts.h"
#include "gui/state/keys.h"

namespace echoloop {

class Assistant {
 public:
  // Below `bar`, the status bar of the assistant, which it draws as well.
  void draw(const AssistantScene& c, const Rect& bar, const Rect& area);
  // A key that the focus did not take; true when it meant something.
  bool take_key(const AssistantScene& c, const KeyPress& press);

 private:
  void drop(const AssistantScene& c);

  std::string file_;  // that all of this belongs to
  AssistantChoice choice_;
  AssistantContents contents_;
  AssistantFields fields_;
  AssistantPreview preview_;
};

}  // namespace echoloop
