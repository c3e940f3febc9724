#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "gui/panels/cine_actions.h"
#include "gui/state/number_text.h"
#include "gui/workspace/image_area.h"

namespace echoloop {
namespace {

constexpr float kLetter = 30;  // width of a side's letter

// Returns the texts of A and B: name of the recording or number of the frame, then the differing parameters.
std::array<std::string, 2> side_texts(const LabelsContext& c) {
  std::array<std::string, 2> texts;
  const auto add = [&texts](CompareSide side, const std::string& part) {
    std::string& text = texts[static_cast<std::size_t>(side)];
    text += (text.empty() ? "" : "   ") + part;
  };
  if (c.model.kept.a_recording.name.empty()) {
    // Names A's frame if the two sides differ while the user scrubs.
    if (c.a.stamp.sequence != c.b.stamp.sequence)
      add(CompareSide::a, "frame " + grouped(numbers_of(c.model.source).of(c.a.stamp)));
  } else {
    // The previous images stay after a swap until the new ones arrive.
    if (c.a.acquisition == c.model.kept.a_recording.acquisition) add(CompareSide::a, c.model.kept.a_recording.name);
    if (c.b.acquisition == c.model.source.acquisition) add(CompareSide::b, c.model.source.name);
  }
  const std::vector<ParamDifference> differences = differing_params(c.a.params, c.b.params);
  for (const ParamDifference& row : differences) {
    const std::string unit = row.unit.empty() ? "" : " " + std::string(row.unit);
    add(CompareSide::a, fmt::format("{} {}{}", row.label, row.a, unit));
    add(CompareSide::b, fmt::format("{} {}{}", row.label, row.b, unit));
  }
  if (differences.empty() && c.model.kept.a_recording.name.empty()) {
    if (texts[0].empty()) texts[0] = "before";
    texts[1] = "now";
  }
  return texts;
}

void draw_label(const LabelsContext& c, CompareSide side, const Rect& line, const std::string& text) {
  Ui& ui = c.ui;
  const bool is_a = side == CompareSide::a, large = c.letters == LabelLetters::large;
  if (line.width() < ui.px(kLetter)) return;
  if (large) {
    ui.text(Type::large_strong, line, is_a ? theme::kText : theme::kAccent, is_a ? "A" : "B");
  } else {
    draw_side_letter(ui, side, line.x0, line.y0);
  }
  ui.text_fitted(large ? Type::large : Type::small, line.x0 + ui.px(kLetter), line.x1, line.y0, line.height(),
                 theme::kText2, text);
  ui.hit(is_a ? "label/A" : "label/B", line, {is_a ? "A" : "B", text, {}});
}

void draw_handle(const Ui& ui, float x, float y, ImU32 color) {
  ui.disc(x, y, 15, theme::kHalo);
  ui.disc(x, y, 13, color);
  ui.chevron(x - ui.px(5), y, Direction::left, theme::kInk);
  ui.chevron(x + ui.px(5), y, Direction::right, theme::kInk);
}

constexpr float kHandleShare = 0.7F;  // share of the image's height

}  // namespace

void draw_compare_labels(const LabelsContext& c) {
  const std::array<std::string, 2> texts = side_texts(c);
  const bool large = c.letters == LabelLetters::large;
  const float high = c.ui.px(large ? 30 : 20), rulers = c.ui.px(large ? 4 : 30), gap = c.ui.px(24);
  const auto line_of = [&](const ImageLayout& l) {
    const float bottom = l.image.y0 - rulers;
    return Rect{l.image.x0, bottom - high, l.room.x1, bottom};
  };
  if (c.layout_a != nullptr) {
    draw_label(c, CompareSide::a, line_of(*c.layout_a), texts[0]);
    return draw_label(c, CompareSide::b, line_of(c.layout_b), texts[1]);
  }
  // A wipe: both above one image, and beyond it if they need more room.
  const Rect& image = c.layout_b.image;
  const Rect& room = c.layout_b.room;
  const auto width = [&](const std::string& text) {
    return c.ui.px(kLetter + 2) + c.ui.width(large ? Type::large : Type::small, text);
  };
  const float of_a = width(texts[0]), of_b = width(texts[1]);
  const float beyond = std::max(0.0F, 0.5F * (of_a + of_b + gap - image.width()));
  Rect a = line_of(c.layout_b), b = a;
  a.x0 = std::max(room.x0, image.x0 - beyond);
  b.x1 = std::min(room.x1, image.x1 + beyond);
  const float all = b.x1 - a.x0 - gap, half = 0.5F * all;
  a.x1 = a.x0 + std::min(of_a, std::max(half, all - of_b));
  b.x0 = b.x1 - std::min(of_b, std::max(half, all - of_a));
  draw_label(c, CompareSide::a, a, texts[0]);
  draw_label(c, CompareSide::b, b, texts[1]);
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
}

}  // namespace echoloop
