#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/number_text.h"
#include "gui/panels/panels.h"
#include "gui/panels/sparkline.h"

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
     "The source waits until a slot is free: nothing is lost, the picture may lag."},
    {RingPolicy::drop_oldest, "Drop oldest", "Drop oldest",
     "The oldest waiting frame gives way: the picture stays as fresh as it can."},
    {RingPolicy::error, "Error on override", "Error",
     "The stream stops with a report as soon as a frame finds no slot."},
    {RingPolicy::drop_newest, "Drop newest", "Drop newest",
     "The new frame is left out; those that wait keep their order."},
}};
constexpr std::array<Choice, 4> kMemory = {{{"Pageable"}, {"Pinned"}, {"Write-combined"}, {"Mapped"}}};
constexpr std::array<Choice, 2> kStreams = {{{"Overlap"}, {"Serial"}}};
constexpr std::array<Choice, 4> kLanes = {{{"1"}, {"2"}, {"3"}, {"4"}}};
constexpr std::array<int, 7> kSlotCounts = {2, 3, 4, 8, 16, 32, 64};
constexpr std::array<Choice, 7> kSlotChoices = {
    {{"2 slots"}, {"3 slots"}, {"4 slots"}, {"8 slots"}, {"16 slots"}, {"32 slots"}, {"64 slots"}}};

