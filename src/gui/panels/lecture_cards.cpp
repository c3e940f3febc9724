// Parts of the lecture view: banner of a fault or of a deliberate change, cards of the policies, CUDA calls of a block.
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

constexpr std::array<BreakRow, 3> kBreaks = {
    {{"Missing event", "No event",
      "The kernels start without cudaStreamWaitEvent: samples not yet copied are those of an earlier frame. The image "
      "is torn whenever a frame is processed at once.",
      [](StreamSettings& s) { s.inject.missing_event = 1.0; },
      [](StreamSettings& s, const StreamSettings& before) { s.inject.missing_event = before.inject.missing_event; }},
     {"Pageable copy", "Pageable",
      "Pageable memory: the driver copies to a buffer of its own first, and the call returns after the copy. Copy and "
      "kernels alternate.",
      [](StreamSettings& s) { s.host_memory = HostMemory::pageable; },
      [](StreamSettings& s, const StreamSettings& before) { s.host_memory = before.host_memory; }},
     {"Too many streams", "Many streams",
      "64 pieces on 32 streams share one bus: each piece and each stream adds a latency, so that the copy takes "
      "longer.",
      [](StreamSettings& s) {
        s.copy.chunks = 64.0;
        s.copy.streams = 32.0;
      },
      [](StreamSettings& s, const StreamSettings& before) {
        s.copy.chunks = before.copy.chunks;
        s.copy.streams = before.copy.streams;
      }}}};

constexpr int kMostBoxes = 8;  // of the drawn buffer

void large_cross(const Ui& ui, float cx, float cy, ImU32 color) {
  const float r = ui.px(6);
  ui.stroke({cx - r, cy - r}, {cx + r, cy + r}, color, 2);
  ui.stroke({cx - r, cy + r}, {cx + r, cy - r}, color, 2);
}

// Draws source, full buffer and result; a cross marks the loss of the policy.
void draw_flow(const Ui& ui, const Rect& r, RingPolicy policy, int slots) {
  constexpr std::string_view kSource = "source";
  const Rect source{r.x0, r.y0, r.x0 + ui.width(Type::medium, kSource) + ui.px(20), r.y1};
  ui.fill(source, theme::kField, 4);
  ui.text_centred(Type::medium, source, theme::kText2, kSource);
  const int boxes = std::clamp(slots, 1, kMostBoxes);
  const bool narrow = r.width() < ui.px(250) + ui.px(20) * static_cast<float>(boxes);
  const float between = source.x1 + ui.px(12), side = ui.px(narrow ? 6 : 18), gap = ui.px(narrow ? 2 : 4);
  if (policy == RingPolicy::block) ui.pause(between, r.cy(), theme::kAccent);
  if (policy == RingPolicy::error || policy == RingPolicy::drop_newest) large_cross(ui, between, r.cy(), theme::kRed);
  float x = source.x1 + ui.px(24);
  for (int i = 0; i < boxes; ++i) {
    const Rect cell{x, r.cy() - 0.5F * side, x + side, r.cy() + 0.5F * side};
    if (policy == RingPolicy::drop_oldest && i + 1 == boxes) {
      ui.outline(cell, theme::kLine2, 2);
      large_cross(ui, cell.cx(), cell.cy(), theme::kRed);
    } else {
      ui.fill(cell, theme::kAccent, 2);
    }
    x = cell.x1 + gap;
  }
  const float tip = x + ui.px(26);
  ui.stroke({x + ui.px(4), r.cy()}, {tip - ui.px(6), r.cy()}, theme::kText2, 1.5F);
  ui.triangle(tip, r.cy(), Direction::right, theme::kText2, 10);
  ui.text_fitted(Type::medium, tip + ui.px(10), r.x1, r.y0, r.height(), theme::kText2, policy_words(policy).outcome);
}

// Returns true if the card was clicked and is not the chosen one.
bool draw_policy_card(PanelContext& c, const Rect& r, RingPolicy policy) {
  Ui& ui = c.ui;
  const bool chosen = c.edits.stream.policy == policy;
  const std::string id = "lecture/card/" + std::string(kPolicyNames[static_cast<std::size_t>(policy)]);
  const Hit h =
      chosen ? ui.hit(id.c_str(), r) : ui.control(id.c_str(), r, FocusKind::button, policy_words(policy).label);
  ui.fill(r, theme::kCanvas, 8);
  ui.outline(r, chosen ? theme::kAccent : h.hovered ? theme::kText2 : theme::kLine2, 8, chosen ? 2.0F : 1.0F);
  const float pad = ui.px(16);
  const Rect title{r.x0 + pad, r.y0 + ui.px(6), r.x1 - pad, r.y0 + ui.px(34)};
  ui.text(Type::large_strong, title, theme::kText, policy_words(policy).label);
  if (chosen) {
    const float w = ui.width(Type::medium, "chosen") + ui.px(16);
    const Rect badge{title.x1 - w, title.y0 + ui.px(2), title.x1, title.y1 - ui.px(2)};
    ui.fill(badge, theme::kSelected, 4);
    ui.text_centred(Type::medium, badge, theme::kText, "chosen");
  }
  const float line = ui.px(22);
  const float text = ui.paragraph(Type::medium, title.x0, title.y1 + ui.px(2), title.width(), line, theme::kText2,
                                  policy_words(policy).lesson);
  const float foot = ui.px(26), end = r.y1 - ui.px(10);
  if (end - foot > title.y1 + text + ui.px(4))
    draw_flow(ui, {title.x0, end - foot, title.x1, end}, policy, c.model.numbers.counts.slots);
  return h.clicked && !chosen;
}

