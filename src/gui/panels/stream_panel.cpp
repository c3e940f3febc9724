// The stream panel: what happens when the buffer is full, and everything below it in files of its own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/lecture.h"
#include "gui/panels/scanner_rows.h"
#include "gui/panels/stream_parts.h"

namespace echoloop {
namespace {

struct PolicyWords {
  RingPolicy policy;
  const char* label;
  const char* short_label;
  const char* help;
};
constexpr std::array<PolicyWords, 4> kPolicies = {{
    {RingPolicy::block, "Block the source", "Block",
     "The source waits for a free slot: no frame is lost, the image may lag."},
    {RingPolicy::drop_oldest, "Drop oldest", "Drop oldest", "The oldest queued frame is dropped: lowest latency."},
    {RingPolicy::error, "Stop on overrun", "Error", "The stream stops with a report when the buffer is full."},
    {RingPolicy::drop_newest, "Drop newest", "Drop newest", "The new frame is dropped; queued frames are processed."},
}};

void policy_rows(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  Rect r;
  for (std::size_t i = 0; i < kPolicies.size(); ++i) {
    if (i % 2 == 0) r = ui.row(column, 20, 0);
    const PolicyWords& words = kPolicies[i];
    const float middle = r.x0 + std::round(0.5F * r.width());
    const Rect cell{i % 2 == 0 ? r.x0 : middle, r.y0, i % 2 == 0 ? middle : r.x1, r.y1};
    const std::string id = std::string("policy/") + words.short_label;
    if (ui.radio(id.c_str(), cell, c.compact ? words.short_label : words.label, c.state.stream.policy == words.policy,
                 {words.label, words.help, {}})) {
      c.state.stream.policy = words.policy;
      call(c.commands.stream_changed);
    }
  }
  column.y += ui.px(3);
}

}  // namespace

std::string_view policy_label(RingPolicy policy) {
  const auto* const found =
      std::find_if(kPolicies.begin(), kPolicies.end(), [&](const PolicyWords& w) { return w.policy == policy; });
  return found->label;
}

void stream_panel(PanelContext& c, Column& column, bool& open) {
  const std::string policy = fmt::format("{}, {} slots", kPolicyNames[static_cast<std::size_t>(c.state.stream.policy)],
                                         c.state.numbers.counts.slots);
  const char* first_rows = c.compact ? "buffer full:" : "when the buffer is full:";
  lecture_header(c, column,
                 {.id = "panel_stream",
                  .title = "Stream",
                  .summary = open ? first_rows : policy,
                  .more_id = "more_stream",
                  .more = open ? &c.more_stream : nullptr},
                 open);
  if (!open) return;
  sender_rows(c, column);
  policy_rows(c, column);
  slot_rows(c, column);
  if (c.more_stream) way_rows(c, column);
  counter_rows(c, column);
  if (c.more_stream) memory_rows(c, column);
  latency_rows(c, column);
}

}  // namespace echoloop
