// The description: roles of axes, facts in groups with their origin, doubts with evidence, buttons. UI thread only.
#pragma once

#include "gui/assistant/assistant_scene.h"
#include "gui/toolkit/scroll.h"

namespace echoloop {

class AssistantFields {
 public:
  void draw(const AssistantScene& c, AssistantChoice& choice, const Rect& area);

 private:
  Scroll scroll_;
};

}  // namespace echoloop
