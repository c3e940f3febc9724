// Where each span of the timeline goes: the frames that are drawn, the rows, the map from time to pixels, the blocks.
// Pure functions of spans and sizes, so that they are tested without a window. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/timing_trace.h"
#include "gui/state/rect.h"

namespace echoloop {

// What the timeline panel remembers from frame to frame. Plain values. UI thread only.

inline constexpr std::array<int, 5> kTimelineFrames = {2, 5, 10, 20, 50};

// The part of time on screen, from the first frame's begin; fit: whatever the chosen frames take.
struct TimelineZoom {
  bool fit = true;
  double from_ns = 0.0;
  double width_ns = 0.0;
  friend bool operator==(const TimelineZoom&, const TimelineZoom&) = default;
};

struct TimelineState {
  bool paused = false;
  std::vector<Span> kept;  // while paused
  TimelineZoom zoom;
  std::int64_t cut_ns = 0;  // how much of each frame was drawn last; 0 = all
  Rect area;                // of the lanes in the last frame, pixels; empty = not drawn
  float wheel = 0.0F;       // turned over the area, with Ctrl
};

struct TimelineRow {
  RowKind kind = RowKind::producer;
  int lane = 0;  // kernels have one row per lane
};

// Producer, copy, kernels lane by lane, texture, window, vsync.
std::vector<TimelineRow> timeline_rows(int lanes);

struct FrameMark {
  std::uint64_t frame = 0;
  std::int64_t begin_ns = 0;  // of its copy; of its production when that comes just before
  std::int64_t end_ns = 0;    // of its last kernel
};

// The newest `count` frames whose image is finished, oldest first.
std::vector<FrameMark> last_frames(const std::vector<Span>& spans, int count);

// Mean distance of their begins; for one frame what it took; 0 without any.
std::int64_t mean_period_ns(const std::vector<FrameMark>& frames);

// From the first frame's begin to where the next one would begin, or the last one's end.
std::int64_t fit_width_ns(const std::vector<FrameMark>& frames);

struct TimePiece {
  std::int64_t from_ns = 0, to_ns = 0;
  float x0 = 0, x1 = 0;  // pixels
};

// Pieces of time from left to right, all at the same scale; what lies between them is not drawn.
struct TimeMap {
  std::vector<TimePiece> pieces;
  std::vector<float> frame_x;  // of each frame's begin; outside the pieces when it is not on screen
  double ns_per_px = 1.0;
  std::int64_t shown_ns = 0;                          // of each frame, when idle time is cut; 0 = nothing is cut
  [[nodiscard]] std::int64_t time_at(float x) const;  // the nearest moment that is drawn
};

struct MapSizes {
  float x0 = 0, x1 = 0;
  float cell_gap = 6;   // between frames, when idle time is cut
  float break_gap = 3;  // between the busy times of one frame
  float least_cell = 10;
};

// All of [from, from + width].
TimeMap linear_map(const std::vector<FrameMark>& frames, double from_ns, double width_ns, const MapSizes& sizes);
// The frames as a whole. When their work is under a tenth of the period, each frame gets a cell of its own with only
// the busy times in it. `kept_ns`: what was shown of each frame before; it stays while it fits, so that the scale is
// calm.
TimeMap fit_map(const std::vector<Span>& spans, const std::vector<FrameMark>& frames, std::int64_t kept_ns,
                const MapSizes& sizes);
// What `zoom` says.
TimeMap timeline_map(const std::vector<Span>& spans, const std::vector<FrameMark>& frames, const TimelineState& state,
                     const MapSizes& sizes);

// The moment under x stays there, `factor` times as much time fits on screen.
TimelineZoom zoom_about(const TimeMap& map, const std::vector<FrameMark>& frames, const MapSizes& sizes, float x,
                        double factor);
// The moment under x moves to x + by.
TimelineZoom pan_by(const TimeMap& map, const std::vector<FrameMark>& frames, const MapSizes& sizes, float x, float by);

struct TimeBlock {
  std::size_t row = 0;
  Span span;
  float x0 = 0, x1 = 0;  // pixels, clipped; a moment has no width
};

// What is on screen, each block at least `least_px` wide, moments excepted; a span cut in two gives two blocks.
std::vector<TimeBlock> timeline_blocks(const std::vector<Span>& spans, const TimeMap& map,
                                       const std::vector<TimelineRow>& rows, float least_px);

}  // namespace echoloop
