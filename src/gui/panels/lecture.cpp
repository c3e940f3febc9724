#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "gui/panels/panels.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr float kDesigned = 646, kLecturePad = 28;  // reference height between the bars for lengths here, at scale 1
constexpr ImU32 kCopy = theme::kStageColors[static_cast<std::size_t>(Stage::upload)];
constexpr ImU32 kKernels = theme::kStageColors[static_cast<std::size_t>(Stage::beamform)];

// Draws the choice of Serial or Overlap, with the current one filled.
void order_choice(PanelContext& c, const Rect& r) {
  Ui& ui = c.ui;
  const std::string_view why = c.model.no_effect.streams;
  ui.fill(r, theme::kField, theme::kRadius);
  struct Cell {
    StreamMode mode;
    const char* id;
    std::string_view label, text;
  };
  constexpr std::array<Cell, 2> kCells = {
      {{StreamMode::serial, "lecture/serial", "Serial", "One frame after the other: copy, then kernels."},
       {StreamMode::overlap, "lecture/overlap", "Overlap", "The next frame is copied while kernels run."}}};
  float x = r.x0;
  for (const Cell& cell : kCells) {
    const Rect half{x, r.y0, x + 0.5F * r.width(), r.y1};
    x = half.x1;
    const Hit h = ui.control(cell.id, half, FocusKind::radio, cell.label);
    ui.tip(cell.id, h, half, {cell.label, cell.text, why});
    const bool on = c.edits.stream.streams == cell.mode;
    if (on) ui.fill(half.inset(ui.px(2)), why.empty() ? theme::kSelected : theme::kHover, theme::kRadius - 1);
    const ImU32 ink = !why.empty() ? theme::kDisabled : on || h.hovered ? theme::kText : theme::kText2;
    ui.text_centred(Type::medium, half, ink, cell.label);
    if (!h.clicked || on || !why.empty()) continue;
    c.edits.stream.streams = cell.mode;
    c.commands.send(command::StreamChanged{});
  }
}

// Returns the rows for copy, kernels and texture, without producer, window and vsync.
std::vector<TimelineRow> lecture_rows(int lanes) {
  std::vector<TimelineRow> rows = timeline_rows(lanes);
  std::erase_if(rows, [](const TimelineRow& row) {
    return row.kind == RowKind::producer || row.kind == RowKind::window || row.kind == RowKind::vsync;
  });
  return rows;
}

// Draws the stages with spans, in their colours.
void draw_legend(const Ui& ui, const Rect& r, const std::vector<Span>& spans) {
  float x = r.x0;
  for (std::size_t i = 0; i < kStageCount; ++i) {
    const auto stage = static_cast<Stage>(i);
    const bool shown = stage > Stage::produce && stage <= Stage::present &&
                       std::any_of(spans.begin(), spans.end(), [&](const Span& s) { return s.stage == stage; });
    if (!shown) continue;
    const std::string_view title = row_of(stage).title;
    const float side = ui.px(14), end = x + side + ui.px(8) + ui.width(Type::medium, title);
    if (end > r.x1) return;
    ui.fill({x, r.cy() - 0.5F * side, x + side, r.cy() + 0.5F * side}, theme::kStageColors[i], 2);
    ui.text(Type::medium, x + side + ui.px(8), r.y0, r.height(), theme::kText2, title);
    x = end + ui.px(28);
  }
}

void fill_with_word(const Ui& ui, const Rect& r, ImU32 color, std::string_view word) {
  ui.fill(r, color, 3);
  if (ui.width(Type::medium, word) + ui.px(12) < r.width()) ui.text_centred(Type::medium, r, theme::kInk, word);
}

constexpr int kQueue = 8;  // cells of the drawn buffer

void large_cross(const Ui& ui, float cx, float cy, ImU32 color) {
  const float r = ui.px(6);
  ui.stroke({cx - r, cy - r}, {cx + r, cy + r}, color, 2);
  ui.stroke({cx - r, cy + r}, {cx + r, cy - r}, color, 2);
}