// Returns the stream of the copies, by name, as in the lines of code.
std::string copy_stream(StreamMode mode) {
  if (mode == StreamMode::default_stream) return "cudaStreamLegacy";
  return mode == StreamMode::serial ? "processing" : "copy";
}

std::array<std::string, 3> kernel_lines(const StageRow& row, const std::string& before) {
  return {fmt::format("cudaEventRecord({}_begin, processing);  // = end of {}", row.key, before),
          fmt::format("{}<<<grid, block, 0, processing>>>(...);", row.key),
          fmt::format("cudaEventRecord({}_end, processing);", row.key)};
}

}  // namespace

std::span<const BreakRow> break_rows() { return kBreaks; }

std::array<std::string, 3> cuda_lines(Stage stage, const StreamSettings& stream) {
  const std::string copy = copy_stream(stream.streams);
  const StageRow& row = row_of(stage);
  switch (stage) {
    case Stage::upload:
      if (stream.host_memory == HostMemory::mapped)
        return {"cudaHostAlloc(&slot, bytes, cudaHostAllocMapped);", "cudaHostGetDevicePointer(&d_raw, slot, 0);",
                "// no copy: the kernels read d_raw over the bus"};
      return {fmt::format("cudaEventRecord(copy_begin, {});", copy),
              stream.copy.chunks > 1.0
                  ? fmt::format("for (i = 0; i < {0:g}; ++i) cudaMemcpyAsync(d_raw + i * n, slot + i * n, n, "
                                "cudaMemcpyHostToDevice, {1});",
                                stream.copy.chunks, stream.copy.streams > 1.0 ? "streams[i % n_streams]" : copy)
                  : fmt::format("cudaMemcpyAsync(d_raw, slot, bytes, cudaMemcpyHostToDevice, {});", copy),
              fmt::format("cudaEventRecord(copied, {});", copy)};
    case Stage::condition:
      return {stream.inject.missing_event > 0.0 ? "// missing: cudaStreamWaitEvent(processing, copied);"
                                                : "cudaStreamWaitEvent(processing, copied);",
              "condition<<<grid, block, 0, processing>>>(d_raw, d_lines);",
              "cudaEventRecord(conditioned, processing);"};
    case Stage::present:
      return {
          "cudaStreamWaitEvent(display, frame_end);", "cudaGraphicsMapResources(1, &texture, display);",
          "cudaMemcpy2DToArrayAsync(array, 0, 0, d_image, pitch, width, height, cudaMemcpyDeviceToDevice, display);"};
    default: {
      const std::string_view before =
          stage == Stage::load ? "upload" : kStages[static_cast<std::size_t>(stage) - 1].key;
      return kernel_lines(row, std::string(before));
    }
  }
}

void draw_code_card(PanelContext& c, const Rect& r, const Span& span) {
  Ui& ui = c.ui;
  ui.fill(r, theme::kCanvas, 8);
  ui.outline(r, theme::kLine2, 8, 1.0F);
  const float pad = ui.px(16), line = ui.px(24);
  const Rect title{r.x0 + pad, r.y0 + ui.px(6), r.x1 - ui.px(240), r.y0 + ui.px(36)};
  const std::string ms = exact_ms(static_cast<double>(span.end_ns - span.start_ns) * 1e-6);
  ui.text(Type::large_strong, title, theme::kText,
          fmt::format("{}, frame {}: {} ms", row_of(span.stage).title,
                      grouped(numbers_of(c.model.source).in_stream(span.frame)), ms));
  const std::array<std::string, 3> lines = cuda_lines(span.stage, c.edits.stream);
  float y = title.y1 + ui.px(2);
  std::string all;
  for (const std::string& text : lines) {
    ui.text_fitted(Type::medium, r.x0 + pad, r.x1 - pad, y, line, theme::kText, text);
    y += line;
    all += text + "\n";
  }
  const Rect copy{r.x1 - ui.px(200), r.y0 + ui.px(8), r.x1 - ui.px(56), r.y0 + ui.px(38)};
  if (ui.button("lecture/code/copy", copy, {.label = "Copy lines"},
                {"Copy lines", "Copies the three lines of CUDA to the clipboard.", {}})) {
    ImGui::SetClipboardText(all.c_str());
    c.commands.send(command::Hint{"Copied to the clipboard"});
  }
  if (y + line < r.y1) {
    ui.text_fitted(Type::medium, r.x0 + pad, r.x1 - pad, y, line, theme::kMuted,
                   c.model.device.backend == "CPU" ? "On the CPU the stages are calls; these are the calls of a device."
                                                   : "Duration: cudaEventElapsedTime(&ms, begin, end).");
  }
}

