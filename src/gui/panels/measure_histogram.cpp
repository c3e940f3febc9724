// How often each level occurs in the image, with the display window drawn over it: its ends and what lies between
// them can be dragged.
#include <algorithm>
#include <cmath>

#include "gui/gl/display_window.h"
#include "gui/panels/measure_parts.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr double kLow_db = -90.0, kHigh_db = 10.0;
constexpr float kLevelsHeight = 96;

float x_of(const Rect& box, double db) {
  return box.x0 + static_cast<float>(std::clamp((db - kLow_db) / (kHigh_db - kLow_db), 0.0, 1.0)) * box.width();
}

WindowGrip nearest_limit(const Ui& ui, const Rect& box, const DisplayWindow& w, float x) {
  const float to_top = std::abs(x - x_of(box, w.top_db)), to_bottom = std::abs(x - x_of(box, w.bottom_db));
  if (std::min(to_top, to_bottom) <= ui.px(8)) return to_top <= to_bottom ? WindowGrip::top : WindowGrip::bottom;
  return WindowGrip::middle;
}

void draw_bars(const Ui& ui, const Rect& box, const LevelHistogram& h, const DisplayWindow& w) {
  double most = 1.0;
  for (const std::uint32_t count : h.counts) most = std::max(most, static_cast<double>(count));
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    const double from = h.first_db + static_cast<double>(i) * h.step_db, to = from + h.step_db;
    if (h.counts[i] == 0 || to <= kLow_db || from >= kHigh_db) continue;
    const bool inside = from >= w.bottom_db - 1e-6 && to <= w.top_db + 1e-6;
    const float height = std::max(1.0F, static_cast<float>(h.counts[i] / most) * (box.height() - ui.px(6)));
    ui.fill({std::round(x_of(box, from)), std::round(box.y1 - height), std::round(x_of(box, to)), box.y1},
            inside ? theme::kHistoryBefore : theme::kDisabled);
  }
}

void draw_window(const Ui& ui, const Rect& box, const DisplayWindow& w, WindowGrip lit) {
  const auto mark = [&](double db, WindowGrip grip) {
    const float x = std::round(x_of(box, db));
    const ImU32 color = lit == grip || lit == WindowGrip::middle ? theme::kAccentHover : theme::kAccent;
    ui.fill({x - ui.px(1), box.y0, x - ui.px(1) + ui.px(3), box.y1}, color, 1);
    ui.triangle(x + 0.5F * ui.hairline(), box.y1 + ui.px(1), Direction::up, color, 8);
  };
  mark(w.bottom_db, WindowGrip::bottom);
  mark(w.top_db, WindowGrip::top);
}

void draw_axis(const Ui& ui, const Rect& box, const DisplayWindow& w) {
  const float y = box.y1 + ui.px(9);
  const auto label = [&](double db, Type type, ImU32 color) {
    const std::string text = fixed(db, 0);
    const float x = x_of(box, db) - 0.5F * ui.width(type, text);
    ui.text(type, std::round(std::clamp(x, box.x0, box.x1 - ui.width(type, text))), y, ui.px(14), color, text);
  };
  for (double db = -80.0; db <= 0.0; db += 20.0) {
    ui.vertical(std::round(x_of(box, db)), box.y1, box.y1 + ui.px(4), theme::kTick);
    const float off =
        std::min(std::abs(x_of(box, db) - x_of(box, w.top_db)), std::abs(x_of(box, db) - x_of(box, w.bottom_db)));
    if (off >= ui.px(24)) label(db, Type::small, theme::kMuted);
  }
  label(w.bottom_db, Type::badge, theme::kText);
  label(w.top_db, Type::badge, theme::kText);
}

// Shares of all pixels that have a level.
void draw_shares(const Ui& ui, Column& column, const LevelHistogram& h, const DisplayWindow& w) {
  double below = static_cast<double>(h.below), above = static_cast<double>(h.above), all = below + above;
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    const double middle = h.first_db + (static_cast<double>(i) + 0.5) * h.step_db;
    const auto count = static_cast<double>(h.counts[i]);
    all += count;
    if (middle < w.bottom_db) below += count;
    if (middle > w.top_db) above += count;
  }
  if (all <= 0.0) return;
  const Rect r = ui.row(column, 18, 0);
  ui.text(Type::small, r, theme::kText2, "below " + fixed(100.0 * below / all, 1) + " %");
  ui.text_right(Type::small, r.x1, r.y0, r.height(), theme::kText2, "above " + fixed(100.0 * above / all, 1) + " %");
}

void plot(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  ImagingParams& p = c.state.params;
  const Rect row = ui.row(column, kLevelsHeight, 2);
  const Rect box{row.x0 + ui.px(2), row.y0, row.x1 - ui.px(2), row.y1 - ui.px(24)};
  const Rect area{row.x0, row.y0, row.x1, row.y1};
  const Hit h = ui.control("histogram", area, FocusKind::slider);
  ui.tip("histogram", h, area,
         {"Image histogram",
          "Number of pixels per 1 dB. The marks are the display window: drag an end to change the range, drag between "
          "the ends to change the gain. Right-click to reset.",
          {}});
  static WindowGrip grip = WindowGrip::none;  // one histogram, one mouse
  static DisplayWindow start{};
  static float start_x = 0;
  const ImagingParams before = p;
  const float x = ImGui::GetIO().MousePos.x;
  if (h.pressed) {
    start = display_window(p);
    start_x = x;
    grip = nearest_limit(ui, box, start, x);
  }
  if (h.held) {
    const double moved = static_cast<double>((x - start_x) / std::max(box.width(), 1.0F)) * (kHigh_db - kLow_db);
    drag_display_window(p, grip, start, moved);
  }
  if (h.right) reset_display_window(p, c.state.defaults);
  for (const KeyPress& press : h.keys) key_display_window(p, c.state.defaults, press);
  const DisplayWindow w = display_window(p);
  ui.fill(box, theme::kCanvas, 2);
  if (c.state.image.measured.histogram) draw_bars(ui, box, *c.state.image.measured.histogram, w);
  draw_window(ui, box, w, h.held ? grip : h.hovered ? nearest_limit(ui, box, w, x) : WindowGrip::none);
  draw_axis(ui, box, w);
  if (c.state.image.measured.histogram) draw_shares(ui, column, *c.state.image.measured.histogram, w);
  if (!(p == before)) call(c.commands.params_changed);
}

}  // namespace

void histogram_block(PanelContext& c, Column& column) {
  Ui& ui = c.ui;
  bool& open = c.view.histogram;
  const Rect r = ui.row(column, 24, 0);
  const Hit h = ui.control("histogram_head", r);
  ui.tip("histogram_head", h, r, {"Histogram", "Histogram of image levels, with the displayed range.", {}});
  if (h.clicked) open = !open;
  ui.chevron(r.x0 + ui.px(4), r.cy(), open ? Direction::down : Direction::right,
             h.hovered ? theme::kText2 : theme::kMuted, 7);
  ui.text(Type::body, r.x0 + ui.px(16), r.y0, r.height(), theme::kText2, "Histogram");
  ui.text_right(Type::small, r.x1, r.y0, r.height(), theme::kMuted, "dB");
  if (open) plot(c, column);
}

}  // namespace echoloop
