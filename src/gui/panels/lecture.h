// Timeline and Stream over the whole window, for a lecture: what copy and kernels take, which rate the order of the two
// allows, and what each policy does with a full buffer. UI thread only.
#pragma once

#include <string>
#include <string_view>

#include "gui/panels/panels.h"

namespace echoloop {

class Lecture {
 public:
  void draw(PanelContext& c, const Rect& area);

 private:
  void watch_policy(RingPolicy policy);
  float draw_timeline(PanelContext& c, const Rect& area, float k);
  void draw_orders(PanelContext& c, const Rect& area, float k);
  void draw_stream(PanelContext& c, const Rect& area, float k);

  RingPolicy chosen_ = RingPolicy::block;
  RingPolicy other_ = RingPolicy::error;  // chosen before
};

struct HeaderWords {
  const char* id;
  std::string_view title;
  std::string summary;
  const char* more_id = nullptr;
  bool* more = nullptr;  // null: no link that shows further rows
};
// The head of a panel that can be enlarged: with an icon for it at its right end.
void lecture_header(PanelContext& c, Column& column, const HeaderWords& words, bool& open);

// True when the card was clicked and is not the chosen one.
bool draw_policy_card(PanelContext& c, const Rect& r, RingPolicy policy);
// True when it was chosen.
bool policy_radio(PanelContext& c, const Rect& r, RingPolicy policy);
// On the cells of the slots, where there is room: "copying", "ready".
void draw_slot_words(PanelContext& c, const Rect& cells);

}  // namespace echoloop
