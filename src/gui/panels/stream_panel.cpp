// Stream panel: policy for a full buffer, and transport of frames: memory, streams, lanes, minimum gap. Slots and
// numbers: stream_numbers.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/panels.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr std::array<Choice, 4> kMemory = {{{"Pageable"}, {"Pinned"}, {"Write-combined"}, {"Mapped"}}};
constexpr std::array<Choice, 3> kStreams = {{{"Overlap"}, {"Serial"}, {"Default"}}};
constexpr std::array<Choice, 2> kFrameWaits = {{{"Sleep"}, {"Spin"}}};
constexpr std::array<Choice, 4> kLanes = {{{"1"}, {"2"}, {"3"}, {"4"}}};

// Draws a row's label at the left; returns the rest. Labels are shorter than in other panels, as two of them share a
// row if it is wide enough.
Rect way_row(PanelContext& c, Column& column, std::string_view label, bool enabled) {
  if (c.compact) return c.ui.labelled(column, label, enabled);
  const Rect r = c.ui.row(column, theme::kRow, 4);
  c.ui.text(Type::body, r, enabled ? theme::kText2 : theme::kDisabled, label);
  return {r.x0 + c.ui.px(kStreamLabels), r.y0, r.x1, r.y1};
}

bool memory_row(PanelContext& c, Column& column) {
  StreamSettings& s = c.edits.stream;
  const std::string& why = c.model.no_effect.host_memory;
  std::string help = "Memory of the buffer. Pinned memory is copied to the GPU fastest, in parallel with kernels.";
  if (const std::size_t slot = c.model.device.memory.slot_bytes; slot > 0) {
    help += fmt::format(" {} slots need {}.", s.slots, byte_text(slot * static_cast<std::size_t>(s.slots)));
  }
  const auto memory = static_cast<std::size_t>(why.empty() ? s.host_memory : HostMemory::pageable);
  const auto picked =
      c.ui.combo("host_memory", way_row(c, column, "Memory", why.empty()), kMemory[memory], kMemory,
                 static_cast<int>(memory), {why.empty() ? "Host memory" : "Host memory (GPU only)", help, why});
  if (picked) s.host_memory = static_cast<HostMemory>(*picked);
  return picked.has_value();
}

bool choose_streams(PanelContext& c, const Rect& r) {
  const std::string& why = c.model.no_effect.streams;
  const auto picked = c.ui.segmented(
      "streams", r, kStreams, static_cast<int>(c.edits.stream.streams),
      {"Streams",
       "Overlap copies the next frame during processing. Serial alternates both. Default queues copies on the default "
       "stream, which waits for all others, and they for it.",
       why});
  if (picked) c.edits.stream.streams = static_cast<StreamMode>(*picked);
  return picked.has_value();
}

bool choose_lanes(PanelContext& c, const Rect& r) {
  const std::string& why = c.model.no_effect.lanes;
  const MemoryView& memory = c.model.device.memory;
  std::string help = "Number of frames in the pipeline at the same time.";
  if (memory.lane_bytes > 0) {
    help += fmt::format(" Another lane needs {} on the device", byte_text(memory.lane_bytes));
    help += memory.device_free > 0 ? fmt::format(", {} are free.", byte_text(memory.device_free)) : ".";
  }
  const auto picked = c.ui.segmented("lanes", r, kLanes, c.edits.stream.lanes - 1, {"Lanes", help, why});
  if (picked) c.edits.stream.lanes = *picked + 1;
  return picked.has_value();
}

bool streams_and_lanes(PanelContext& c, Column& column) {
  const bool lanes = c.model.no_effect.lanes.empty();
  const Rect first = way_row(c, column, "Streams", c.model.no_effect.streams.empty());
  if (c.compact) {
    const bool changed = choose_streams(c, first);
    return choose_lanes(c, way_row(c, column, "Lanes", lanes)) || changed;
  }
  Ui& ui = c.ui;
  const float words = ui.width(Type::body, "Lanes");
  const float cells = std::round(0.55F * (first.width() - words - ui.px(20)));
  const float x = first.x0 + cells + ui.px(12);
  const bool changed = choose_streams(c, {first.x0, first.y0, first.x0 + cells, first.y1});
  ui.text(Type::body, x, first.y0, first.height(), lanes ? theme::kText2 : theme::kDisabled, "Lanes");
  return choose_lanes(c, {x + words + ui.px(8), first.y0, first.x1, first.y1}) || changed;
}

bool delay_row(PanelContext& c, Column& column) {
  const auto wanted = slider_from_off(c.ui, column,
                                      {.id = "pace_ms",
                                       .label = "Minimum gap",
                                       .unit = "ms",
                                       .decimals = 1,
                                       .track_max = 100.0,
                                       .most = 100.0,
                                       .lines = c.compact ? Lines::two : Lines::one,
                                       .help = "The source pauses at least this long after every frame."},
                                      c.edits.stream.pace_ms, 0.1);
  if (wanted) c.edits.stream.pace_ms = *wanted;
  return wanted.has_value();
}

