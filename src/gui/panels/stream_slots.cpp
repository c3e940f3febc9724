// The slots of the ring: how many, what each holds, how many were in use over the last ten seconds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/stream_parts.h"
#include "gui/state/number_text.h"
#include "gui/toolkit/sparkline.h"

namespace echoloop {
namespace {

constexpr std::array<int, 7> kSlotCounts = {2, 3, 4, 8, 16, 32, 64};

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

// What the gauge shows: the ring as it is, or as it was when a frame was refused.
struct Gauge {
  RingCounts counts;
  const RingRefusal* refusal = nullptr;
  [[nodiscard]] int used() const { return counts.slots_reading + counts.slots_ready + counts.slots_writing; }
  // Slots are taken in turn: first those being copied, then those that wait, from the oldest on.
  [[nodiscard]] Slot at(int index) const {
    const int slots = std::max(counts.slots, 1);
    const int turn = refusal != nullptr ? (index - refusal->slot + slots) % slots : index;
    if (refusal != nullptr && turn == 0) return refusal->copying ? Slot::copying : Slot::ready;
    if (turn < counts.slots_reading) return Slot::copying;
    if (turn < counts.slots_reading + counts.slots_ready) return Slot::ready;
    return turn < used() ? Slot::filling : Slot::free;
  }
};

Gauge gauge_of(const UiState& state) {
  if (state.run == RunState::fault && state.notices.fault && state.notices.fault->refusal) {
    return {state.notices.fault->refusal->counts, &*state.notices.fault->refusal};
  }
  return {state.numbers.counts, nullptr};
}

void solid_bar(const Ui& ui, const Rect& r, const Gauge& gauge) {
  const float slots = static_cast<float>(std::max(gauge.counts.slots, 1));
  const auto at = [&](int n) { return std::round(r.x0 + r.width() * static_cast<float>(n) / slots); };
  const int reading = gauge.counts.slots_reading;
  const int ready = reading + gauge.counts.slots_ready;
  ui.fill(r, theme::kField, 2);
  ui.fill({at(0), r.y0, at(reading), r.y1}, slot_color(Slot::copying), 1);
  ui.fill({at(reading), r.y0, at(ready), r.y1}, slot_color(Slot::ready), 1);
  ui.fill({at(ready), r.y0, at(gauge.used()), r.y1}, slot_color(Slot::filling), 1);
  if (gauge.refusal == nullptr) return;
  const Rect cell{at(gauge.refusal->slot), r.y0, at(gauge.refusal->slot + 1), r.y1};
  ui.fill(cell, slot_color(gauge.at(gauge.refusal->slot)));
  ui.outline(cell.inset(-ui.px(2)), theme::kRed, 3, 2);
}

void slot_cells(const Ui& ui, const Rect& r, const Gauge& gauge) {
  const int slots = std::max(gauge.counts.slots, 1);
  if (slots > 32) {
    solid_bar(ui, r, gauge);
    return;
  }
  const float gap = ui.px(slots > 16 ? 2 : 3);
  const float width = (r.width() - gap * static_cast<float>(slots - 1)) / static_cast<float>(slots);
  for (int i = 0; i < slots; ++i) {
    const float x = r.x0 + static_cast<float>(i) * (width + gap);
    const Rect cell{std::round(x), r.y0, std::round(x + width), r.y1};
    ui.fill(cell, slot_color(gauge.at(i)), 2);
    if (gauge.at(i) == Slot::free) ui.outline(cell, theme::kLine2, 2);
    if (gauge.refusal != nullptr && gauge.refusal->slot == i) ui.outline(cell.inset(-ui.px(2)), theme::kRed, 3, 2);
  }
}

// "806 MB", and what there is when it would not fit.
std::string memory_note(const MemoryView& memory, int slots) {
  if (memory.slot_bytes == 0) return {};
  const std::size_t needed = memory.slot_bytes * static_cast<std::size_t>(slots);
  const std::size_t there = memory.host_free + memory.host_used;
  if (memory.host_free == 0 || needed <= there) return byte_text(needed);
  return fmt::format("{}, only {} free", byte_text(needed), byte_text(there));
}

// In `value`, whose face says how many are in use.
void choice(PanelContext& c, const Rect& value, const Gauge& gauge) {
  Ui& ui = c.ui;
  std::vector<std::string> texts;
  std::vector<Choice> choices;
  for (const int count : kSlotCounts) texts.push_back(fmt::format("{} slots", count));
  for (const int count : kSlotCounts) texts.push_back(memory_note(c.state.device.memory, count));
  for (std::size_t i = 0; i < kSlotCounts.size(); ++i) choices.push_back({texts[i], texts[i + kSlotCounts.size()]});
  const auto at = std::find(kSlotCounts.begin(), kSlotCounts.end(), c.state.stream.slots);
  const int chosen = at == kSlotCounts.end() ? -1 : static_cast<int>(at - kSlotCounts.begin());
  const auto picked = ui.combo("slots", value, {}, choices, chosen,
                               {"Slots",
                                "Buffer size between source and processing. Click to change. More slots bridge longer "
                                "interruptions and use more memory.",
                                {}});
  const bool full = gauge.refusal != nullptr && gauge.used() >= gauge.counts.slots;
  const float words = ui.width(Type::body, "in use");
  ui.text_right(Type::body, value.x1 - ui.px(26), value.y0, value.height(), theme::kText2, "in use");
  ui.text_right(Type::body, value.x1 - ui.px(30) - words, value.y0, value.height(), full ? theme::kRed : theme::kText,
                fmt::format("{} of {}", gauge.used(), gauge.counts.slots));
  if (!picked) return;
  c.state.stream.slots = kSlotCounts[static_cast<std::size_t>(*picked)];
  call(c.commands.stream_changed);
}

void occupancy(PanelContext& c, const Rect& row, const Gauge& gauge) {
  Ui& ui = c.ui;
  const Hit h = ui.hit("occupancy", row);
  const int slots = std::max(gauge.counts.slots, 1);
  const std::string text = fmt::format("Last 10 s; full scale {} slots. Maximum: {}.", slots, gauge.counts.slots_peak);
  ui.tip("occupancy", h, row, {"Slots in use", text, {}});
  draw_sparkline(ui, row, {.values = c.state.numbers.occupancy, .top = static_cast<double>(slots), .label_width = 0});
}

void cells_row(PanelContext& c, Column& column, const Gauge& gauge) {
  Ui& ui = c.ui;
  const Rect cells = ui.row(column, 11, 3);
  ui.hit("gauge", cells,
         {"Slots now",
          fmt::format("Blue: being copied ({}). Bright: waiting ({}). Dark: being filled ({}). Other slots are free.",
                      gauge.counts.slots_reading, gauge.counts.slots_ready, gauge.counts.slots_writing),
          {}});
  slot_cells(ui, cells, gauge);
}

}  // namespace

void draw_slot_cells(const Ui& ui, const Rect& r, const UiState& state) { slot_cells(ui, r, gauge_of(state)); }

void slot_rows(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const Gauge gauge = gauge_of(c.state);
  const Rect r = ui.row(column, 24, 3);
  const float words = ui.text(Type::body, r, theme::kText2, "Slots");
  const float width = ui.width(Type::body, "00 of 00") + ui.width(Type::body, "in use") + ui.px(40);
  const Rect value{r.x1 - width, r.y0, r.x1, r.y1};
  choice(c, value, gauge);
  if (!c.compact) {
    occupancy(c, {std::max(r.x0 + ui.px(kStreamLabels), words), r.y0, value.x0 - ui.px(8), r.y1}, gauge);
  }
  cells_row(c, column, gauge);
  if (c.compact) occupancy(c, ui.row(column, 24, 6), gauge);
}

}  // namespace echoloop
