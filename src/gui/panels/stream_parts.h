// The pieces of the stream panel. UI thread only.
#pragma once

#include "gui/panels/panels.h"

namespace echoloop {

inline constexpr float kStreamLabels = 64;  // width of the first rows' labels in a wide column, at scale 1
inline constexpr float kStreamRow = 18;     // height of a row of numbers

struct PolicyWords {
  RingPolicy policy;
  const char *label, *short_label;
  const char* help;     // of the panel
  const char* lesson;   // what the policy does, as the cards of the lecture say it
  const char* outcome;  // what comes out of a full buffer
};
const PolicyWords& policy_words(RingPolicy policy);
// The slots of the ring, or those at the moment of a refused frame.
void draw_slot_cells(const Ui& ui, const Rect& r, const UiState& state);

void slot_rows(PanelContext& c, Column& column);     // gauge, choice of how many, occupancy over time
void counter_rows(PanelContext& c, Column& column);  // every frame accounted for, rates
void memory_rows(PanelContext& c, Column& column);   // on the device and on the host
void latency_rows(PanelContext& c, Column& column);  // percentiles and the last ten seconds

}  // namespace echoloop