bool frame_wait_row(PanelContext& c, Column& column) {
  if (!c.model.scanner.has_value()) return false;
  const auto picked = c.ui.segmented(
      "frame_wait", way_row(c, column, "Wait", true), kFrameWaits, static_cast<int>(c.edits.stream.frame_wait),
      {"Frame wait",
       "Wait for the next frame. Sleep: waking takes 15 to 300 µs. Spin: the socket is polled without a pause, so that "
       "a frame is taken after a few microseconds; one processor core is in use while frames come.",
       {}});
  if (picked) c.edits.stream.frame_wait = static_cast<FrameWait>(*picked);
  return picked.has_value();
}

void way_rows(PanelContext& c, Column& column) {
  bool changed = memory_row(c, column);
  changed |= streams_and_lanes(c, column);
  changed |= frame_wait_row(c, column);
  changed |= delay_row(c, column);
  if (changed) c.commands.send(command::StreamChanged{});
}

constexpr std::array<PolicyWords, 4> kPolicies = {{
    {RingPolicy::block, "Block the source", "Block",
     "The source waits for a free slot: no frame is lost, the image may lag.",
     "The source waits until a slot is free. No frame is lost; the source runs slower.", "all frames, later"},
    {RingPolicy::drop_oldest, "Drop oldest", "Drop oldest", "The oldest queued frame is dropped: lowest latency.",
     "The oldest queued frame is dropped and counted. The image stays current.", "newest frames"},
    {RingPolicy::error, "Stop on overrun", "Stop", "The stream stops with a report when the buffer is full.",
     "A frame without a free slot stops the stream. Nothing is overwritten.", "stopped"},
    {RingPolicy::drop_newest, "Drop newest", "Drop newest", "The new frame is dropped; queued frames are processed.",
     "The arriving frame is dropped and counted. Queued frames stay in order.", "oldest frames"},
}};

void policy_rows(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  Rect r;
  for (std::size_t i = 0; i < kPolicies.size(); ++i) {
    if (i % 2 == 0) r = ui.row(column, kNumberRow, 0);
    const PolicyWords& words = kPolicies[i];
    const float middle = r.x0 + std::round(0.5F * r.width());
    const Rect cell{i % 2 == 0 ? r.x0 : middle, r.y0, i % 2 == 0 ? middle : r.x1, r.y1};
    const std::string id = std::string("policy/") + words.short_label;
    if (ui.radio(id.c_str(), cell, c.compact ? words.short_label : words.label, c.edits.stream.policy == words.policy,
                 {words.label, words.help, {}})) {
      c.edits.stream.policy = words.policy;
      c.commands.send(command::StreamChanged{});
    }
  }
  column.y += ui.px(3);
}

// Returns whether the stream follows its source.
std::string_view pace_word(const Model& model) {
  if (model.run == RunState::fault) return "stopped";
  if (image_rests(model)) return "paused";
  if (model.numbers.pace.held_back == HeldBack::by_processing) return "limited by processing";
  if (model.numbers.pace.held_back == HeldBack::by_source) return "limited by the source";
  return model.numbers.dropped_share > 0.0 ? "drops frames" : "keeps up";
}

}  // namespace

bool loses_by_itself(const PanelContext& c) {
  const SourceInfo& source = c.model.source;
  const bool quiet = c.view.mode == WindowMode::view || c.view.transient.lecture;
  return quiet && c.model.automatic_policy == c.edits.stream.policy && (source.live || !source.phantom.empty());
}

const PolicyWords& policy_words(RingPolicy policy) {
  return *std::find_if(kPolicies.begin(), kPolicies.end(), [&](const PolicyWords& w) { return w.policy == policy; });
}

void stream_panel(PanelContext& c, Column& column, bool& open) {
  const std::string folded =
      c.view.mode == WindowMode::view
          ? std::string(pace_word(c.model))
          : fmt::format("{}, {} slots", kPolicyNames[static_cast<std::size_t>(c.edits.stream.policy)],
                        c.model.numbers.counts.slots);
  const char* first_rows = c.compact ? "buffer full:" : "when the buffer is full:";
  lecture_header(c, column,
                 {.id = "panel_stream",
                  .title = "Stream",
                  .summary = open ? first_rows : folded,
                  .more_id = "more_stream",
                  .more = open ? &c.more_stream : nullptr},
                 open);
  if (!open) return;
  policy_rows(c, column);  // labelled by the summary in the header
  slot_rows(c, column);
  if (c.more_stream) way_rows(c, column);
  sender_rows(c, column);
  counter_rows(c, column);
  if (c.more_stream) memory_rows(c, column);
  latency_rows(c, column);
}

}  // namespace echoloop