// Draws source, full buffer and result; a cross marks the loss of the policy.
void draw_flow(const Ui& ui, const Rect& r, RingPolicy policy) {
  constexpr std::string_view kSource = "source";
  const Rect source{r.x0, r.y0, r.x0 + ui.width(Type::medium, kSource) + ui.px(28), r.y1};
  ui.fill(source, theme::kField, 4);
  ui.text_centred(Type::medium, source, theme::kText2, kSource);
  const bool narrow = r.width() < ui.px(460);
  const float between = source.x1 + ui.px(20), side = ui.px(narrow ? 10 : 18), gap = ui.px(narrow ? 3 : 4);
  if (policy == RingPolicy::block) ui.pause(between, r.cy(), theme::kAccent);
  if (policy == RingPolicy::error || policy == RingPolicy::drop_newest) large_cross(ui, between, r.cy(), theme::kRed);
  float x = source.x1 + ui.px(narrow ? 36 : 40);
  for (int i = 0; i < kQueue; ++i) {
    const Rect cell{x, r.cy() - 0.5F * side, x + side, r.cy() + 0.5F * side};
    const bool oldest = i + 1 == kQueue;
    const bool lost = policy == RingPolicy::drop_oldest && oldest;
    if (lost) {
      ui.outline(cell, theme::kLine2, 2);
      large_cross(ui, cell.cx(), cell.cy(), theme::kRed);
    } else {
      ui.fill(cell, theme::kAccent, 2);
    }
    x = cell.x1 + gap;
  }
  const float tip = x + ui.px(narrow ? 30 : 42);
  ui.stroke({x + ui.px(8), r.cy()}, {tip - ui.px(6), r.cy()}, theme::kText2, 1.5F);
  ui.triangle(tip, r.cy(), Direction::right, theme::kText2, 10);
  ui.text_fitted(Type::medium, tip + ui.px(12), r.x1, r.y0, r.height(), theme::kText2, policy_words(policy).outcome);
}

}  // namespace

void Lecture::watch_policy(RingPolicy policy) {
  if (policy == chosen_) return;
  other_ = chosen_;
  chosen_ = policy;
}

float Lecture::draw_timeline(PanelContext& c, const Rect& area, float k) {
  Ui& ui = c.ui;
  TimelineState& t = c.view.transient.timeline;
  c.edits.timeline_wanted = !t.paused;
  const std::vector<Span>& spans = t.paused ? t.kept : c.model.numbers.spans;
  const int lanes = timeline_lanes_shown(c.edits, spans);
  TimelineScene scene{
      .spans = spans,
      .frames = last_frames(spans, c.view.timeline_frames),
      .rows = lecture_rows(lanes),
      .look = {.gap = 6, .labels = 122, .numbers = 24, .type = Type::medium, .axis = LaneAxis::left_out}};
  const float n = static_cast<float>(scene.rows.size());
  // Gives most of the extra height of a larger window to the lanes.
  const float more = std::max(0.0F, area.height() / ui.scale() - kDesigned);
  scene.look.lane = std::max(20.0F, (138.0F * std::min(k, 1.0F) + 0.6F * more + 6.0F) / n - 6.0F);
  const Rect head{area.x0, area.y0 + ui.px(10), area.x1, area.y0 + ui.px(10) + ui.px(40)};
  const float x = ui.text(Type::heading, head, theme::kText, "Timeline") + ui.px(28);
  const Rect choice{head.x1 - ui.px(286), head.y0 + ui.px(3), head.x1, head.y1 - ui.px(3)};
  ui.text_fitted(Type::medium, x, choice.x0 - ui.px(16), head.y0, head.height(), theme::kText2,
                 timeline_summary(t, scene.frames, c.view.timeline_frames, true));
  order_choice(c, choice);
  Column column{area.x0, area.x1, head.y1 + ui.px(4), c.compact};
  timeline_lanes(c, column, scene);
  const Rect legend{area.x0 + ui.px(122), column.y + ui.px(4 * k), area.x1, column.y + ui.px(4 * k) + ui.px(30)};
  draw_legend(ui, legend, spans);
  return legend.y1;
}

