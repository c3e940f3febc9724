#include "gui/state/timeline_layout.h"

#include <algorithm>
#include <optional>

namespace echoloop {
namespace {

std::optional<std::size_t> place_of(const Span& span, const std::vector<TimelineRow>& rows) {
  const RowKind kind = row_of(span.stage).row;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].kind == kind && (kind != RowKind::kernels || rows[i].lane == span.lane)) return i;
  }
  return std::nullopt;
}

struct Times {
  std::uint64_t frame = 0;
  std::int64_t produced = 0, begin = 0, end = 0;
};

}  // namespace

std::vector<TimelineRow> timeline_rows(int lanes) {
  std::vector<TimelineRow> rows = {{RowKind::producer}, {RowKind::copy}};
  for (int lane = 0; lane < lanes; ++lane) rows.push_back({RowKind::kernels, lane});
  for (const RowKind kind : {RowKind::texture, RowKind::window, RowKind::vsync}) rows.push_back({kind});
  return rows;
}

std::vector<FrameMark> last_frames(const std::vector<Span>& spans, int count) {
  std::vector<std::uint64_t> numbers;  // sorted
  for (auto span = spans.rbegin(); span != spans.rend() && static_cast<int>(numbers.size()) < count; ++span) {
    if (span->stage != Stage::compress) continue;
    const auto at = std::lower_bound(numbers.begin(), numbers.end(), span->frame);
    if (at == numbers.end() || *at != span->frame) numbers.insert(at, span->frame);
  }
  std::vector<Times> all(numbers.size());
  for (const Span& span : spans) {
    if (span.stage > kLastOfFrame) continue;
    const auto at = std::lower_bound(numbers.begin(), numbers.end(), span.frame);
    if (at == numbers.end() || *at != span.frame) continue;
    Times& t = all[static_cast<std::size_t>(at - numbers.begin())];
    t.frame = span.frame;
    if (span.stage == Stage::produce) {
      t.produced = span.start_ns;
    } else {
      t.begin = t.begin == 0 ? span.start_ns : std::min(t.begin, span.start_ns);
      if (ends_frame(span.stage)) t.end = std::max(t.end, span.end_ns);
    }
  }
  std::sort(all.begin(), all.end(), [](const Times& a, const Times& b) { return a.begin < b.begin; });
  std::vector<FrameMark> frames;
  for (const Times& t : all) frames.push_back({t.frame, t.begin, t.end});
  // Begins a frame with its production only if production leads straight to the copy, for every frame alike: behind a
  // queue both are far apart.
  const std::int64_t near_ns = mean_period_ns(frames) * 3 / 10;
  const bool straight = std::all_of(all.begin(), all.end(), [near_ns](const Times& t) {
    return t.produced != 0 && t.produced <= t.begin && t.begin - t.produced <= near_ns;
  });
  for (std::size_t i = 0; i < frames.size() && straight; ++i) frames[i].begin_ns = all[i].produced;
  return frames;
}

std::int64_t mean_period_ns(const std::vector<FrameMark>& frames) {
  if (frames.empty()) return 0;
  if (frames.size() == 1) return std::max<std::int64_t>(frames[0].end_ns - frames[0].begin_ns, 1);
  const std::int64_t lasted = frames.back().begin_ns - frames.front().begin_ns;
  return std::max<std::int64_t>(lasted / static_cast<std::int64_t>(frames.size() - 1), 1);
}

std::int64_t fit_width_ns(const std::vector<FrameMark>& frames) {
  if (frames.empty()) return 0;
  return std::max(frames.back().begin_ns + mean_period_ns(frames), frames.back().end_ns) - frames.front().begin_ns;
}

std::vector<TimeBlock> timeline_blocks(const std::vector<Span>& spans, const TimeMap& map,
                                       const std::vector<TimelineRow>& rows, float least_px) {
  std::vector<TimeBlock> blocks;
  if (map.pieces.empty()) return blocks;
  for (const Span& span : spans) {
    if (span.end_ns < map.pieces.front().from_ns || span.start_ns > map.pieces.back().to_ns) continue;
    const auto row = place_of(span, rows);
    if (!row) continue;
    for (const TimePiece& piece : map.pieces) {
      if (span.end_ns < piece.from_ns || span.start_ns >= piece.to_ns) continue;
      if (span.end_ns == piece.from_ns && span.start_ns < span.end_ns) continue;
      const auto x = [&](std::int64_t t) {
        return piece.x0 + static_cast<float>(static_cast<double>(t - piece.from_ns) / map.ns_per_px);
      };
      TimeBlock block{*row, span, std::max(x(span.start_ns), piece.x0), std::min(x(span.end_ns), piece.x1)};
      if (span.stage != Stage::vsync && block.x1 - block.x0 < least_px) {
        block.x1 = std::min(block.x0 + least_px, piece.x1);
        block.x0 = std::max(piece.x0, std::min(block.x0, block.x1 - least_px));
      }
      blocks.push_back(block);
    }
  }
  return blocks;
}

}  // namespace echoloop
