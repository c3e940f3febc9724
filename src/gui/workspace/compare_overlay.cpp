#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gui/panels/cine_actions.h"
#include "gui/state/number_text.h"
#include "gui/workspace/image_area.h"

namespace echoloop {
namespace {

struct BadgeType {
  Type letter, text;
  float line, indent;  // at scale 1
  float least;         // width with text next to the letter
};
BadgeType type_of(BadgeLetters letters) {
  return letters == BadgeLetters::small ? BadgeType{Type::strong, Type::small, 18, 32, 60}
                                        : BadgeType{Type::large_strong, Type::large, 30, 40, 96};
}

struct Badge {
  CompareSide side;
  Rect area = {};                          // its side of the image
  Rect room = {};                          // area without other text
  std::vector<ParamDifference> rows = {};  // displayed values are in `a`
  std::vector<std::string> notes = {};     // lines below them
};

enum class RowLook { one_line, two_lines };

float unit_width(const Ui& ui, Type text, const ParamDifference& row) {
  return row.unit.empty() ? 0 : ui.px(4) + ui.width(text, row.unit);
}

// Returns the width with name, value and unit in one line, or the name in a line of its own above them.
float badge_width(const Ui& ui, const BadgeType& type, const Badge& badge, RowLook look) {
  float w = 0;
  for (const std::string& note : badge.notes) w = std::max(w, ui.width(type.text, note));
  for (const ParamDifference& row : badge.rows) {
    const float name = ui.width(type.text, row.label);
    const float value = ui.width(type.text, row.a) + unit_width(ui, type.text, row);
    w = std::max(w, look == RowLook::one_line ? name + ui.px(8) + value : std::max(name, value));
  }
  return ui.px(type.indent) + w + ui.px(w > 0 ? 10 : 0);
}

// Draws a parameter. On one line the value has priority: the name is shortened without room.
void draw_difference(const Ui& ui, Type text, const ParamDifference& row, const Rect& line, RowLook look) {
  float x = line.x0, y = line.y0;
  const float h = line.height();
  if (look == RowLook::two_lines) {
    ui.text(text, x, y, h, theme::kText2, row.label);
    y += h;
  } else {
    const float value = ui.width(text, row.a) + unit_width(ui, text, row);
    const float name_end = line.x1 - value - ui.px(8) + ui.px(2);
    if (name_end - x >= ui.px(24)) x = ui.text_fitted(text, x, name_end, y, h, theme::kText2, row.label) + ui.px(8);
  }
  if (x < line.x1) x = ui.text_fitted(text, x, line.x1 + ui.px(2), y, h, theme::kText, row.a) + ui.px(4);
  if (x + ui.width(text, row.unit) <= line.x1 + ui.px(2)) ui.text(text, x, y, h, theme::kText2, row.unit);
}

// Draws at the left or right end of its side; hidden if not even its letter fits.
void draw_badge(const Ui& ui, const BadgeType& type, const Badge& badge, Direction end) {
  const float line = ui.px(type.line);
  const float margin = ui.px(8);
  if (badge.area.width() - 2 * margin < ui.px(type.indent)) return;
  const float room = badge.room.width() - 2 * margin;
  const float one_line = badge_width(ui, type, badge, RowLook::one_line);
  const float two_lines = badge_width(ui, type, badge, RowLook::two_lines);
  const float rows = static_cast<float>(badge.rows.size()), notes = static_cast<float>(badge.notes.size());
  const bool high = (2 * rows + notes) * line + 2 * margin < badge.area.height();
  const RowLook look = one_line > room && two_lines <= room && high ? RowLook::two_lines : RowLook::one_line;
  const float wanted = look == RowLook::one_line ? one_line : two_lines;
  const bool whole = room >= std::min(wanted, ui.px(type.least));
  const float w = whole ? std::min(wanted, room) : ui.px(type.indent);
  const float x0 = end == Direction::left ? badge.room.x0 + margin : badge.room.x1 - margin - w;
  const float lines = (look == RowLook::one_line ? rows : 2 * rows) + notes;
  const float h = std::max(whole ? lines * line : 0.0F, line) + ui.px(6);
  const Rect box{x0, badge.area.y0 + margin, x0 + w, badge.area.y0 + margin + h};
  ui.fill(box, theme::kChip, 4);
  float y = box.y0 + ui.px(3);
  if (type.letter == Type::strong) {
    draw_side_letter(ui, badge.side, box.x0 + ui.px(2), box.y0 + ui.px(2));
  } else {
    const bool is_a = badge.side == CompareSide::a;
    ui.text(type.letter, box.x0 + ui.px(9), y, line, is_a ? theme::kText : theme::kAccent, is_a ? "A" : "B");
  }
  if (!whole) return;
  const float left = box.x0 + ui.px(type.indent);
  const float right = box.x1 - ui.px(6);
  for (const ParamDifference& row : badge.rows) {
    draw_difference(ui, type.text, row, {left, y, right, y + line}, look);
    y += look == RowLook::one_line ? line : 2 * line;
  }
  for (const std::string& note : badge.notes) {
    ui.text_fitted(type.text, left, right, y, line, theme::kText2, note);
    y += line;
  }
}

// Extends a badge at a wipe line beyond its side if both fit next to each other in full.
void share_room(const Ui& ui, const BadgeType& type, Badge& a, Badge& b) {
  a.room = a.area;
  b.room = b.area;
  if (a.area.x1 != b.area.x0) return;
  const float of_a = badge_width(ui, type, a, RowLook::one_line) + ui.px(16);
  const float of_b = badge_width(ui, type, b, RowLook::one_line) + ui.px(16);
  if (of_a + of_b > b.area.x1 - a.area.x0) return;
  a.room.x1 = std::max(a.room.x1, a.room.x0 + of_a);
  b.room.x0 = std::min(b.room.x0, b.room.x1 - of_b);
  if (a.room.x1 <= b.room.x0) return;
  a.room.x1 = std::min(a.room.x1, b.room.x1 - of_b);
  b.room.x0 = std::max(b.room.x0, a.room.x0 + of_a);
}

// Adds the names of the sides if A is a recording of its own.
void name_sides(const BadgesContext& c, Badge& a, Badge& b) {
  if (c.model.kept.a_recording.name.empty()) {
    // Names A's frame if the two sides differ while the user scrubs.
    if (c.a.stamp.sequence != c.b.stamp.sequence)
      a.notes.push_back("frame " + grouped(numbers_of(c.model.source).of(c.a.stamp)));
    return;
  }
  // The previous images stay after a swap until the new ones arrive.
  if (c.a.acquisition == c.model.kept.a_recording.acquisition) a.notes.push_back(c.model.kept.a_recording.name);
  if (c.b.acquisition == c.model.source.acquisition) b.notes.push_back(c.model.source.name);
}

void draw_handle(const Ui& ui, float x, float y, ImU32 color) {
  ui.disc(x, y, 15, theme::kHalo);
  ui.disc(x, y, 13, color);
  ui.chevron(x - ui.px(5), y, Direction::left, theme::kInk);
  ui.chevron(x + ui.px(5), y, Direction::right, theme::kInk);
}

constexpr float kHandleShare = 0.7F;  // share of the image's height

}  // namespace

std::size_t badge_rows(std::size_t differing, float side_lines, BadgeName name) {
  const auto lines = static_cast<std::size_t>(std::clamp(side_lines / 3, 1.0F, 5.0F));
  const std::size_t room = std::max<std::size_t>(lines - (name == BadgeName::shown ? 1 : 0), 1);
  return differing <= room ? differing : room - 1;
}

void draw_compare_badges(const BadgesContext& c) {
  std::vector<ParamDifference> differences = differing_params(c.a.params, c.b.params);
  Badge a{.side = CompareSide::a, .area = c.side_a};
  Badge b{.side = CompareSide::b, .area = c.side_b};
  name_sides(c, a, b);
  const float height = std::min(c.side_a.height(), c.side_b.height());
  const bool named = !a.notes.empty() || !b.notes.empty();
  const std::size_t rows = badge_rows(differences.size(), height / c.ui.px(type_of(c.letters).line),
                                      named ? BadgeName::shown : BadgeName::none);
  if (rows < differences.size()) {
    for (Badge* badge : {&a, &b}) {
      badge->notes.insert(badge->notes.begin(), fmt::format("and {} more", differences.size() - rows));
    }
    differences.resize(rows);
  } else if (differences.empty() && c.model.kept.a_recording.name.empty()) {
    if (a.notes.empty()) a.notes = {"before"};
    b.notes = {"now"};
  }
  a.rows = b.rows = differences;
  for (ParamDifference& row : b.rows) row.a = row.b;
  share_room(c.ui, type_of(c.letters), a, b);
  draw_badge(c.ui, type_of(c.letters), a, Direction::left);
  draw_badge(c.ui, type_of(c.letters), b, c.end_of_b);
}

float wipe_x(const ImageLayout& layout, float share) {
  return std::round(layout.image.x0 + std::clamp(share, 0.0F, 1.0F) * layout.image.width());
}

namespace {

// Arrows move the line by a hundredth of the image, with Shift by a tenth; Delete centres it.
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
  Cine& cine = c.edits.cine;
  const float before = wipe_x(c.layout, cine.wipe);
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
      c.commands.send(command::CineChanged{});
    }
  }
  const float by_key = wipe_by_key(on_grip, cine.wipe);
  if (on_grip.right || on_line.right || by_key != cine.wipe) {
    cine.wipe = on_grip.right || on_line.right ? 0.5F : by_key;
    c.commands.send(command::CineChanged{});
  }
  const float x = wipe_x(c.layout, cine.wipe);
  const ImU32 color = held || on_grip.hovered || on_line.hovered ? theme::kAccentHover : theme::kAccent;
  ui.fill({x - ui.px(3), r.y0, x + ui.px(3), r.y1}, theme::kHalo);
  ui.fill({x - ui.px(1), r.y0, x + ui.px(1), r.y1}, color);
  draw_handle(ui, x, handle_y, color);
  draw_compare_badges({.ui = ui,
                       .model = c.model,
                       .a = c.a,
                       .b = c.b,
                       .side_a = {r.x0, r.y0, x, r.y1},
                       .side_b = {x, r.y0, r.x1, r.y1},
                       .end_of_b = Direction::right,
                       .letters = c.letters});
}

}  // namespace echoloop