// Draws the time of a frame in both orders, on one scale, and the resulting rate.
void Lecture::draw_orders(PanelContext& c, const Rect& area, float k) {
  Ui& ui = c.ui;
  const StreamTiming& t = c.model.numbers.timing;
  const bool known = t.frames > 0 && t.serial_ms() > 0.0;
  const bool compares = c.model.no_effect.streams.empty();
  const float row_h = ui.px(30), values = ui.px(430);
  const Rect bars{area.x0 + ui.px(122), area.y0, std::max(area.x1 - values, area.x0 + ui.px(300)), area.y0};
  const double top_ms = 1.3 * std::max(t.serial_ms(), 1e-9);
  const auto x_of = [&](double ms) { return std::round(bars.x0 + bars.width() * static_cast<float>(ms / top_ms)); };
  const auto row = [&](float y, StreamMode mode, std::string_view label, double ms) {
    const Rect r{area.x0, y, area.x1, y + row_h};
    const bool on = compares && c.edits.stream.streams == mode;
    ui.text(on ? Type::large_strong : Type::large, r, on ? theme::kText : theme::kText2, label);
    const Rect bar{bars.x0, r.y0 + ui.px(3), bars.x1, r.y1 - ui.px(3)};
    ui.fill(bar, theme::kField, 3);
    const float x = ui.text(Type::large_strong, bar.x1 + ui.px(18), r.y0, row_h, on ? theme::kText : theme::kText2,
                            known ? exact_ms(ms) + " ms" : "—") +
                    ui.px(16);
    if (known) {
      const std::string rate = fmt::format("per frame, at most {} fps", grouped(static_cast<std::uint64_t>(1e3 / ms)));
      ui.text_fitted(Type::medium, x, area.x1, r.y0, row_h, theme::kText2, rate);
    }
    return bar;
  };
  const Rect serial = row(area.y0, StreamMode::serial, "Serial", t.serial_ms());
  const Rect overlap = row(area.y0 + row_h + ui.px(6 * k), StreamMode::overlap, "Overlap", t.overlap_ms());
  if (!known) return;
  const std::string copy = "copy " + exact_ms(t.t_t_ms) + " ms", kernels = "kernels " + exact_ms(t.t_p_ms) + " ms";
  fill_with_word(ui, {serial.x0, serial.y0, x_of(t.t_t_ms), serial.y1}, kCopy, copy);
  fill_with_word(ui, {x_of(t.t_t_ms), serial.y0, x_of(t.serial_ms()), serial.y1}, kKernels, kernels);
  const float middle = std::round(overlap.cy());
  ui.fill({overlap.x0, overlap.y0, x_of(t.t_p_ms), middle - ui.px(1)}, kKernels, 2);
  ui.fill({overlap.x0, middle + ui.px(1), x_of(t.t_t_ms), overlap.y1}, kCopy, 2);
}

