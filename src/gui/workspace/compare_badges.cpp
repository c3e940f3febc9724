#include "gui/workspace/compare_badges.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gui/panels/compare_bar.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr std::size_t kMostRows = 5;

struct BadgeType {
  Type letter, text;
  float line, indent;  // at scale 1
};
BadgeType type_of(BadgeLetters letters) {
  return letters == BadgeLetters::small ? BadgeType{Type::strong, Type::small, 18, 32}
                                        : BadgeType{Type::large_strong, Type::large, 30, 40};
}

struct Badge {
  CompareSide side;
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

// Where A is a recording of its own, each side has its name.
void name_sides(const BadgesContext& c, Badge& a, Badge& b) {
  if (c.state.cine.a_recording.name.empty()) {
    // While the user scrubs the two sides may be of different frames: then A says so.
    if (c.a.stamp.sequence != c.b.stamp.sequence) a.note = "frame " + grouped(c.a.stamp.sequence);
    return;
  }
  // After an exchange the images of before stay until the new ones are there.
  if (c.a.acquisition == c.state.cine.a_recording.acquisition) a.note = c.state.cine.a_recording.name;
  if (c.b.acquisition == c.state.source.acquisition) b.note = c.state.source.name;
}

}  // namespace

void draw_compare_badges(const BadgesContext& c) {
  std::vector<ParamDifference> differences = differing_params(c.a.params, c.b.params);
  Badge a{.side = CompareSide::a};
  Badge b{.side = CompareSide::b};
  if (differences.empty()) {
    a.note = "before";
    b.note = "now";
  }
  if (differences.size() > kMostRows) {
    a.note = b.note = fmt::format("and {} more", differences.size() - kMostRows + 1);
    differences.resize(kMostRows - 1);
  }
  name_sides(c, a, b);
  a.rows = b.rows = differences;
  for (ParamDifference& row : b.rows) row.a = row.b;
  draw_badge(c.ui, type_of(c.letters), a, c.side_a, Direction::left);
  draw_badge(c.ui, type_of(c.letters), b, c.side_b, c.end_of_b);
}

}  // namespace echoloop
