// Timeline and Stream over the whole window: lanes, predictions and measurement, transport, slots. Cards:
// lecture_cards.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "gui/panels/panels.h"
#include "gui/state/number_text.h"
#include "gui/state/stream_text.h"

namespace echoloop {
namespace {

constexpr float kFlowGap = 20, kLecturePad = 28, kLabels = 122, kLineRow = 36;  // at scale 1
constexpr ImU32 kCopy = theme::kStageColors[static_cast<std::size_t>(Stage::upload)];
constexpr ImU32 kKernels = theme::kStageColors[static_cast<std::size_t>(Stage::beamform)];

// Cell of a choice in the large type.
struct LectureCell {
  std::string_view label, text;
};

float cell_width(const Ui& ui, const LectureCell& cell) { return ui.width(Type::medium, cell.label) + ui.px(24); }

float choice_width(const Ui& ui, std::span<const LectureCell> cells) {
  float width = 0;
  for (const LectureCell& cell : cells) width += cell_width(ui, cell);
  return width;
}

// Draws cells side by side with the chosen one filled. Returns the one that was clicked, if it is another.
std::optional<int> lecture_choice(PanelContext& c, const std::string& id, const Rect& r,
                                  std::span<const LectureCell> cells, int chosen, std::string_view why) {
  Ui& ui = c.ui;
  ui.fill(r, theme::kField, theme::kRadius);
  std::optional<int> picked;
  float x = r.x0;
  for (int i = 0; i < static_cast<int>(cells.size()); ++i) {
    const LectureCell& cell = cells[static_cast<std::size_t>(i)];
    const Rect part{std::round(x), r.y0, std::round(x + cell_width(ui, cell)), r.y1};
    x += cell_width(ui, cell);
    const std::string name = id + "/" + std::string(cell.label);
    const Hit h = ui.control(name.c_str(), part, FocusKind::radio, cell.label);
    ui.tip(name.c_str(), h, part, {cell.label, cell.text, why});
    const bool on = i == chosen;
    if (on) ui.fill(part.inset(ui.px(2)), why.empty() ? theme::kSelected : theme::kHover, theme::kRadius - 1);
    const ImU32 ink = !why.empty() ? theme::kDisabled : on || h.hovered ? theme::kText : theme::kText2;
    ui.text_centred(Type::medium, part, ink, cell.label);
    if (h.clicked && !on && why.empty()) picked = i;
  }
  return picked;
}

constexpr std::array<LectureCell, 3> kOrders = {
    {{"Serial", "One frame after the other: copy, then kernels, on one stream."},
     {"Overlap", "The next frame is copied while kernels run."},
     {"Default stream", "Copies are queued on the default stream, which waits for all others, and they for it."}}};
constexpr std::array<StreamMode, 3> kOrderModes = {StreamMode::serial, StreamMode::overlap, StreamMode::default_stream};

void order_choice(PanelContext& c, const Rect& r) {
  const auto at = std::ranges::find(kOrderModes, c.edits.stream.streams) - kOrderModes.begin();
  const auto picked = lecture_choice(c, "lecture/order", r, kOrders, static_cast<int>(at), c.model.no_effect.streams);
  if (!picked) return;
  c.edits.stream.streams = kOrderModes.at(static_cast<std::size_t>(*picked));
  c.commands.send(command::StreamChanged{});
}

// Returns the rows for copy, kernels and texture, without producer, window and vsync.
std::vector<TimelineRow> lecture_rows(int lanes) {
  std::vector<TimelineRow> rows = timeline_rows(lanes);
  std::erase_if(rows, [](const TimelineRow& row) {
    return row.kind == RowKind::producer || row.kind == RowKind::window || row.kind == RowKind::vsync;
  });
  return rows;
}

bool simulates_bus(const PanelContext& c) {
  return c.model.device.backend == "CPU" && c.edits.stream.copy.bus_gbps > 0.0;
}

// Returns size and rate of a copy: the measured one, or the simulated bus.
std::string copy_words(const PanelContext& c) {
  if (c.model.source.acquisition == nullptr) return {};
  const std::size_t bytes = c.model.source.acquisition->frame_bytes();
  const double ms = c.model.numbers.timing.t_t_ms;
  if (simulates_bus(c))
    return fmt::format("copy {} at {:g} GB/s, simulated", byte_text(bytes), c.edits.stream.copy.bus_gbps);
  if (c.model.device.backend == "CPU" || !(ms > 0.0)) return "no copy: samples are read in place";
  return fmt::format("copy {} at {} GB/s", byte_text(bytes), fixed(static_cast<double>(bytes) * 1e-6 / ms, 2));
}

// Draws the stages with spans, in their colours, and the copy's rate at the right end.
void draw_legend(const PanelContext& c, const Rect& r, const std::vector<Span>& spans) {
  const Ui& ui = c.ui;
  const std::string copy = copy_words(c);
  const float right = r.x1 - ui.width(Type::medium, copy);
  ui.text_right(Type::medium, r.x1, r.y0, r.height(), theme::kText, copy);
  float x = r.x0;
  for (std::size_t i = 0; i < kStageCount; ++i) {
    const auto stage = static_cast<Stage>(i);
    const bool shown = stage > Stage::produce && stage <= Stage::present &&
                       std::any_of(spans.begin(), spans.end(), [&](const Span& s) { return s.stage == stage; });
    if (!shown) continue;
    const std::string_view title = row_of(stage).title;
    const float side = ui.px(14), end = x + side + ui.px(8) + ui.width(Type::medium, title);
    if (end + ui.px(16) > right) return;
    ui.fill({x, r.cy() - 0.5F * side, x + side, r.cy() + 0.5F * side}, theme::kStageColors[i], 2);
    ui.text(Type::medium, x + side + ui.px(8), r.y0, r.height(), theme::kText2, title);
    x = end + ui.px(28);
  }
}

// Marks the frame without a slot at the end of the row of copies.
void draw_refused_copy(const PanelContext& c, const Rect& lanes, float lane) {
  if (c.model.run != RunState::fault || !c.model.notices.fault || !c.model.notices.fault->refusal) return;
  const Ui& ui = c.ui;
  const std::string text =
      fmt::format("{}: no slot to copy into",
                  grouped(numbers_of(c.model.source).in_stream(c.model.notices.fault->refusal->sequence)));
  const float width = ui.width(Type::medium, text) + ui.px(40);
  const Rect r{lanes.x1 - width, lanes.y0, lanes.x1, lanes.y0 + lane};
  ui.fill(r, theme::kCanvas);
  ui.outline({r.x0 + ui.px(2), r.y0 + ui.px(2), r.x0 + ui.px(12), r.y1 - ui.px(2)}, theme::kRed, 2, 2);
  ui.text(Type::medium, r.x0 + ui.px(24), r.y0, r.height(), theme::kRed, text);
}

void fill_with_word(const Ui& ui, const Rect& r, ImU32 color, std::string_view word) {
  ui.fill(r, color, 3);
  if (ui.width(Type::medium, word) + ui.px(12) < r.width()) ui.text_centred(Type::medium, r, theme::kInk, word);
}

// Rates of a simulated bus; slow: the copy takes a fifth of the processing.
constexpr std::array<LectureCell, 5> kBusCells = {{{"Off", "Samples are read in place."},
                                                   {"Slow", "The copy takes a fifth of the time of the processing."},
                                                   {"1", "1 GB/s."},
                                                   {"8", "8 GB/s: PCI Express 3 with 8 lanes."},
                                                   {"32", "32 GB/s: PCI Express 4 with 16 lanes."}}};
constexpr std::array<double, 5> kBusRates = {0.0, -1.0, 1.0, 8.0, 32.0};  // GB/s; -1: slow

// Returns the rate in GB/s, of two digits, at which a copy takes a fifth of the processing.
double slow_bus(const PanelContext& c) {
  const double work_ms = std::max(c.model.numbers.timing.t_p_ms, 1e-3);
  const double gbps = 5.0 * static_cast<double>(c.model.source.acquisition->frame_bytes()) * 1e-6 / work_ms;
  const double step = std::pow(10.0, std::floor(std::log10(gbps)) - 1.0);
  const CopySpec& spec = *std::ranges::find(copy_specs(), "bus_gbps", &CopySpec::key);
  return std::clamp(std::round(gbps / step) * step, spec.step, spec.max);
}

void bus_choice(PanelContext& c, const Rect& r) {
  double& rate = c.edits.stream.copy.bus_gbps;
  const auto at = std::ranges::find(kBusRates, rate);
  const int chosen = at != kBusRates.end() ? static_cast<int>(at - kBusRates.begin()) : 1;
  const std::string_view why = c.model.numbers.timing.frames == 0 ? "No timings yet." : "";
  const auto picked = lecture_choice(c, "lecture/bus", r, kBusCells, chosen, why);
  if (!picked || c.model.source.acquisition == nullptr) return;
  const double wanted = kBusRates.at(static_cast<std::size_t>(*picked));
  rate = wanted < 0.0 ? slow_bus(c) : wanted;
  c.commands.send(command::StreamChanged{});
}

constexpr std::array<LectureCell, 4> kMemoryCells = {
    {{"Pageable", "Pageable: the driver copies twice; copy and kernels do not overlap."},
     {"Pinned", "Pinned: the device copies without the driver, while kernels run."},
     {"Write-combined", "Write-combined: as pinned; slow to read back on the host."},
     {"Mapped", "Mapped: kernels read host memory; there is no copy."}}};
constexpr std::array<LectureCell, 4> kLaneCells = {{{"1", "One frame in the pipeline: no overlap."},
                                                    {"2", "Two frames in the pipeline."},
                                                    {"3", "Three frames in the pipeline."},
                                                    {"4", "Four frames in the pipeline."}}};
constexpr std::array<LectureCell, 4> kChunkCells = {{{"1", "A frame is copied as a whole."},
                                                     {"4", "A frame is copied in 4 pieces."},
                                                     {"16", "A frame is copied in 16 pieces."},
                                                     {"64", "A frame is copied in 64 pieces."}}};
constexpr std::array<double, 4> kChunks = {1.0, 4.0, 16.0, 64.0};
constexpr std::array<LectureCell, 2> kWaitCells = {
    {{"Event", "The host waits for the event of a frame; others are in work."},
     {"Device", "The host waits for all work of the device after each frame: the next copy starts later."}}};

// Places labelled controls from left to right, in as many rows as needed.
class LectureFlow {
 public:
  LectureFlow(const Ui& ui, const Rect& area) : ui_(ui), x0_(area.x0), x1_(area.x1), x_(area.x0), y_(area.y0) {}

