// From time to pixels: all of it, or only the busy times of each frame.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "gui/state/number_text.h"
#include "gui/state/timeline_layout.h"

namespace echoloop {
namespace {

struct Busy {
  std::int64_t from_ns = 0, to_ns = 0;
};

// From which moments a frame's share of time starts and ends.
std::int64_t share_end_ns(const std::vector<FrameMark>& frames, std::size_t i, std::int64_t period_ns) {
  return i + 1 < frames.size() ? frames[i + 1].begin_ns : frames[i].begin_ns + period_ns;
}

// Spans that say what is worth a piece of the cell: work on frames, and the first vsync that shows an image.
std::vector<Busy> anchors(const std::vector<Span>& spans, std::int64_t from_ns, std::int64_t to_ns) {
  std::vector<Busy> found;
  std::set<std::uint64_t> shown;
  for (const Span& span : spans) {
    if (span.end_ns < from_ns || span.start_ns > to_ns) continue;
    if (span.stage == Stage::draw || (span.stage == Stage::vsync && !shown.insert(span.frame).second)) continue;
    found.push_back({span.start_ns, span.end_ns});
  }
  std::sort(found.begin(), found.end(), [](const Busy& a, const Busy& b) { return a.from_ns < b.from_ns; });
  return found;
}

// The busy times within [from, to), those closer than `gap_ns` in one.
std::vector<Busy> busy_times(const std::vector<Busy>& sorted, std::int64_t from_ns, std::int64_t to_ns,
                             std::int64_t gap_ns) {
  std::vector<Busy> busy;
  for (Busy b : sorted) {
    if (b.to_ns < from_ns || b.from_ns >= to_ns) continue;
    b.from_ns = std::max(b.from_ns, from_ns);
    b.to_ns = std::min(std::max(b.to_ns, b.from_ns + gap_ns / 8), to_ns);  // a moment needs some room
    if (!busy.empty() && b.from_ns - busy.back().to_ns <= gap_ns) {
      busy.back().to_ns = std::max(busy.back().to_ns, b.to_ns);
    } else {
      busy.push_back(b);
    }
  }
  return busy;
}

std::int64_t sum_ns(const std::vector<Busy>& busy) {
  std::int64_t sum = 0;
  for (const Busy& b : busy) sum += b.to_ns - b.from_ns;
  return sum;
}

struct Cells {
  std::vector<std::vector<Busy>> busy;  // per frame
  std::int64_t shown_ns = 0;            // 0: nothing to cut
  std::size_t most_pieces = 1;
};

Cells find_cells(const std::vector<Span>& spans, const std::vector<FrameMark>& frames, std::int64_t kept_ns) {
  const std::int64_t period = mean_period_ns(frames);
  for (const FrameMark& f : frames) {
    if ((f.end_ns - f.begin_ns) * 10 >= period) return {};
  }
  Cells cells;
  const std::vector<Busy> sorted = anchors(spans, frames.front().begin_ns, frames.back().begin_ns + period);
  std::int64_t longest = 1;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    cells.busy.push_back(busy_times(sorted, frames[i].begin_ns, share_end_ns(frames, i, period),
                                    std::max<std::int64_t>(period / 40, 1)));
    longest = std::max(longest, sum_ns(cells.busy.back()));
    cells.most_pieces = std::max(cells.most_pieces, cells.busy.back().size());
  }
  const bool keep = kept_ns >= longest && 10 * longest > 3 * kept_ns;
  cells.shown_ns = keep ? kept_ns : std::llround(round_up_125(static_cast<double>(longest)));
  return 2 * cells.shown_ns > period ? Cells{} : cells;
}

void append_cell(TimeMap& map, const std::vector<Busy>& busy, float x, float x1, std::int64_t end_ns, float break_gap) {
  for (std::size_t k = 0; k < busy.size(); ++k) {
    if (k > 0) x += break_gap;
    TimePiece piece{busy[k].from_ns, busy[k].to_ns, x, 0};
    if (k + 1 == busy.size()) {  // the rest of the cell, as far as this frame's time goes
      piece.to_ns =
          std::min(end_ns, piece.from_ns + static_cast<std::int64_t>(static_cast<double>(x1 - x) * map.ns_per_px));
    }
    x = std::min(x1, x + static_cast<float>(static_cast<double>(piece.to_ns - piece.from_ns) / map.ns_per_px));
    piece.x1 = x;
    map.pieces.push_back(piece);
  }
}

TimelineZoom zoom_to(const std::vector<FrameMark>& frames, double t_ns, double share, double width_ns) {
  constexpr double kLeast_ns = 1e3;
  constexpr double kMost_ns = 60e9;
  const double width = std::clamp(width_ns, kLeast_ns, kMost_ns);
  const double origin = frames.empty() ? 0.0 : static_cast<double>(frames.front().begin_ns);
  const double last = frames.empty() ? 0.0 : static_cast<double>(frames.back().end_ns) - origin;
  // Some of the frames stays on screen.
  const double from = std::clamp(t_ns - origin - share * width, -0.9 * width, std::max(last - 0.1 * width, 0.0));
  return {.fit = false, .from_ns = from, .width_ns = width};
}

}  // namespace