void Lecture::draw_stream(PanelContext& c, const Rect& area, float k) {
  Ui& ui = c.ui;
  const Rect head{area.x0, area.y0, area.x1, area.y0 + ui.px(38)};
  float x = ui.text(Type::heading, head, theme::kText, "Stream") + ui.px(28);
  constexpr std::array<RingPolicy, 4> kPolicies = {RingPolicy::block, RingPolicy::error, RingPolicy::drop_oldest,
                                                   RingPolicy::drop_newest};
  float choices = 0;
  for (const RingPolicy policy : kPolicies) choices += ui.width(Type::medium, policy_words(policy).label) + ui.px(58);
  constexpr std::string_view kWhen = "when the buffer is full:";
  if (x + ui.width(Type::medium, kWhen) + choices < area.x1) {
    x = ui.text(Type::medium, x, head.y0, head.height(), theme::kText2, kWhen) + ui.px(20);
  }
  for (const RingPolicy policy : kPolicies) {
    const Rect r{x, head.y0, x + ui.px(32) + ui.width(Type::medium, policy_words(policy).label), head.y1};
    if (policy_radio(c, r, policy)) {
      c.edits.stream.policy = policy;
      c.commands.send(command::StreamChanged{});
    }
    x = r.x1 + ui.px(26);
  }
  const Rect slots{area.x0, head.y1 + ui.px(4 * k), area.x1, head.y1 + ui.px(4 * k) + ui.px(36)};
  ui.text(Type::large, slots, theme::kText, "Slots");
  const Rect cells{area.x0 + ui.px(122), slots.y0, std::max(area.x1 - ui.px(430), area.x0 + ui.px(300)), slots.y1};
  draw_slot_cells(ui, cells, c.model);
  draw_slot_words(c, cells);
  const RingCounts& n = c.model.numbers.counts;
  const int used = n.slots_writing + n.slots_ready + n.slots_reading;
  x = ui.text(Type::large_strong, cells.x1 + ui.px(18), slots.y0, slots.height(), theme::kText,
              fmt::format("{} of {}", used, n.slots)) +
      ui.px(8);
  x = ui.text(Type::medium, x, slots.y0, slots.height(), theme::kText2, "in use") + ui.px(20);
  const std::uint64_t lost = n.dropped + n.refused + n.sequence_gaps;
  const ImU32 ink = lost > 0 ? theme::kRed : theme::kText;
  x = ui.text(Type::medium, x, slots.y0, slots.height(), lost > 0 ? theme::kRed : theme::kText2, "lost") + ui.px(8);
  ui.text(Type::large_strong, x, slots.y0, slots.height(), ink, grouped(lost));
  const float top = slots.y1 + ui.px(14 * k), gap = ui.px(20);
  const float half = std::round(0.5F * (area.width() - gap));
  const Rect card{area.x0, top, area.x0 + half, area.y1};
  draw_policy_card(c, card, chosen_);
  if (draw_policy_card(c, {card.x1 + gap, top, area.x1, area.y1}, other_)) {
    c.edits.stream.policy = other_;
    c.commands.send(command::StreamChanged{});
  }
}

void Lecture::draw(PanelContext& c, const Rect& area) {
  Ui& ui = c.ui;
  watch_policy(c.edits.stream.policy);
  take_timeline_wheel(c, area);
  ui.focus().enter(WindowPart::picture);
  const float k = std::clamp(area.height() / ui.px(kDesigned), 0.7F, 2.5F);  // scales lengths with the window
  const Rect inside{area.x0 + ui.px(kLecturePad), area.y0, area.x1 - ui.px(kLecturePad), area.y1 - ui.px(14 * k)};
  const float below = draw_timeline(c, inside, k) + ui.px(6 * k);
  const float orders = 2 * ui.px(30) + ui.px(6 * k);
  draw_orders(c, {inside.x0, below, inside.x1, below + orders}, k);
  const float line = below + orders + ui.px(8 * k);
  ui.horizontal(area.x0, area.x1, line, theme::kLine);
  draw_stream(c, {inside.x0, line + ui.px(8 * k), inside.x1, inside.y1}, k);
}

void lecture_header(PanelContext& c, Column& column, const HeaderWords& words, bool& open) {
  Ui& ui = c.ui;
  if (c.view.mode == WindowMode::view) return ui.header(words.id, column, words.title, words.summary, open);
  Column head = column;
  const float side = ui.px(22);
  head.x1 -= side + ui.px(4);
  const float link = words.more != nullptr ? more_link(ui, words.more_id, head, head.y, *words.more) : 0;
  ui.header(words.id, head, words.title, words.summary, open, link);
  const Rect icon{column.x1 - side, column.y + ui.px(5), column.x1, column.y + ui.px(5) + side};
  column.y = head.y;
  const std::string id = std::string(words.id) + "/enlarge";
  if (ui.icon_button(id.c_str(), icon, {"Enlarge   Ctrl+L", "Timeline and Stream fill the window. Esc returns.", {}})) {
    c.view.transient.lecture = true;
  }
  // Icon: two arrows outwards.
  const float reach = ui.px(6), arm = ui.px(4);
  for (const float s : {-1.0F, 1.0F}) {
    const ImVec2 tip{icon.cx() + s * reach, icon.cy() - s * reach};
    ui.stroke({icon.cx() + s * ui.px(2), icon.cy() - s * ui.px(2)}, tip, theme::kText2, 1.25F);
    ui.stroke({tip.x - s * arm, tip.y}, tip, theme::kText2, 1.25F);
    ui.stroke({tip.x, tip.y + s * arm}, tip, theme::kText2, 1.25F);
  }
}