  // Draws the label and returns the control's rectangle.
  Rect place(std::string_view label, float width) {
    const float words = label.empty() ? 0 : ui_.width(Type::medium, label) + ui_.px(12);
    if (x_ > x0_ && x_ + words + width > x1_) next_row();
    const Rect r{x_ + words, y_ + ui_.px(3), x_ + words + width, y_ + ui_.px(kLineRow - 3)};
    ui_.text(Type::medium, x_, r.y0, r.height(), theme::kText2, label);
    x_ = r.x1 + ui_.px(kFlowGap);
    return r;
  }
  void next_row() {
    x_ = x0_;
    y_ += ui_.px(kLineRow);
  }
  [[nodiscard]] float end() const { return y_ + ui_.px(kLineRow); }
  [[nodiscard]] Rect rest() const { return {x_, y_, x1_, end()}; }

 private:
  const Ui& ui_;
  float x0_, x1_, x_, y_;
};

// Draws the buttons of the changes that a lecture shows as faults; one is in force at a time.
void break_buttons(PanelContext& c, LectureFlow& flow, LectureBreak& in_force) {
  Ui& ui = c.ui;
  StreamSettings& s = c.edits.stream;
  const ControlReasons& why = c.model.no_effect;
  for (const BreakRow& row : break_rows()) {
    const bool first = &row == break_rows().data();
    const Rect r = flow.place(first ? "Break it" : "", ui.width(Type::medium, row.label) + ui.px(20));
    const std::string id = "lecture/break/" + std::string(row.name);
    const bool on = in_force.name == row.name;
    const Hit h = ui.control(id.c_str(), r, FocusKind::button, row.name);
    ui.tip(id.c_str(), h, r, {row.name, row.hint, why.streams});
    ui.fill(r, on ? theme::kSelected : h.hovered ? theme::kHover : theme::kField, theme::kRadius);
    ui.text_centred(Type::medium, r,
                    !why.streams.empty() ? theme::kDisabled
                    : on                 ? theme::kText
                                         : theme::kText2,
                    row.label);
    if (!h.clicked || !why.streams.empty()) continue;
    const auto former = std::ranges::find(break_rows(), in_force.name, &BreakRow::name);
    if (former != break_rows().end()) former->repair(s, in_force.before);
    if (!on) {
      in_force.before = s;
      in_force.copy_ms = c.model.numbers.timing.t_t_ms;
      row.apply(s);
    }
    in_force.name = on ? std::string() : std::string(row.name);
  }
}

}  // namespace

void Lecture::watch_policy(RingPolicy policy) {
  if (policy == chosen_) return;
  other_ = chosen_;
  chosen_ = policy;
}

float Lecture::draw_timeline(PanelContext& c, const Rect& area, float lanes) {
  Ui& ui = c.ui;
  TimelineState& t = c.view.transient.timeline;
  c.edits.timeline_wanted = !t.paused;
  const std::vector<Span>& spans = t.paused ? t.kept : c.model.numbers.spans;
  TimelineScene scene{
      .spans = spans,
      .frames = last_frames(spans, c.view.timeline_frames),
      .rows = lecture_rows(timeline_lanes_shown(c.edits, spans)),
      .look = {.gap = 6, .labels = kLabels, .numbers = 24, .type = Type::medium, .axis = LaneAxis::left_out}};
  const float n = static_cast<float>(scene.rows.size());
  scene.look.lane = std::clamp(lanes / n, 20.0F, 52.0F);
  const Rect head{area.x0, area.y0 + ui.px(8), area.x1, area.y0 + ui.px(46)};
  const float x = ui.text(Type::heading, head, theme::kText, "Timeline") + ui.px(28);
  const Rect choice{head.x1 - choice_width(ui, kOrders), head.y0 + ui.px(2), head.x1, head.y1 - ui.px(2)};
  ui.text_fitted(Type::medium, x, choice.x0 - ui.px(16), head.y0, head.height(), theme::kText2,
                 timeline_summary(t, scene.frames, c.view.timeline_frames, true));
  order_choice(c, choice);
  Column column{area.x0, area.x1, head.y1, c.compact};
  timeline_lanes(c, column, scene);
  drawn_lanes_ = n * scene.look.lane;
  draw_refused_copy(c, t.area, ui.px(scene.look.lane));
  const Rect legend{area.x0 + ui.px(kLabels), column.y + ui.px(2), area.x1, column.y + ui.px(30)};
  draw_legend(c, legend, spans);
  return legend.y1 + ui.px(6);
}

// Draws the time of a frame in both orders and the measured one, on one scale, with the resulting rates.
float Lecture::draw_period(PanelContext& c, const Rect& area) {
  Ui& ui = c.ui;
  const StreamTiming& t = c.model.numbers.timing;
  const bool known = t.frames > 0 && t.serial_ms() > 0.0;
  const float row_h = ui.px(28);
  const Rect head{area.x0, area.y0, area.x1, area.y0 + ui.px(38)};
  float x = ui.text(Type::heading, head, theme::kText, "Period") + ui.px(28);
  x = std::max(x, area.x0 + ui.px(kLabels));
  const auto part = [&](std::string_view words, std::string_view symbol, ImU32 color, double ms) {
    x = ui.text(Type::medium, x, head.y0, head.height(), theme::kText2, words) + ui.px(8);
    x = draw_formula(ui, Type::medium, x, head, theme::kText, symbol) + ui.px(6);
    ui.fill({x, head.cy() - ui.px(5), x + ui.px(10), head.cy() + ui.px(5)}, color, 2);
    x = ui.text(Type::large_strong, x + ui.px(16), head.y0, head.height(), theme::kText,
                known ? exact_ms(ms) + " ms" : "—") +
        ui.px(16);
  };
  part("copy", "t_t", kCopy, t.t_t_ms);
  part("processing", "t_p", kKernels, t.t_p_ms);
  const double budget_ms = c.model.numbers.frame_budget_ms;
  std::string note = known ? "median since the last change: " + counted(static_cast<int>(t.frames), "frame")
                           : std::string("No timings yet");
  if (budget_ms > 0.0) note = fmt::format("source: one per {} ms; ", exact_ms(budget_ms)) + note;
  ui.text_fitted(Type::medium, std::max(x, head.x1 - ui.width(Type::medium, note)), head.x1, head.y0, head.height(),
                 theme::kMuted, note);

  const float values = ui.px(430), formulas = ui.px(kLabels + 140);
  const Rect bars{area.x0 + formulas, 0, std::max(area.x1 - values, area.x0 + formulas + ui.px(160)), 0};
  const double top_ms = 1.3 * std::max({t.serial_ms(), std::min(t.period_ms, 2.0 * t.serial_ms()), 1e-9});
  const auto x_of = [&](double ms) {
    return std::round(bars.x0 + bars.width() * static_cast<float>(std::min(ms / top_ms, 1.0)));
  };
  float y = head.y1;
  const auto row = [&](std::string_view label, std::string_view formula, double ms, const std::string& note) {
    const Rect r{area.x0, y, area.x1, y + row_h};
    ui.text(Type::large, r, theme::kText2, label);
    draw_formula(ui, Type::large, area.x0 + ui.px(kLabels), r, theme::kText2, formula);
    const Rect bar{bars.x0, r.y0 + ui.px(3), bars.x1, r.y1 - ui.px(3)};
    ui.fill(bar, theme::kField, 3);
    const float end =
        ui.text(Type::large_strong, bar.x1 + ui.px(18), r.y0, row_h, theme::kText, known ? exact_ms(ms) + " ms" : "—") +
        ui.px(14);
    if (known) ui.text_fitted(Type::medium, end, area.x1, r.y0, row_h, theme::kText2, note);
    y += row_h + ui.px(2);
    return bar;
  };
  const auto rate = [](double ms) { return grouped(static_cast<std::uint64_t>(std::max(1e3 / ms, 0.0))); };
  const auto most = [&](double ms) { return fmt::format("at most {} frames/s", rate(ms)); };
  const Rect serial = row("Serial", "t_t + t_p", t.serial_ms(), most(t.serial_ms()));
  const Rect overlap = row("Overlap", "max(t_t, t_p)", t.overlap_ms(), most(t.overlap_ms()));
  const Rect measured = row("Measured", "", t.period_ms,
                            fmt::format("{} frames/s: {}", rate(t.period_ms), limit_words(c.model, c.edits)));
  if (!known) return y;
  fill_with_word(ui, {serial.x0, serial.y0, x_of(t.t_t_ms), serial.y1}, kCopy, "copy");
  fill_with_word(ui, {x_of(t.t_t_ms), serial.y0, x_of(t.serial_ms()), serial.y1}, kKernels, "processing");
  const float middle = std::round(overlap.cy());
  ui.fill({overlap.x0, overlap.y0, x_of(t.t_t_ms), middle - ui.px(1)}, kCopy, 2);
  ui.fill({overlap.x0, middle + ui.px(1), x_of(t.t_p_ms), overlap.y1}, kKernels, 2);
  ui.fill({measured.x0, measured.y0, x_of(t.period_ms), measured.y1}, theme::kAccent, 3);
  if (budget_ms > 0.0 && budget_ms < top_ms) {
    ui.vertical(x_of(budget_ms), serial.y0 - ui.px(2), measured.y1 + ui.px(2), theme::kText);
    ui.triangle(x_of(budget_ms), serial.y0 - ui.px(2), Direction::down, theme::kText, 8);
  }
  return y;
}

float Lecture::draw_transport(PanelContext& c, const Rect& area, float most) {
  Ui& ui = c.ui;
  StreamSettings& s = c.edits.stream;
  const StreamSettings before = s;
  const ControlReasons& why = c.model.no_effect;
  LectureFlow flow(ui, area);
  const float name =
      ui.text(Type::heading, {area.x0, area.y0, area.x1, area.y0 + ui.px(kLineRow)}, theme::kText, "Memory");
  static_cast<void>(flow.place("", std::max(name - area.x0, ui.px(kLabels)) - ui.px(kFlowGap)));
  const auto memory = static_cast<int>(why.host_memory.empty() ? s.host_memory : HostMemory::pageable);
  if (const auto kind = lecture_choice(c, "lecture/memory", flow.place("", choice_width(ui, kMemoryCells)),
                                       kMemoryCells, memory, why.host_memory)) {
    s.host_memory = static_cast<HostMemory>(*kind);
  }
  if (c.model.device.backend == "CPU") {
    bus_choice(c, flow.place(simulates_bus(c) ? fmt::format("bus {:g} GB/s", s.copy.bus_gbps) : "bus, GB/s",
                             choice_width(ui, kBusCells)));
  }
  const std::string_view text = kMemoryCells[static_cast<std::size_t>(memory)].text;
  if (const Rect rest = flow.rest(); ui.width(Type::medium, text) < rest.width())
    ui.text(Type::medium, rest, theme::kText2, text);
  if (flow.end() + ui.px(kLineRow) > most) {  // a low window
    if (!(s == before)) c.commands.send(command::StreamChanged{});
    return flow.end();
  }
  flow.next_row();
  if (const auto lanes = lecture_choice(c, "lecture/lanes", flow.place("Lanes", choice_width(ui, kLaneCells)),
                                        kLaneCells, s.lanes - 1, why.lanes)) {
    s.lanes = *lanes + 1;
  }
  const auto chunks = std::ranges::find(kChunks, s.copy.chunks) - kChunks.begin();
  if (const auto many = lecture_choice(c, "lecture/chunks", flow.place("Chunks", choice_width(ui, kChunkCells)),
                                       kChunkCells, static_cast<int>(chunks), why.streams)) {
    s.copy.chunks = kChunks.at(static_cast<std::size_t>(*many));
  }
  if (const auto wait = lecture_choice(c, "lecture/wait", flow.place("Wait", choice_width(ui, kWaitCells)), kWaitCells,
                                       s.copy.device_sync > 0.0 ? 1 : 0, why.streams)) {
    s.copy.device_sync = *wait;
  }
  break_buttons(c, flow, break_);
  if (!(s == before)) c.commands.send(command::StreamChanged{});
  return flow.end();
}

// Draws policies, slots and losses in one row, or in two.
float Lecture::draw_stream(PanelContext& c, const Rect& area) {
  Ui& ui = c.ui;
  LectureFlow flow(ui, area);
  const float name =
      ui.text(Type::heading, {area.x0, area.y0, area.x1, area.y0 + ui.px(kLineRow)}, theme::kText, "Stream");
  static_cast<void>(flow.place("", std::max(name - area.x0, ui.px(kLabels)) - ui.px(kFlowGap)));
  constexpr std::array<RingPolicy, 4> kPolicies = {RingPolicy::block, RingPolicy::error, RingPolicy::drop_oldest,
                                                   RingPolicy::drop_newest};
  for (const RingPolicy policy : kPolicies) {
    if (!policy_radio(c, flow.place("", ui.px(32) + ui.width(Type::medium, policy_words(policy).label)), policy))
      continue;
    c.edits.stream.policy = policy;
    c.commands.send(command::StreamChanged{});
  }
  const auto& fault = c.model.notices.fault;
  const bool refused = c.model.run == RunState::fault && fault && fault->refusal;
  const RingCounts& n = refused ? fault->refusal->counts : c.model.numbers.counts;  // as drawn
  const float cells_width = ui.px(std::clamp(44.0F * static_cast<float>(n.slots), 160.0F, 320.0F));
  const RingCounts& all = c.model.numbers.counts;
  const std::uint64_t lost = all.dropped + all.refused + all.sequence_gaps;
  const std::string used = fmt::format("{} of {}", n.slots_writing + n.slots_ready + n.slots_reading, n.slots);
  const Rect group = flow.place("Slots", cells_width + ui.px(300) + ui.width(Type::large_strong, used));
  const auto step = [&](const char* id, float x, std::string_view sign, int slots, std::string_view why) {
    const Rect r{x, group.y0, x + ui.px(32), group.y1};
    if (!ui.button(id, r, {.label = sign}, {"Slots", "Number of slots between source and processing.", why})) return;
    c.edits.stream.slots = slots;
    c.commands.send(command::StreamChanged{});
  };
  const int slots = c.edits.stream.slots;
  step("lecture/slots-", group.x0, "-", slots - 1, slots <= kMinSlots ? "The ring has the fewest slots." : "");
  step("lecture/slots+", group.x0 + ui.px(36), "+", slots + 1,
       slots >= kMaxSlots ? "The ring has the most slots." : "");
  const Rect cells{group.x0 + ui.px(80), group.y0, group.x0 + ui.px(80) + cells_width, group.y1};
  draw_slot_cells(ui, cells, c.model);
  draw_slot_words(c, cells);
  float x = ui.text(Type::large_strong, cells.x1 + ui.px(14), cells.y0, cells.height(), theme::kText, used) + ui.px(8);
  x = ui.text(Type::medium, x, cells.y0, cells.height(), theme::kText2, "in use") + ui.px(16);
  const bool alarm = lost > 0 && !loses_by_itself(c);
  x = ui.text(Type::medium, x, cells.y0, cells.height(), alarm ? theme::kRed : theme::kText2, "lost") + ui.px(8);
  ui.text(Type::large_strong, x, cells.y0, cells.height(), alarm ? theme::kRed : theme::kText, grouped(lost));
  return flow.end();
}

void Lecture::draw_cards(PanelContext& c, const Rect& area) {
  std::optional<Span>& chosen = c.view.transient.timeline.chosen;
  if (chosen.has_value()) {
    draw_code_card(c, area, *chosen);
    const Rect close{area.x1 - c.ui.px(40), area.y0 + c.ui.px(8), area.x1 - c.ui.px(12), area.y0 + c.ui.px(36)};
    if (c.ui.icon_button("lecture/code/close", close, {"Close", "Returns to the policies.", {}})) chosen.reset();
    c.ui.cross(close.cx(), close.cy(), theme::kText2);
    return;
  }
  const auto policy = draw_policy_cards(c, area, chosen_, other_);
  if (!policy) return;
  c.edits.stream.policy = *policy;
  c.commands.send(command::StreamChanged{});
}

void Lecture::draw(PanelContext& c, const Rect& area) {
  Ui& ui = c.ui;
  watch_policy(c.edits.stream.policy);
  take_timeline_wheel(c, area);
  ui.focus().enter(WindowPart::picture);
  constexpr float kCards = 150, kLeastCards = 84, kLeastLanes = 80;
  // The cards have their height first; the lanes have what the last frame left beyond it.
  const float lanes = kLeastLanes + std::max(0.0F, rest_ - kCards);
  const Rect inside{area.x0 + ui.px(kLecturePad), area.y0, area.x1 - ui.px(kLecturePad), area.y1 - ui.px(12)};
  const auto line = [&](float y) {
    ui.horizontal(area.x0, area.x1, y, theme::kLine);
    return y + ui.px(6);
  };
  float y = draw_lecture_banner(c, inside, break_);
  y = lesson_strip(c, {inside.x0, y, inside.x1, inside.y1});
  y = line(draw_timeline(c, {inside.x0, y, inside.x1, inside.y1}, lanes));
  y = line(draw_period(c, {inside.x0, y, inside.x1, inside.y1}) + ui.px(4));
  const float stream = ui.px(2 * kLineRow + 12);  // rows of the policies and slots
  y = line(draw_transport(c, {inside.x0, y, inside.x1, inside.y1}, inside.y1 - stream));
  y = draw_stream(c, {inside.x0, y, inside.x1, inside.y1}) + ui.px(4);
  rest_ = (inside.y1 - y) / ui.scale() + drawn_lanes_ - kLeastLanes;
  if (inside.y1 - y >= ui.px(kLeastCards)) draw_cards(c, {inside.x0, y, inside.x1, inside.y1});
}

}  // namespace echoloop
