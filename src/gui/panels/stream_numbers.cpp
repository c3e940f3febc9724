// Numbers of the stream panel: account of all frames, rates, memory, latency with percentiles and a curve.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "gui/panels/panels.h"
#include "gui/state/number_text.h"
#include "gui/toolkit/plot.h"

namespace echoloop {
namespace {

struct Counter {
  const char* sign;  // in the sum; null = not part of it
  const char* label;
  std::uint64_t value;
  const char* help;
  bool alarm = false;
};

using Counters = std::array<Counter, 10>;

// Returns the counters; the first five form a sum from top to bottom.
Counters counters_of(const Model& model) {
  const RingCounts& n = model.numbers.counts;
  return {{
      {"", "Produced", n.produced, "Frames from the source: the sum of the four rows below."},
      {"=", "Processed", n.processed, "Frames with a finished image."},
      {"+", "Dropped", n.dropped, "Frames dropped by the policy because the buffer was full.", n.dropped > 0},
      {"+", "Refused", n.refused, "Frames that stopped the stream (policy: stop on overrun).", n.refused > 0},
      {"+", "In flight", n.in_flight, "Frames waiting, being copied or being processed."},
      {nullptr, "Released", n.copied, "Frames whose slot has been freed."},
      {nullptr, "Shown", model.numbers.shown, "Images shown in the window: always the newest, at the display rate."},
      {nullptr, "Gaps", n.sequence_gaps, "Frame numbers missing from the source.", n.sequence_gaps > 0},
      {nullptr, "Duplicates", n.duplicates, "Frames with a repeated number."},
      {nullptr, "Errors", model.numbers.errors, "Number of stops of the stream.", model.numbers.errors > 0},
  }};
}

void counter_cell(Ui& ui, const Rect& r, const Counter& counter, bool small) {
  const std::string id = std::string("count/") + counter.label;
  ui.hit(id.c_str(), r, {counter.label, counter.help, {}});
  const std::string number = grouped(counter.value);
  float x = r.x0;
  const Type label = small ? Type::small : Type::body;
  if (counter.sign != nullptr) {
    ui.text(label, x, r.y0, r.height(), theme::kMuted, counter.sign);
    x += ui.px(small ? 11 : 13);
  }
  const float end = ui.text(label, x, r.y0, r.height(), theme::kText2, counter.label);
  const bool tight = end + ui.px(4) + ui.width(label, number) > r.x1;  // after a stream of many hours
  ui.text_right(tight ? Type::small : label, r.x1, r.y0, r.height(), counter.alarm ? theme::kRed : theme::kText,
                number);
}

void counter_table(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const Counters counters = counters_of(c.model);
  column.y += ui.px(3);
  if (c.compact) {  // numbers of a long stream do not fit two columns
    for (const Counter& counter : counters) {
      const Rect r = ui.row(column, kNumberRow, 0);
      counter_cell(ui, r, counter, true);
      ui.horizontal(r.x0, r.x1, r.y1 - ui.hairline(), theme::kFaintLine);
    }
    return;
  }
  for (std::size_t i = 0; i < counters.size() / 2; ++i) {
    const Rect r = ui.row(column, kNumberRow, 0);
    const float middle = std::round(r.cx());
    const Rect left{r.x0, r.y0, middle - ui.px(12), r.y1};
    const Rect right{middle + ui.px(12), r.y0, r.x1, r.y1};
    counter_cell(ui, left, counters[i], false);
    counter_cell(ui, right, counters[i + counters.size() / 2], false);
    ui.horizontal(left.x0, left.x1, r.y1 - ui.hairline(), theme::kFaintLine);
    ui.horizontal(right.x0, right.x1, r.y1 - ui.hairline(), theme::kFaintLine);
  }
}

struct Fact {
  const char* id;
  const char* label;
  std::string value;
  std::string unit;
  const char* help;
};

void fact(PanelContext& c, const Rect& r, const Fact& fact) {
  Ui& ui = c.ui;
  ui.hit(fact.id, r, {fact.label, fact.help, {}});
  const float all =
      ui.width(Type::body, fact.label) + ui.width(Type::body, fact.value) + ui.width(Type::body, fact.unit) + ui.px(8);
  const Type type = c.compact || all > r.width() ? Type::small : Type::body;
  ui.text(type, r, theme::kText2, fact.label);
  ui.text_right(type, r.x1, r.y0, r.height(), theme::kMuted, fact.unit);
  ui.text_right(type, r.x1 - ui.width(type, fact.unit) - ui.px(4), r.y0, r.height(), theme::kText, fact.value);
}

// Draws the rates in one row, or in two rows in a narrow column, as the counters.
void rate_rows(PanelContext& c, Column& column) {
  const double rate = c.model.numbers.bytes_per_second;
  const bool giga = rate >= 999.5e6;
  const double waited_s = static_cast<double>(c.model.numbers.counts.producer_waited_ns) * 1e-9;
  Rect left = c.ui.row(column, kNumberRow, 0);
  Rect right = left;
  if (c.compact) {
    right = c.ui.row(column, kNumberRow, 0);
  } else {
    left.x1 = std::round(left.cx()) - c.ui.px(12);
    right.x0 = std::round(right.cx()) + c.ui.px(12);
  }
  fact(c, left,
       {"data_rate", "Data rate", rate > 0.0 ? fixed(rate * (giga ? 1e-9 : 1e-6), giga ? 2 : 1) : "—",
        giga ? "GB/s" : "MB/s", "Rate of processed channel data in the last 2 s."});
  fact(c, right,
       {"waited", c.compact ? "Source blocked" : "Blocked", fixed(waited_s, waited_s < 999.95 ? 1 : 0) + " s",
        fixed(100.0 * c.model.numbers.producer_wait_share, 0) + " %",
        "Total time the source waited for a free slot, and the fraction of the last 2 s. Only the policy Block "
        "makes the source wait; at 100 % processing limits the rate."});
}

struct MemoryLine {
  const char* id;
  std::string label;
  std::size_t used;
  std::size_t free;
  std::string help;
};

// Draws "Device   184 MB used   149 GB free", with aligned numbers.
void memory_line(PanelContext& c, Column& column, const MemoryLine& line) {
  Ui& ui = c.ui;
  const Type type = c.compact ? Type::small : Type::body;
  const Rect r = ui.row(column, kNumberRow, 0);
  ui.hit(line.id, r, {line.label, line.help, {}});
  ui.text(type, r, theme::kText2, line.label);
  const bool known = line.used > 0 || line.free > 0;
  const float number = ui.width(type, "000 MB");
  float x = r.x1;
  for (const auto& [word, bytes, color] :
       {std::tuple{"free", line.free, theme::kText2}, std::tuple{"used", line.used, theme::kText}}) {
    ui.text_right(Type::small, x, r.y0, r.height(), theme::kMuted, word);
    x -= ui.width(Type::small, word) + ui.px(4);
    ui.text_right(type, x, r.y0, r.height(), color, known ? byte_text(bytes) : "—");
    x -= number + ui.px(c.compact ? 6 : 12);
  }
}

struct Way {
  const char* id;
  const char* label;
  const char* help;
  const StageSummary& recent;  // over the last 10 s
  const StageSummary& since_start;
  Latency latency;
};

std::string percentiles_text(std::string_view span, const StageSummary& s) {
  if (s.count == 0) return {};
  return fmt::format(" {}: p50 {}, p95 {}, p99 {}, max {}.", span, ms_words(s.p50_ms), ms_words(s.p95_ms),
                     ms_words(s.p99_ms), ms_words(s.max_ms));
}

// Draws a row that selects the curve below the rows.
void number_row(PanelContext& c, Column& column, const Way& way, bool known) {
  Ui& ui = c.ui;
  const Rect r = ui.row(column, kNumberRow, 0);
  const bool plotted = c.view.plotted == way.latency;
  const std::string help =
      way.help + percentiles_text(image_rests(c.model) ? "Last 10 s before the stop" : "Last 10 s", way.recent) +
      percentiles_text("Since the start", way.since_start);
  if (ui.radio(way.id, r, way.label, plotted, {way.label, help, {}})) c.view.plotted = way.latency;
  const StageSummary& s = c.view.transient.latency_since_start ? way.since_start : way.recent;
  float x = r.x1;
  for (const double ms : {s.max_ms, s.p99_ms, s.p95_ms, s.p50_ms}) {
    ui.text_right(c.compact ? Type::small : Type::body, x, r.y0, r.height(), plotted ? theme::kText : theme::kText2,
                  ms_text(ms, known && s.count > 0));
    x -= c.ui.px(kNumberStep);
  }
}

void head_row(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const Rect r = ui.row(column, kNumberRow, 0);
  float end = ui.text(c.compact ? Type::small : Type::body, r, theme::kText2, "Latency") + ui.px(6);
  if (!c.compact) end = ui.text(Type::small, end, r.y0, r.height(), theme::kMuted, "ms,") + ui.px(4);
  const bool all = c.view.transient.latency_since_start;
  const char* span = c.compact              ? (all ? "all" : "10 s")
                     : all                  ? "since start"
                     : image_rests(c.model) ? "stopped"
                                            : "last 10 s";
  const Rect link{end, r.y0, end + ui.width(Type::small, span), r.y1};
  const Hit h =
      ui.hit("latency_span", link,
             {"Period of the percentiles",
              "The frames shown in the last 10 s (stopped: the last 10 s before), or all since the start or the last "
              "reset. Click to switch.",
              {}});
  ui.text(Type::small, link, h.hovered ? theme::kText : theme::kAccent, span);
  if (h.clicked) c.view.transient.latency_since_start = !all;
  if (all && !c.compact) {
    const float x0 = link.x1 + ui.px(8);
    const Rect reset{x0, r.y0, x0 + ui.width(Type::small, "reset"), r.y1};
    const Hit again = ui.hit("latency_reset", reset, {"Reset", "Begins the percentiles and the maximum again.", {}});
    ui.text(Type::small, reset, again.hovered ? theme::kText : theme::kAccent, "reset");
    if (again.clicked) c.commands.send(command::ResetLatencies{});
  }
  float x = r.x1;
  for (const char* name : {"max", "p99", "p95", "p50"}) {
    ui.text_right(Type::small, x, r.y0, r.height(), theme::kMuted, name);
    x -= c.ui.px(kNumberStep);
  }
}

std::string top_text(double top_ms) {
  if (top_ms >= 1000.0) return fixed(1e-3 * top_ms, 0) + " s";
  return fixed(top_ms, decimals_of_125(top_ms)) + " ms";
}

void plot_row(PanelContext& c, Column& column, bool running) {
  Ui& ui = c.ui;
  const bool shown = c.view.plotted == Latency::shown;
  const StageSummary& summary = shown ? c.model.numbers.shown_latency.recent : c.model.numbers.latency.recent;
  const std::vector<float>& history =
      shown ? c.model.numbers.shown_latency.history_ms : c.model.numbers.latency.history_ms;
  const bool known = running && summary.count > 0;
  double peak = known ? summary.p95_ms * 1.2 : 0.0;
  for (const float ms : history) peak = std::max(peak, std::isnan(ms) ? 0.0 : static_cast<double>(ms));
  const double top = round_up_125(peak);
  const Rect row = ui.row(column, 26, 0);
  ui.hit("latency", row,
         {shown ? "Latency until shown" : "Latency until ready",
          "Last 10 s, slowest frame per interval; dashed line: p95.",
          {}});
  Sparkline plot{.values = history, .top = top, .top_text = top_text(top)};
  if (known) {
    plot.line = summary.p95_ms;
    plot.line_text = "p95";
  }
  draw_sparkline(ui, row, plot);
}

}  // namespace

void memory_rows(PanelContext& c, Column& column) {
  const MemoryView& m = c.model.device.memory;
  std::string device = "Buffers of this stream on the device, and free device memory.";
  if (m.device_used == 0 && m.device_free == 0) device = "The CPU uses host memory.";
  if (m.lane_bytes > 0) device += fmt::format(" {} per lane.", byte_text(m.lane_bytes));
  memory_line(c, column, {"memory_device", "Device", m.device_used, m.device_free, device});
  std::string host = "Slots, copies of recordings and the history";
  host += m.history_used > 0 ? fmt::format(", which takes {}.", byte_text(m.history_used)) : ".";
  if (m.slot_bytes > 0) host += fmt::format(" {} per slot.", byte_text(m.slot_bytes));
  if (m.page_locked) host += " Page-locked: never swapped, read directly by the device.";
  if (m.in_place_bytes > 0)
    host += fmt::format(" Page-locked frames of the recording: {}.", byte_text(m.in_place_bytes));
  const char* label = !m.page_locked ? "Host" : c.compact ? "Locked" : "Host, page-locked";
  memory_line(c, column, {"memory_host", label, m.host_used, m.host_free, host});
}

void counter_rows(PanelContext& c, Column& column) {
  counter_table(c, column);
  rate_rows(c, column);
}

void latency_rows(PanelContext& c, Column& column) {
  const bool running = c.model.run != RunState::fault;
  head_row(c, column);
  number_row(c, column,
             {"latency_ready", "Ready", "From a complete frame in host memory to the finished image.",
              c.model.numbers.latency.recent, c.model.numbers.latency.since_start, Latency::ready},
             running);
  number_row(c, column,
             {"latency_shown", "Shown", "From a complete frame in host memory to the image on the display.",
              c.model.numbers.shown_latency.recent, c.model.numbers.shown_latency.since_start, Latency::shown},
             running);
  column.y += c.ui.px(3);
  plot_row(c, column, running);
}

// Slots of the ring: number, state of each, number in use over the last ten seconds.

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

// Content of the gauge: the current ring, or its state when a frame was refused.
struct Gauge {
  RingCounts counts;
  const RingRefusal* refusal = nullptr;
  [[nodiscard]] int used() const { return counts.slots_reading + counts.slots_ready + counts.slots_writing; }
  // Returns the state of a slot. Slots are used in turn: first those being copied, then those waiting, oldest first.
  [[nodiscard]] Slot at(int index) const {
    const int slots = std::max(counts.slots, 1);
    const int turn = refusal != nullptr ? (index - refusal->slot + slots) % slots : index;
    if (refusal != nullptr && turn == 0) return refusal->copying ? Slot::copying : Slot::ready;
    if (turn < counts.slots_reading) return Slot::copying;
    if (turn < counts.slots_reading + counts.slots_ready) return Slot::ready;
    return turn < used() ? Slot::filling : Slot::free;
  }
};

Gauge gauge_of(const Model& model) {
  if (model.run == RunState::fault && model.notices.fault && model.notices.fault->refusal) {
    return {model.notices.fault->refusal->counts, &*model.notices.fault->refusal};
  }
  return {model.numbers.counts, nullptr};
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

// Returns "806 MB", with the available memory if it does not fit.
std::string memory_note(const MemoryView& memory, int slots) {
  if (memory.slot_bytes == 0) return {};
  const std::size_t needed = memory.slot_bytes * static_cast<std::size_t>(slots);
  const std::size_t there = memory.host_free + memory.host_used;
  if (memory.host_free == 0 || needed <= there) return byte_text(needed);
  return fmt::format("{}, only {} free", byte_text(needed), byte_text(there));
}

// Draws the choice of slots in `value`, with the number in use on it.
void choice(PanelContext& c, const Rect& value, const Gauge& gauge) {
  Ui& ui = c.ui;
  std::vector<std::string> texts;
  std::vector<Choice> choices;
  for (const int count : kSlotCounts) texts.push_back(fmt::format("{} slots", count));
  for (const int count : kSlotCounts) texts.push_back(memory_note(c.model.device.memory, count));
  for (std::size_t i = 0; i < kSlotCounts.size(); ++i) choices.push_back({texts[i], texts[i + kSlotCounts.size()]});
  const auto at = std::find(kSlotCounts.begin(), kSlotCounts.end(), c.edits.stream.slots);
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
  c.edits.stream.slots = kSlotCounts[static_cast<std::size_t>(*picked)];
  c.commands.send(command::StreamChanged{});
}

void occupancy(PanelContext& c, const Rect& row, const Gauge& gauge) {
  Ui& ui = c.ui;
  const Hit h = ui.hit("occupancy", row);
  const int slots = std::max(gauge.counts.slots, 1);
  const std::string text = fmt::format("Last 10 s; full scale {} slots. Maximum: {}.", slots, gauge.counts.slots_peak);
  ui.tip("occupancy", h, row, {"Slots in use", text, {}});
  draw_sparkline(ui, row, {.values = c.model.numbers.occupancy, .top = static_cast<double>(slots), .label_width = 0});
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

void draw_slot_cells(const Ui& ui, const Rect& r, const Model& model) { slot_cells(ui, r, gauge_of(model)); }

void slot_rows(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  const Gauge gauge = gauge_of(c.model);
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
