// Layout of the timeline: the frames that are drawn, the rows, the map from time to pixels, the blocks. Pure functions
// of spans and sizes, so that they are tested without a window. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/timing_trace.h"
#include "gui/state/rect.h"

namespace echoloop {

// State of the timeline panel between frames. Plain values. UI thread only.

inline constexpr std::array<int, 5> kTimelineFrames = {2, 5, 10, 20, 50};

// Visible time range, from the first frame's begin; fit: the duration of the chosen frames.
struct TimelineZoom {
  bool fit = true;
  double from_ns = 0.0;
  double width_ns = 0.0;
  friend bool operator==(const TimelineZoom&, const TimelineZoom&) = default;
};

struct TimelineState {
  bool paused = false;
  std::vector<Span> kept;  // spans while paused
  TimelineZoom zoom;
  std::int64_t cut_ns = 0;     // time of each frame that was drawn last; 0 = all
  Rect area;                   // rectangle of the lanes in the last frame, pixels; empty = not drawn
  float wheel = 0.0F;          // mouse wheel over the area, with Ctrl
  std::optional<Span> chosen;  // block that was clicked last
};

struct TimelineRow {
  RowKind kind = RowKind::producer;
  int lane = 0;  // for kernels, which have one row per lane
};

// Returns the rows: producer, copy, kernels lane by lane, texture, window, vsync.
std::vector<TimelineRow> timeline_rows(int lanes);

struct FrameMark {
  std::uint64_t frame = 0;
  std::int64_t begin_ns = 0;  // begin of its copy, or of its production if that is just before
  std::int64_t end_ns = 0;    // end of its last kernel
};

// Returns the newest `count` frames with a finished image, oldest first.
std::vector<FrameMark> last_frames(const std::vector<Span>& spans, int count);

// Returns the mean distance of their begins; the duration of a single frame; 0 for none.
std::int64_t mean_period_ns(const std::vector<FrameMark>& frames);

// Returns the time from the first frame's begin to the expected begin of the next, or the last one's end if later.
std::int64_t fit_width_ns(const std::vector<FrameMark>& frames);

struct TimePiece {
  std::int64_t from_ns = 0, to_ns = 0;
  float x0 = 0, x1 = 0;  // pixels
};

// Pieces of time from left to right, all at the same scale; the time between them is not drawn.
struct TimeMap {
  std::vector<TimePiece> pieces;
  std::vector<float> frame_x;  // x of each frame's begin; outside the pieces if not visible
  double ns_per_px = 1.0;
  std::int64_t shown_ns = 0;                          // shown time of each frame if idle time is cut; 0 = no cut
  [[nodiscard]] std::int64_t time_at(float x) const;  // Returns the nearest moment that is drawn.
};

struct MapSizes {
  float x0 = 0, x1 = 0;
  float cell_gap = 6;   // between frames, when idle time is cut
  float break_gap = 3;  // between the busy times of one frame
  float least_cell = 10;
};

// Returns the map of all of [from, from + width].
TimeMap linear_map(const std::vector<FrameMark>& frames, double from_ns, double width_ns, const MapSizes& sizes);
// Returns the map of all frames. If their work is under a tenth of the period, each frame has a cell of its own with
// only its busy times. `kept_ns`: shown time of each frame before; kept while it fits, for a steady scale.
TimeMap fit_map(const std::vector<Span>& spans, const std::vector<FrameMark>& frames, std::int64_t kept_ns,
                const MapSizes& sizes);
// Returns the map for the zoom of `state`.
TimeMap timeline_map(const std::vector<Span>& spans, const std::vector<FrameMark>& frames, const TimelineState& state,
                     const MapSizes& sizes);

// Scales the visible time by `factor` about the moment under x.
TimelineZoom zoom_about(const TimeMap& map, const std::vector<FrameMark>& frames, const MapSizes& sizes, float x,
                        double factor);
// Moves the moment under x to x + by.
TimelineZoom pan_by(const TimeMap& map, const std::vector<FrameMark>& frames, const MapSizes& sizes, float x, float by);

struct TimeBlock {
  std::size_t row = 0;
  Span span;
  float x0 = 0, x1 = 0;  // pixels, clipped; an instant has no width
};

// Returns the visible blocks, each at least `least_px` wide except instants; a span cut in two gives two blocks.
std::vector<TimeBlock> timeline_blocks(const std::vector<Span>& spans, const TimeMap& map,
                                       const std::vector<TimelineRow>& rows, float least_px);

}  // namespace echoloop