std::int64_t TimeMap::time_at(float x) const {
  double best = std::numeric_limits<double>::max();
  std::int64_t time = 0;
  for (const TimePiece& piece : pieces) {
    const float inside = std::clamp(x, piece.x0, piece.x1);
    const double away = std::abs(static_cast<double>(x - inside));
    if (away >= best) continue;
    best = away;
    time = piece.from_ns + std::llround(static_cast<double>(inside - piece.x0) * ns_per_px);
  }
  return time;
}

TimeMap linear_map(const std::vector<FrameMark>& frames, double from_ns, double width_ns, const MapSizes& sizes) {
  TimeMap map;
  if (frames.empty() || !(width_ns > 0.0) || sizes.x1 <= sizes.x0) return map;
  const std::int64_t from = frames.front().begin_ns + std::llround(from_ns);
  map.ns_per_px = width_ns / static_cast<double>(sizes.x1 - sizes.x0);
  map.pieces = {{from, from + std::llround(width_ns), sizes.x0, sizes.x1}};
  for (const FrameMark& f : frames) {
    map.frame_x.push_back(sizes.x0 + static_cast<float>(static_cast<double>(f.begin_ns - from) / map.ns_per_px));
  }
  return map;
}

TimeMap fit_map(const std::vector<Span>& spans, const std::vector<FrameMark>& frames, std::int64_t kept_ns,
                const MapSizes& sizes) {
  if (frames.empty()) return {};
  const std::int64_t period = mean_period_ns(frames);
  const TimeMap whole = linear_map(frames, 0.0, static_cast<double>(fit_width_ns(frames)), sizes);
  const Cells cells = find_cells(spans, frames, kept_ns);
  if (cells.shown_ns == 0) return whole;
  const float n = static_cast<float>(frames.size());
  const float width = (sizes.x1 - sizes.x0 - sizes.cell_gap * (n - 1)) / n;
  const float used = width - sizes.break_gap * static_cast<float>(cells.most_pieces - 1);
  if (used < sizes.least_cell) return whole;
  TimeMap map;
  map.shown_ns = cells.shown_ns;
  map.ns_per_px = static_cast<double>(cells.shown_ns) / static_cast<double>(used);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const float x = sizes.x0 + static_cast<float>(i) * (width + sizes.cell_gap);
    map.frame_x.push_back(x);
    append_cell(map, cells.busy[i], x, x + width, share_end_ns(frames, i, period), sizes.break_gap);
  }
  return map;
}

TimeMap timeline_map(const std::vector<Span>& spans, const std::vector<FrameMark>& frames, const TimelineState& state,
                     const MapSizes& sizes) {
  if (!state.zoom.fit) return linear_map(frames, state.zoom.from_ns, state.zoom.width_ns, sizes);
  return fit_map(spans, frames, state.cut_ns, sizes);
}

TimelineZoom zoom_about(const TimeMap& map, const std::vector<FrameMark>& frames, const MapSizes& sizes, float x,
                        double factor) {
  const double width = static_cast<double>(sizes.x1 - sizes.x0);
  const double share = static_cast<double>(x - sizes.x0) / width;
  return zoom_to(frames, static_cast<double>(map.time_at(x)), share, map.ns_per_px * width * factor);
}

TimelineZoom pan_by(const TimeMap& map, const std::vector<FrameMark>& frames, const MapSizes& sizes, float x,
                    float by) {
  const double width = static_cast<double>(sizes.x1 - sizes.x0);
  const double share = static_cast<double>(x + by - sizes.x0) / width;
  return zoom_to(frames, static_cast<double>(map.time_at(x)), share, map.ns_per_px * width);
}

}  // namespace echoloop
