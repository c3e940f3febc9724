#include "gui/workspace/wipe.h"

#include <algorithm>
#include <cmath>

namespace echoloop {
namespace {

void draw_handle(const Ui& ui, float x, float y, ImU32 color) {
  ui.disc(x, y, 15, theme::kHalo);
  ui.disc(x, y, 13, color);
  ui.chevron(x - ui.px(5), y, Direction::left, theme::kInk);
  ui.chevron(x + ui.px(5), y, Direction::right, theme::kInk);
}

constexpr float kHandleShare = 0.7F;  // of the picture's height

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
  draw_compare_badges({.ui = ui,
                       .state = c.state,
                       .a = c.a,
                       .b = c.b,
                       .side_a = {r.x0, r.y0, x, r.y1},
                       .side_b = {x, r.y0, r.x1, r.y1},
                       .end_of_b = Direction::right,
                       .letters = c.letters});
}

}  // namespace echoloop
