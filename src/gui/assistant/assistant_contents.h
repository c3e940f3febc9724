// What the file holds: the tree of names with the chosen entry below, or the first bytes. UI thread only.
#pragma once

#include <array>

#include "gui/assistant/assistant_scene.h"
#include "gui/toolkit/scroll.h"

namespace echoloop {

class AssistantContents {
 public:
  void draw(const AssistantScene& c, AssistantChoice& choice, const Rect& area);

 private:
  void draw_tree(const AssistantScene& c, AssistantChoice& choice, const Rect& area);

  std::array<char, 64> filter_{};
  Scroll scroll_;
};

}  // namespace echoloop
