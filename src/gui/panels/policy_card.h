// The pieces of the lecture's Stream: a card for each policy with a drawing of the full buffer, and large controls. UI
// thread only.
#pragma once

#include <string_view>

#include "gui/panels/panels.h"

namespace echoloop {

// What the policy does, as the cards say it.
std::string_view policy_lesson(RingPolicy policy);
// True when the card was clicked and is not the chosen one.
bool draw_policy_card(PanelContext& c, const Rect& r, RingPolicy policy);
// True when it was chosen.
bool policy_radio(PanelContext& c, const Rect& r, RingPolicy policy);
// On the cells of the slots, where there is room: "copying", "ready".
void draw_slot_words(PanelContext& c, const Rect& cells);

}  // namespace echoloop
