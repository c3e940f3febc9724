#include "gui/panels/policy_card.h"

#include <cmath>
#include <string>

#include "gui/panels/stream_parts.h"

namespace echoloop {
namespace {

constexpr int kQueue = 8;  // cells of the drawn buffer

// What comes out of a full buffer.
std::string_view outcome(RingPolicy policy) {
  switch (policy) {
    case RingPolicy::block:
      return "all frames, later";
    case RingPolicy::error:
      return "stopped, last image";
    case RingPolicy::drop_oldest:
      return "the newest frames";
    case RingPolicy::drop_newest:
      break;
  }
  return "queued frames, in order";
}

void large_cross(const Ui& ui, float cx, float cy, ImU32 color) {
  const float r = ui.px(6);
  ui.stroke({cx - r, cy - r}, {cx + r, cy + r}, color, 2);
  ui.stroke({cx - r, cy + r}, {cx + r, cy - r}, color, 2);
}

// Source, the full buffer, what leaves it; crossed out is what the policy gives up.
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
  ui.text_fitted(Type::medium, tip + ui.px(12), r.x1, r.y0, r.height(), theme::kText2, outcome(policy));
}

}  // namespace

std::string_view policy_lesson(RingPolicy policy) {
  switch (policy) {
    case RingPolicy::block:
      return "The source waits until a slot is free. No frame is lost; the source runs slower.";
    case RingPolicy::error:
      return "A frame without a free slot stops the stream. Nothing is overwritten.";
    case RingPolicy::drop_oldest:
      return "The oldest queued frame is dropped and counted. The image stays current.";
    case RingPolicy::drop_newest:
      break;
  }
  return "The arriving frame is dropped and counted. Queued frames stay in order.";
}

bool draw_policy_card(PanelContext& c, const Rect& r, RingPolicy policy) {
  Ui& ui = c.ui;
  const bool chosen = c.state.stream.policy == policy;
  const std::string id = chosen ? "lecture/chosen" : "lecture/other";
  const Hit h = chosen ? ui.hit(id.c_str(), r) : ui.control(id.c_str(), r, FocusKind::button, policy_label(policy));
  ui.fill(r, theme::kCanvas, 8);
  ui.outline(r, chosen ? theme::kAccent : h.hovered ? theme::kText2 : theme::kLine2, 8, chosen ? 2.0F : 1.0F);
  const float pad = ui.px(20), room = r.height();
  const Rect title{r.x0 + pad, r.y0 + ui.px(8), r.x1 - pad, r.y0 + ui.px(38)};
  ui.text(Type::large_strong, title, theme::kText, policy_label(policy));
  if (chosen) {
    const float w = ui.width(Type::medium, "chosen") + ui.px(20);
    const Rect badge{title.x1 - w, title.y0 + ui.px(2), title.x1, title.y1 - ui.px(2)};
    ui.fill(badge, theme::kSelected, 4);
    ui.text_centred(Type::medium, badge, theme::kText, "chosen");
  }
  const float line = std::round(std::min(ui.px(30), std::max(ui.px(24), 0.16F * room)));
  ui.paragraph(Type::large, title.x0, title.y1 + ui.px(2), title.width(), line, theme::kText, policy_lesson(policy));
  const float foot = ui.px(28);
  const float end = r.y1 - ui.px(10);
  if (end - foot > title.y1 + ui.px(4) + 2 * line) draw_flow(ui, {title.x0, end - foot, title.x1, end}, policy);
  return h.clicked && !chosen;
}

bool policy_radio(PanelContext& c, const Rect& r, RingPolicy policy) {
  Ui& ui = c.ui;
  const std::string id = "lecture/policy/" + std::string(policy_label(policy));
  const Hit h = ui.control(id.c_str(), r, FocusKind::radio, policy_label(policy));
  ui.tip(id.c_str(), h, r, {policy_label(policy), policy_lesson(policy), {}});
  const bool chosen = c.state.stream.policy == policy;
  const float x = r.x0 + ui.px(11);
  ui.disc(x, r.cy(), 9.5F, h.hovered ? theme::kHover : theme::kField);
  ui.ring(x, r.cy(), 9.0F, chosen ? theme::kAccent : theme::kLine2, chosen ? 2.0F : 1.0F);
  if (chosen) ui.disc(x, r.cy(), 4.5F, theme::kAccent);
  ui.text(Type::medium, r.x0 + ui.px(30), r.y0, r.height(), chosen || h.hovered ? theme::kText : theme::kText2,
          policy_label(policy));
  return h.clicked && !chosen;
}

void draw_slot_words(PanelContext& c, const Rect& cells) {
  const Ui& ui = c.ui;
  const RingCounts& n = c.state.numbers.counts;
  if (n.slots < 1 || c.state.run == RunState::fault) return;  // after a refusal the gauge shows another moment
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
