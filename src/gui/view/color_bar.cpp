// The colour bar: always 0 to -80 dB, saturated beyond the window; its marks drag the window.
#include <algorithm>
#include <cmath>

#include "gui/gl/display_window.h"
#include "gui/overlay/transfer_function.h"
#include "gui/state/number_text.h"
#include "gui/state/shown_display.h"
#include "gui/view/image_view.h"

namespace echoloop {
namespace {

constexpr double kBottom_db = -80.0;

float bar_y(const Rect& bar, double level_db) {
  return bar.y0 + static_cast<float>(std::clamp(level_db / kBottom_db, 0.0, 1.0)) * bar.height();
}

void draw_colors(const Ui& ui, const Rect& bar, const ImagingParams& p, const DisplayWindow& shown) {
  const auto color = [&](double level_db) {
    const Rgb c = map_color(p.display.color_map, transfer(level_db, p.display));
    return IM_COL32(c.r, c.g, c.b, 255);
  };
  const int pieces = p.display.gamma == 1.0 && p.display.color_map != ColorMap::viridis ? 40 : 64;
  for (int i = 0; i < pieces; ++i) {
    const auto edge = [&](int k) {
      return std::round(bar.y0 + bar.height() * static_cast<float>(k) / static_cast<float>(pieces));
    };
    const double per_piece_db = (shown.bottom_db - shown.top_db) / pieces;
    const ImU32 above = color(shown.top_db + per_piece_db * i);
    const ImU32 below = color(shown.top_db + per_piece_db * (i + 1));
    ui.list().AddRectFilledMultiColor({bar.x0, edge(i)}, {bar.x1, edge(i + 1)}, above, above, below, below);
  }
  ui.outline({bar.x0 - 1, bar.y0 - 1, bar.x1 + 1, bar.y1 + 1}, theme::kLine2);
}

void draw_mark(const Ui& ui, const Rect& bar, double level_db, bool lit) {
  const float y = std::round(bar_y(bar, level_db));
  const ImU32 color = lit ? theme::kAccentHover : theme::kAccent;
  ui.fill({bar.x0 - ui.px(3), y - ui.px(1), bar.x1 + ui.px(3), y - ui.px(1) + ui.px(3)}, color, 1);
  ui.triangle(bar.x1 + ui.px(3), y + 0.5F * ui.hairline(), Direction::left, color, 8);
  ui.text(Type::badge, bar.x1 + ui.px(15), y - ui.px(8), ui.px(16), theme::kText, fixed(level_db, 0));
}

void draw_labels(const Ui& ui, const Rect& bar, const DisplayWindow& w) {
  for (int level = 0; level >= static_cast<int>(kBottom_db); level -= 20) {
    const float y = std::round(bar_y(bar, level));
    const float to_top = std::abs(y - bar_y(bar, w.top_db));
    const float to_bottom = std::abs(y - bar_y(bar, w.bottom_db));
    if (std::min(to_top, to_bottom) < ui.px(16)) continue;
    ui.horizontal(bar.x1 + ui.px(3), bar.x1 + ui.px(8), y, theme::kTick);
    ui.text(Type::small, bar.x1 + ui.px(15), y - ui.px(8), ui.px(16), theme::kText2, fixed(level, 0));
  }
}

WindowGrip nearest_grip(const Ui& ui, const Rect& bar, const DisplayWindow& w, float y) {
  const float to_top = std::abs(y - bar_y(bar, w.top_db));
  const float to_bottom = std::abs(y - bar_y(bar, w.bottom_db));
  if (std::min(to_top, to_bottom) <= ui.px(8)) return to_top <= to_bottom ? WindowGrip::top : WindowGrip::bottom;
  return WindowGrip::middle;
}

// `side`: A or B, where each has a bar of its own.
struct BarLook {
  Type type;
  std::string_view side;
};

std::string title(std::string_view side, const char* unit) {
  return side.empty() ? unit : std::string(side) + " " + unit;
}

void draw_weight_bar(const Ui& ui, const Rect& bar, const ImagingParams& params, const BarLook& look) {
  const auto& [type, side] = look;
  const ImagingParams shown = as_shown(params);
  draw_colors(ui, bar, shown, display_window(shown));
  const bool large = type == Type::large;
  ui.text(type, bar.x0, bar.y0 - ui.px(large ? 34 : 26), ui.px(large ? 24 : 16), large ? theme::kText2 : theme::kMuted,
          title(side, "weight"));
  for (int quarter = 0; quarter <= 4; ++quarter) {
    const double weight = 0.25 * quarter;
    const float y = std::round(bar.y1 - static_cast<float>(weight) * bar.height());
    ui.fill({bar.x1 + ui.px(2), y - ui.px(1), bar.x1 + ui.px(6), y}, theme::kText2);
    ui.text(type, bar.x1 + ui.px(9), y - ui.px(8), ui.px(16), theme::kText2, fixed(weight, quarter % 2 == 0 ? 1 : 2));
  }
}

}  // namespace

bool scales_differ(const Image* a, const Image& b, const UiState& state) {
  return a != nullptr && (shows_weight(a->params.formation) != shows_weight(b.params.formation) ||
                          state.cine.a.display != state.params.display);
}

void draw_presented_color_bar(const Ui& ui, const Rect& bar, const ImagingParams& params, std::string_view side) {
  if (shows_weight(params.formation)) return draw_weight_bar(ui, bar, params, {Type::large, side});
  const DisplayWindow w = display_window(params);
  draw_colors(ui, bar, params, w);
  ui.text(Type::large, bar.x0, bar.y0 - ui.px(34), ui.px(24), theme::kText2, title(side, "dB"));
  const auto label = [&](double level_db) {
    const auto share = static_cast<float>((w.top_db - level_db) / (w.top_db - w.bottom_db));
    const float y = std::round(bar.y0 + share * bar.height());
    ui.fill({bar.x1 + ui.px(2), y - ui.px(1), bar.x1 + ui.px(9), y + ui.px(1)}, theme::kText2);
    ui.text(Type::large, bar.x1 + ui.px(14), y - ui.px(12), ui.px(24), theme::kText2, fixed(level_db, 0));
  };
  label(w.top_db);
  label(w.bottom_db);
  const double clear_db = static_cast<double>(ui.px(30) / bar.height()) * (w.top_db - w.bottom_db);
  const double step_db = clear_db > 20.0 ? 40.0 : 20.0;
  for (double level = step_db * std::floor((w.top_db - clear_db) / step_db); level > w.bottom_db + clear_db;
       level -= step_db) {
    label(level);
  }
}

bool draw_color_bar(const ImageViewContext& c, const Rect& bar, std::string_view side) {
  Ui& ui = c.ui;
  if (shows_weight(c.image.params.formation)) {
    draw_weight_bar(ui, bar, c.image.params, {Type::small, side});
    return false;
  }
  const Rect area{bar.x0 - ui.px(6), bar.y0 - ui.px(8), bar.x1 + ui.px(32), bar.y1 + ui.px(8)};
  const char* const id = side == "A" ? "color_bar_a" : "color_bar";
  const Hit h = ui.control(id, area, FocusKind::slider);
  ui.tip(id, h, area,
         {"Display window",
          "Drag an end to change the range, drag between the ends to change the gain. Right-click to reset.",
          {}});
  static WindowGrip grip = WindowGrip::none;  // one colour bar, one mouse
  static DisplayWindow start{};
  static float start_y = 0;
  const ImagingParams before = c.display;
  const float y = ImGui::GetIO().MousePos.y;
  if (h.pressed) {
    start = display_window(c.display);
    start_y = y;
    grip = nearest_grip(ui, bar, start, y);
  }
  if (h.held)
    drag_display_window(c.display, grip, start,
                        static_cast<double>((y - start_y) / std::max(bar.height(), 1.0F)) * kBottom_db);
  if (h.right) reset_display_window(c.display, c.defaults);
  for (const KeyPress& press : h.keys) key_display_window(c.display, c.defaults, press);
  const DisplayWindow w = display_window(c.display);
  ui.text(Type::small, bar.x0, bar.y0 - ui.px(26), ui.px(16), theme::kMuted, title(side, "dB"));
  draw_colors(ui, bar, c.display, {0.0, kBottom_db});
  draw_labels(ui, bar, w);
  const WindowGrip lit = h.held ? grip : h.hovered ? nearest_grip(ui, bar, w, y) : WindowGrip::none;
  draw_mark(ui, bar, w.top_db, lit == WindowGrip::top || lit == WindowGrip::middle);
  draw_mark(ui, bar, w.bottom_db, lit == WindowGrip::bottom || lit == WindowGrip::middle);
  return !(c.display == before);
}

}  // namespace echoloop