bool draw_policy_card(PanelContext& c, const Rect& r, RingPolicy policy) {
  Ui& ui = c.ui;
  const bool chosen = c.edits.stream.policy == policy;
  const std::string id = chosen ? "lecture/chosen" : "lecture/other";
  const Hit h =
      chosen ? ui.hit(id.c_str(), r) : ui.control(id.c_str(), r, FocusKind::button, policy_words(policy).label);
  ui.fill(r, theme::kCanvas, 8);
  ui.outline(r, chosen ? theme::kAccent : h.hovered ? theme::kText2 : theme::kLine2, 8, chosen ? 2.0F : 1.0F);
  const float pad = ui.px(20), room = r.height();
  const Rect title{r.x0 + pad, r.y0 + ui.px(8), r.x1 - pad, r.y0 + ui.px(38)};
  ui.text(Type::large_strong, title, theme::kText, policy_words(policy).label);
  if (chosen) {
    const float w = ui.width(Type::medium, "chosen") + ui.px(20);
    const Rect badge{title.x1 - w, title.y0 + ui.px(2), title.x1, title.y1 - ui.px(2)};
    ui.fill(badge, theme::kSelected, 4);
    ui.text_centred(Type::medium, badge, theme::kText, "chosen");
  }
  const float line = std::round(std::min(ui.px(30), std::max(ui.px(24), 0.16F * room)));
  ui.paragraph(Type::large, title.x0, title.y1 + ui.px(2), title.width(), line, theme::kText,
               policy_words(policy).lesson);
  const float foot = ui.px(28);
  const float end = r.y1 - ui.px(10);
  if (end - foot > title.y1 + ui.px(4) + 2 * line) draw_flow(ui, {title.x0, end - foot, title.x1, end}, policy);
  return h.clicked && !chosen;
}

bool policy_radio(PanelContext& c, const Rect& r, RingPolicy policy) {
  Ui& ui = c.ui;
  const std::string id = "lecture/policy/" + std::string(policy_words(policy).label);
  const Hit h = ui.control(id.c_str(), r, FocusKind::radio, policy_words(policy).label);
  ui.tip(id.c_str(), h, r, {policy_words(policy).label, policy_words(policy).lesson, {}});
  const bool chosen = c.edits.stream.policy == policy;
  const float x = r.x0 + ui.px(11);
  ui.disc(x, r.cy(), 9.5F, h.hovered ? theme::kHover : theme::kField);
  ui.ring(x, r.cy(), 9.0F, chosen ? theme::kAccent : theme::kLine2, chosen ? 2.0F : 1.0F);
  if (chosen) ui.disc(x, r.cy(), 4.5F, theme::kAccent);
  ui.text(Type::medium, r.x0 + ui.px(30), r.y0, r.height(), chosen || h.hovered ? theme::kText : theme::kText2,
          policy_words(policy).label);
  return h.clicked && !chosen;
}

void draw_slot_words(PanelContext& c, const Rect& cells) {
  const Ui& ui = c.ui;
  const RingCounts& n = c.model.numbers.counts;
  if (n.slots < 1 || c.model.run == RunState::fault) return;  // the gauge shows the moment of the refusal
  const float pitch = cells.width() / static_cast<float>(n.slots);
  const auto word = [&](int first, int count, std::string_view text) {
    const float width = pitch * static_cast<float>(count);
    if (count < 1 || ui.width(Type::medium, text) + ui.px(6) > width) return;
    const float x = cells.x0 + pitch * static_cast<float>(first);
    ui.text_centred(Type::medium, {x, cells.y0, x + width, cells.y1}, theme::kInk, text);
  };
  word(0, n.slots_reading, "copying");
  word(n.slots_reading, n.slots_ready, "ready");
}

}  // namespace echoloop
