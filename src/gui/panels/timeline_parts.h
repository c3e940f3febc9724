// The pieces of the timeline panel, in files of their own: lanes with blocks, numbers below them. UI thread only.
#pragma once

#include <string>

#include "gui/panels/panels.h"
#include "gui/state/timeline_layout.h"

namespace echoloop {

enum class LaneAxis { shown, left_out };

// Sizes at scale 1.
struct LaneLook {
  float lane = 12, gap = 2;
  float labels = 60;   // width of the rows' names
  float numbers = 15;  // height of the frames' numbers
  Type type = Type::small;
  LaneAxis axis = LaneAxis::shown;
};

// What the lanes show in this frame.
struct TimelineScene {
  const std::vector<Span>& spans;
  std::vector<FrameMark> frames;
  std::vector<TimelineRow> rows;
  LaneLook look = {};
};

// Draws the lanes and takes wheel, drag and double click. Returns how much of each frame's period is shown, 0 = all.
std::int64_t timeline_lanes(PanelContext& c, Column& column, const TimelineScene& scene);

// t_t, t_p, the two predictions and the measured period as bars on one scale, and what follows from them.
void timeline_numbers(PanelContext& c, Column& column);

// Which prediction the measured period meets, or what waits for what, in one sentence.
struct StreamWaits {
  double budget_ms = 0.0;      // the source's period; 0 = it has none
  double source_share = 0.0;   // of the time, for a free slot
  double dropped_share = 0.0;  // of the frames
  bool at_rest = false;        // no frame comes: nothing waits, the timings are those of the last frames
  bool on_cpu = false;         // nothing is copied: there are no two predictions
};
std::string timing_verdict(const StreamTiming& timing, const StreamWaits& waits);

// As many lanes as there are, whether or not each has worked lately: rows must not come and go.
int timeline_lanes_shown(const UiState& state, const std::vector<Span>& spans);
// "5 frames, 2.50 ms"
std::string timeline_summary(const TimelineState& t, const std::vector<FrameMark>& frames, int wanted, bool open);

// 4 or 5 significant digits at any size: "0.240 ms", "17.31 ms", "1 234 ms".
std::string exact_ms(double ms);

}  // namespace echoloop