void policy_rows(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  ui.text(Type::small, ui.row(column, 16, 3), theme::kMuted, "When all slots are in use");
  Rect r;
  for (std::size_t i = 0; i < kPolicies.size(); ++i) {
    if (i % 2 == 0) r = ui.row(column, 24, 0);
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
  column.y += ui.px(4);
}

enum class Slot { copying, ready, filling, free };

ImU32 slot_color(Slot slot) {
  switch (slot) {
    case Slot::copying:
      return theme::kStageColors[static_cast<std::size_t>(Stage::upload)];
    case Slot::ready:
      return theme::kAccent;
    case Slot::filling:
      return theme::kSelected;
    case Slot::free:
      break;
  }
  return theme::kField;
}

void slot_cells(const PanelContext& c, const Rect& r, bool fault) {
  const Ui& ui = c.ui;
  const RingCounts& counts = c.state.counts;
  const int slots = std::max(counts.slots, 1);
  const auto slot = [&](int i) {
    if (i < counts.slots_reading) return Slot::copying;
    if (i < counts.slots_reading + counts.slots_ready) return Slot::ready;
    return i < counts.slots_reading + counts.slots_ready + counts.slots_writing ? Slot::filling : Slot::free;
  };
  if (slots > 32) {  // one solid bar
    ui.fill(r, theme::kField, 2);
    const auto share = [&](int n) { return r.width() * static_cast<float>(n) / static_cast<float>(slots); };
    const float a = r.x0 + share(counts.slots_reading);
    const float b = a + share(counts.slots_ready);
    ui.fill({r.x0, r.y0, a, r.y1}, slot_color(Slot::copying), 1);
    ui.fill({a, r.y0, b, r.y1}, slot_color(Slot::ready), 1);
    ui.fill({b, r.y0, b + share(counts.slots_writing), r.y1}, slot_color(Slot::filling), 1);
    return;
  }
  const float gap = ui.px(slots > 16 ? 2 : 3);
  const float width = (r.width() - gap * static_cast<float>(slots - 1)) / static_cast<float>(slots);
  for (int i = 0; i < slots; ++i) {
    const float x = r.x0 + static_cast<float>(i) * (width + gap);
    const Rect cell{std::round(x), r.y0, std::round(x + width), r.y1};
    ui.fill(cell, slot_color(slot(i)), 2);
    if (slot(i) == Slot::free) ui.outline(cell, theme::kLine2, 2);
    if (fault && slot(i) == Slot::copying) ui.outline(cell.inset(-ui.px(2)), theme::kRed, 3, 2);
  }
}

void slots_rows(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const RingCounts& counts = c.state.counts;
  const int used = counts.slots_reading + counts.slots_ready + counts.slots_writing;
  const bool fault = c.state.run == RunState::fault && counts.refused > 0;
  const Rect r = ui.row(column, 22, 3);
  ui.text(Type::body, r, theme::kText2, "Slots");
  const std::string number = fmt::format("{} of {}", used, counts.slots);
  const float w = ui.width(Type::body, number) + ui.px(4) + ui.width(Type::body, "in use") + ui.px(20);
  const Rect value{r.x1 - w - ui.px(16), r.y0, r.x1, r.y1};
  const auto at = std::find(kSlotCounts.begin(), kSlotCounts.end(), c.state.stream.slots);
  const int chosen = at == kSlotCounts.end() ? -1 : static_cast<int>(at - kSlotCounts.begin());
  const Tip tip{"Slots",
                "Frames that can wait between source and processing. Click to choose how many. More slots ride out "
                "longer hiccups and cost memory.",
                {}};
  const auto picked = ui.combo("slots", value, {}, kSlotChoices, chosen, tip);
  ui.text_right(Type::body, r.x1 - ui.px(26), r.y0, r.height(), theme::kText2, "in use");
  ui.text_right(Type::body, r.x1 - ui.px(30) - ui.width(Type::body, "in use"), r.y0, r.height(),
                fault && used >= counts.slots ? theme::kRed : theme::kText, number);
  if (picked) {
    c.state.stream.slots = kSlotCounts[static_cast<std::size_t>(*picked)];
    call(c.commands.stream_changed);
  }
  slot_cells(c, ui.row(column, 14, 4), fault);
  const Rect legend = ui.row(column, 16, 8);
  float x = legend.x0;
  constexpr std::array<std::pair<Slot, const char*>, 4> names = {
      {{Slot::copying, "copying"}, {Slot::ready, "ready"}, {Slot::filling, "filling"}, {Slot::free, "free"}}};
  for (const auto& [slot, name] : names) {
    const Rect chip{x, legend.cy() - ui.px(4), x + ui.px(8), legend.cy() + ui.px(4)};
    ui.fill(chip, slot_color(slot), 2);
    if (slot == Slot::free) ui.outline(chip, theme::kMuted, 1);
    x = ui.text(Type::small, x + ui.px(13), legend.y0, legend.height(), theme::kText2, name) + ui.px(12);
  }
}

void way_rows(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  StreamSettings& s = c.state.stream;
  const bool cpu = c.state.backend == "CPU";
  const auto reason = [cpu](const std::string& given, std::string_view on_cpu) {
    return !given.empty() ? std::string_view(given) : cpu ? on_cpu : std::string_view();
  };
  bool changed = false;
  const auto no_memory = reason(c.state.no_effect.host_memory,
                                "The CPU reads frames where they lie. The kind of memory matters for copies to a GPU.");
  const auto memory = static_cast<std::size_t>(cpu ? HostMemory::pageable : s.host_memory);
  if (const auto picked = ui.combo(
          "host_memory", ui.labelled(column, c.compact ? "Memory" : "Host memory", {}, no_memory.empty()),
          kMemory[memory], kMemory, static_cast<int>(memory),
          {"Host memory", "Where frames wait. Pinned memory is copied to the GPU fastest and while kernels run.",
           no_memory})) {
    s.host_memory = static_cast<HostMemory>(*picked);
    changed = true;
  }
  const auto no_streams = reason(c.state.no_effect.streams, "The CPU has no copies to overlap with its work.");
  if (const auto picked = ui.segmented("streams", ui.labelled(column, "Streams", {}, no_streams.empty()), kStreams,
                                       static_cast<int>(s.streams),
                                       {"Streams",
                                        "Overlap copies the next frame while this one is processed; serial does one "
                                        "after the other, for comparison.",
                                        no_streams})) {
    s.streams = static_cast<StreamMode>(*picked);
    changed = true;
  }
  const auto no_lanes = reason(c.state.no_effect.lanes, "The CPU finishes each frame before the next.");
  if (const auto picked = ui.segmented("lanes", ui.labelled(column, "Lanes", {}, no_lanes.empty()), kLanes, s.lanes - 1,
                                       {"Lanes", "Frames that are in the pipeline at the same time.", no_lanes})) {
    s.lanes = *picked + 1;
    changed = true;
  }
  if (changed) call(c.commands.stream_changed);
}

void counter_rows(const PanelContext& c, Column& column) {
  const Ui& ui = c.ui;
  const RingCounts& n = c.state.counts;
  struct Counter {
    const char* label;
    std::uint64_t value;
    bool alarm;
  };
  const bool refused = n.refused > 0;
  const Counter counters[6] = {
      {"Produced", n.produced, false},
      {"Dropped", n.dropped, n.dropped > 0},
      {"Processed", n.processed, false},
      {"Shown", c.state.shown, false},
      {"In flight", n.in_flight, false},
      {refused ? "Refused" : "Errors", refused ? n.refused : c.state.errors, refused || c.state.errors > 0}};
  const Type type = c.compact ? Type::small : Type::body;
  column.y += ui.px(2);
  for (int i = 0; i < 3; ++i) {
    const Rect r = ui.row(column, 22, 0);
    const float gap = ui.px(c.compact ? 8 : 12);
    const float middle = std::round(r.cx());
    for (int k = 0; k < 2; ++k) {
      const float x0 = k == 0 ? r.x0 : middle + gap;
      const float x1 = k == 0 ? middle - gap : r.x1;
      const Counter& counter = counters[2 * i + k];
      ui.text(type, x0, r.y0, r.height(), theme::kText2, counter.label);
      ui.text_right(type, x1, r.y0, r.height(), counter.alarm ? theme::kRed : theme::kText, grouped(counter.value));
      if (i < 2) ui.horizontal(x0, x1, r.y1 - 1, theme::kFaintLine);
    }
  }
  column.y += ui.px(6);
}

}  // namespace

void stream_panel(PanelContext& c, Column& column) {
  bool& open = c.view.is_open(Panel::stream, c.compact);
  c.ui.header("panel_stream", column, "Stream",
              open ? ""
                   : fmt::format("{}, {} slots", kPolicyNames[static_cast<std::size_t>(c.state.stream.policy)],
                                 c.state.counts.slots),
              open);
  if (!open) return;
  policy_rows(c, column);
  slots_rows(c, column);
  way_rows(c, column);
  counter_rows(c, column);
  sparkline_rows(c, column);
}

}  // namespace echoloop