std::optional<RingPolicy> draw_policy_cards(PanelContext& c, const Rect& area, RingPolicy chosen, RingPolicy other) {
  constexpr float kLeastWidth = 330, kGap = 12;
  std::vector<RingPolicy> shown = {RingPolicy::block, RingPolicy::error, RingPolicy::drop_oldest,
                                   RingPolicy::drop_newest};
  const float gap = c.ui.px(kGap);
  if (area.width() < 4 * c.ui.px(kLeastWidth) + 3 * gap) shown = {chosen, other};
  if (area.width() < 2 * c.ui.px(kLeastWidth) + gap) return std::nullopt;
  const auto n = static_cast<float>(shown.size());
  const float width = (area.width() - (n - 1) * gap) / n;
  std::optional<RingPolicy> picked;
  float x = area.x0;
  for (const RingPolicy policy : shown) {
    if (draw_policy_card(c, {std::round(x), area.y0, std::round(x + width), area.y1}, policy)) picked = policy;
    x += width + gap;
  }
  return picked;
}

float draw_lecture_banner(PanelContext& c, const Rect& area, LectureBreak& in_force) {
  Ui& ui = c.ui;
  const bool fault = c.model.run == RunState::fault && c.model.notices.fault.has_value();
  const auto change = std::ranges::find(kBreaks, in_force.name, &BreakRow::name);
  if (change != kBreaks.end()) {  // until its settings are changed elsewhere
    StreamSettings broken = c.edits.stream;
    change->apply(broken);
    if (!(broken == c.edits.stream)) in_force.name.clear();
  }
  if (!fault && in_force.name.empty()) return area.y0;
  const Rect r{area.x0, area.y0 + ui.px(8), area.x1, area.y0 + ui.px(fault ? 64 : 76)};
  ui.fill(r, fault ? theme::kRedGround : theme::kCanvas);
  ui.fill({r.x0, r.y0, r.x0 + ui.px(3), r.y1}, fault ? theme::kRed : theme::kWarn);
  float right = r.x1 - ui.px(12);
  const auto button = [&](const char* id, std::string_view label, std::string_view key, Emphasis emphasis) {
    const float w = ui.width(Type::strong, label) + ui.px(key.empty() ? 44 : 92);
    const Rect b{right - w, r.cy() - ui.px(18), right, r.cy() + ui.px(18)};
    right = b.x0 - ui.px(10);
    return ui.button(id, b, {.label = label, .shortcut = key, .emphasis = emphasis}, {label, {}, {}});
  };
  const float x = r.x0 + ui.px(20);
  if (!fault) {
    if (button("lecture/repair", "Repair", {}, Emphasis::primary)) {
      in_force.name.clear();
      change->repair(c.edits.stream, in_force.before);
      c.commands.send(command::StreamChanged{});
    }
    const double now_ms = c.model.numbers.timing.t_t_ms;
    const std::string times = fmt::format("{}: copy {} ms before, {} ms now.", change->name, exact_ms(in_force.copy_ms),
                                          c.model.numbers.timing.frames > 0 ? exact_ms(now_ms) : "—");
    ui.text_fitted(Type::large_strong, x, right, r.y0 + ui.px(2), ui.px(26), theme::kText, times);
    ui.paragraph(Type::medium, x, r.y0 + ui.px(28), right - x - ui.px(12), ui.px(20), theme::kText2, change->hint);
    return r.y1;
  }
  const FaultNotice& notice = *c.model.notices.fault;
  if (notice.can_restart) {
    if (button("lecture/restart", "Restart", "Enter", Emphasis::primary) || ui.enter())
      c.commands.send(command::Restart{});
    if (notice.refusal && button("lecture/restart_block", "Restart with Block", {}, Emphasis::plain)) {
      c.edits.stream.policy = RingPolicy::block;
      c.commands.send(command::Restart{});
    }
  }
  const std::string title = notice.refusal
                                ? fmt::format("Overrun at frame {}: no free slot.",
                                              grouped(numbers_of(c.model.source).in_stream(notice.refusal->sequence)))
                                : notice.title;
  const float end = ui.text_fitted(Type::large_strong, x, right, r.y0, r.height(), theme::kText, title) + ui.px(28);
  ui.text_fitted(Type::medium, end, right, r.y0, r.height(), theme::kText2,
                 "The stream is stopped; the last image stays.");
  return r.y1;
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
    if (ui.width(Type::medium, text) + ui.px(6) > pitch) return;
    for (int i = first; i < first + count; ++i) {
      const float x = cells.x0 + pitch * static_cast<float>(i);
      ui.text_centred(Type::medium, {x, cells.y0, x + pitch, cells.y1}, theme::kInk, text);
    }
  };
  word(0, n.slots_reading, "copying");
  word(n.slots_reading, n.slots_ready, "ready");
}

}  // namespace echoloop
