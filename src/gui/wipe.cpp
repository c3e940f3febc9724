#include "gui/wipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/cine_actions.h"
#include "gui/number_text.h"

namespace echoloop {
namespace {

constexpr std::size_t kMostRows = 5;

struct BadgeType {
  Type letter, text;
  float line, indent;  // at scale 1
};
BadgeType type_of(WipeLook look) {
  return look == WipeLook::controls ? BadgeType{Type::strong, Type::small, 18, 26}
                                    : BadgeType{Type::large_strong, Type::large, 30, 40};
}

struct Badge {
  std::string letter;
  std::vector<ParamDifference> rows = {};  // what is shown is in `a`
  std::string note = {};                   // below them
};

float badge_width(const Ui& ui, const BadgeType& type, const Badge& badge) {
  float w = ui.width(type.text, badge.note);
  for (const ParamDifference& row : badge.rows) {
    float line = ui.width(type.text, row.label) + ui.px(8) + ui.width(type.text, row.a);
    if (!row.unit.empty()) line += ui.px(4) + ui.width(type.text, row.unit);
    w = std::max(w, line);
  }
  return ui.px(type.indent) + w + ui.px(w > 0 ? 10 : 0);
}

// At the left or the right end of its side; hidden where not even its letter fits.
void draw_badge(const Ui& ui, const BadgeType& type, const Badge& badge, const Rect& side, Direction end) {
  const float line = ui.px(type.line);
  const auto lines = static_cast<float>(badge.rows.size() + (badge.note.empty() ? 0 : 1));
  const float margin = ui.px(8);
  const float room = side.width() - 2 * margin;
  if (room < ui.px(type.indent)) return;
  const float wanted = badge_width(ui, type, badge);
  const float w = std::min(wanted, room);
  const float x0 = end == Direction::left ? side.x0 + margin : side.x1 - margin - w;
  const bool whole = w >= std::min(wanted, ui.px(60));
  const float h = std::max(whole ? lines * line : 0.0F, line) + ui.px(6);
  const Rect box{x0, side.y0 + margin, x0 + w, side.y0 + margin + h};
  ui.fill(box, theme::kChip, 4);
  float y = box.y0 + ui.px(3);
  ui.text(type.letter, box.x0 + ui.px(9), y, line, theme::kAccent, badge.letter);
  if (!whole) return;
  const float left = box.x0 + ui.px(type.indent);
  const float right = box.x1 - ui.px(6);
  for (const ParamDifference& row : badge.rows) {
    // The value is what differs: where there is little room, the name gives way.
    const float unit = row.unit.empty() ? 0 : ui.px(4) + ui.width(type.text, row.unit);
    const float name_end = right - ui.width(type.text, row.a) - unit - ui.px(8) + ui.px(2);
    float x = left;
    if (name_end - left >= ui.px(24)) {
      x = ui.text_fitted(type.text, left, name_end, y, line, theme::kText2, row.label) + ui.px(8);
    }
    if (x < right) x = ui.text_fitted(type.text, x, right, y, line, theme::kText, row.a) + ui.px(4);
    if (x + ui.width(type.text, row.unit) <= right + ui.px(2)) {
      ui.text(type.text, x, y, line, theme::kText2, row.unit);
    }
    y += line;
  }
  if (!badge.note.empty()) ui.text_fitted(type.text, left, right, y, line, theme::kText2, badge.note);
}

void draw_badges(const WipeContext& c, float line) {
  const Rect& r = c.layout.image;
  std::vector<ParamDifference> differences = differing_params(c.a.params, c.b.params);
  Badge a{.letter = "A"};
  Badge b{.letter = "B"};
  if (differences.empty()) {
    a.note = "before";
    b.note = "now";
  }
  if (differences.size() > kMostRows) {
    a.note = b.note = fmt::format("and {} more", differences.size() - kMostRows + 1);
    differences.resize(kMostRows - 1);
  }
  // For a moment while somebody scrubs the two sides may be of different frames: then they say so.
  if (c.a.stamp.sequence != c.b.stamp.sequence) a.note = "frame " + grouped(c.a.stamp.sequence);
  a.rows = b.rows = differences;
  for (ParamDifference& row : b.rows) row.a = row.b;
  draw_badge(c.ui, type_of(c.look), a, {r.x0, r.y0, line, r.y1}, Direction::left);
  draw_badge(c.ui, type_of(c.look), b, {line, r.y0, r.x1, r.y1}, Direction::right);
}

void draw_handle(const Ui& ui, float x, float y, ImU32 color) {
  ui.disc(x, y, 15, theme::kHalo);
  ui.disc(x, y, 13, color);
  ui.chevron(x - ui.px(5), y, Direction::left, theme::kInk);
  ui.chevron(x + ui.px(5), y, Direction::right, theme::kInk);
}

constexpr float kHandleShare = 0.7F;  // of the picture's height

// Above the handle: the badges are at the top, the pointer's read-out at the foot. Empty where there is no room.
Rect swap_rect(const WipeContext& c, float line) {
  const Ui& ui = c.ui;
  const Rect& r = c.layout.image;
  const float w = ui.width(Type::body, "Swap") + ui.px(20);
  if (c.look == WipeLook::presentation || w + ui.px(8) > r.width()) return {};
  const float x = std::round(std::clamp(line - 0.5F * w, r.x0 + ui.px(4), r.x1 - ui.px(4) - w));
  const float y1 = std::round(r.y0 + kHandleShare * r.height()) - ui.px(22);
  return {x, y1 - ui.px(24), x + w, y1};
}

void draw_swap(const Ui& ui, const Rect& box, bool hovered) {
  if (box.width() < 1) return;
  ui.fill(box, hovered ? theme::kHover : theme::kField, theme::kRadius);
  ui.outline(box, theme::kAccent, theme::kRadius);
  ui.text_centred(Type::body, box, theme::kText, "Swap");
}

}  // namespace

float wipe_x(const PictureLayout& layout, float share) {
  return std::round(layout.image.x0 + std::clamp(share, 0.0F, 1.0F) * layout.image.width());
}

namespace {

// Arrows move the line by a hundredth of the image, with Shift by a tenth; Delete takes it back to the middle.
float wipe_by_key(const Hit& h, float wipe) {
  for (const KeyPress& press : h.keys) {
    const float step = press.shift ? 0.1F : 0.01F;
    if (press.key == Key::left || press.key == Key::down) wipe -= step;
    if (press.key == Key::right || press.key == Key::up) wipe += step;
    if (press.key == Key::remove) wipe = 0.5F;
  }
  return std::clamp(wipe, 0.0F, 1.0F);
}

}  // namespace

void draw_wipe(const WipeContext& c) {
  Ui& ui = c.ui;
  const Rect& r = c.layout.image;
  Cine& cine = c.state.cine;
  const float before = wipe_x(c.layout, cine.wipe);
  const Rect swap_before = swap_rect(c, before);
  const Hit on_swap = ui.control("swap", swap_before);
  ui.tip("swap", on_swap, swap_before, {"Swap", "A's parameters go to the panels, the panels' become A.", {}});
  const float handle_y = std::round(r.y0 + kHandleShare * r.height());
  const Rect grip{before - ui.px(15), handle_y - ui.px(15), before + ui.px(15), handle_y + ui.px(15)};
  const Rect band{before - ui.px(6), r.y0, before + ui.px(6), r.y1};
  const Hit on_grip = ui.control("wipe_handle", grip, FocusKind::slider, "Wipe line");
  const Hit on_line = ui.hit("wipe", band);
  const bool held = on_grip.held || on_line.held;
  if (held || on_grip.hovered || on_line.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (held) {
    const float share = std::clamp((ImGui::GetIO().MousePos.x - r.x0) / std::max(r.width(), 1.0F), 0.0F, 1.0F);
    if (share != cine.wipe) {
      cine.wipe = share;
      call(c.commands.cine_changed);
    }
  }
  const float by_key = wipe_by_key(on_grip, cine.wipe);
  if (on_grip.right || on_line.right || by_key != cine.wipe) {
    cine.wipe = on_grip.right || on_line.right ? 0.5F : by_key;
    call(c.commands.cine_changed);
  }
  const float x = wipe_x(c.layout, cine.wipe);
  const ImU32 color = held || on_grip.hovered || on_line.hovered ? theme::kAccentHover : theme::kAccent;
  ui.fill({x - ui.px(3), r.y0, x + ui.px(3), r.y1}, theme::kHalo);
  ui.fill({x - ui.px(1), r.y0, x + ui.px(1), r.y1}, color);
  draw_handle(ui, x, handle_y, color);
  draw_swap(ui, swap_rect(c, x), on_swap.hovered);
  draw_badges(c, x);
  if (on_swap.clicked) cine_act(c.state, c.commands, CineAct::swap);
}

}  // namespace echoloop
