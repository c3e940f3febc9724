// Depths along the edges of a sector: ticks normal to the outermost lines, relative to the elements' surface; and the
// scale bar.
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/units.h"
#include "gui/gl/surface.h"
#include "gui/overlay/image_scales.h"
#include "gui/overlay/transfer_function.h"
#include "gui/state/number_text.h"
#include "gui/state/shown_display.h"
#include "gui/toolkit/theme.h"
#include "gui/view/image_view.h"

namespace echoloop {
namespace {

enum class Side { left, right };

void edge_ticks(const ImageViewContext& c, Side side, const RulerStep& step) {
  const Ui& ui = c.ui;
  const ImageLayout& l = c.layout;
  const Sector& s = l.grid.sector;
  // On screen; mirrored, the other edge with the opposite angle.
  const double angle = l.way() * ((side == Side::left) == (l.way() > 0.0) ? s.angle0_rad : s.angle1_rad);
  const double skin_m = surface_radius_m(c.image);
  // Outward normal of the line.
  const auto out_x = static_cast<float>(std::cos(angle)) * (side == Side::left ? -1.0F : 1.0F);
  const auto out_y = static_cast<float>(std::sin(angle)) * (side == Side::left ? 1.0F : -1.0F);
  const double minor_m = step.major_mm / step.minor_per_major * kMetresPerMillimetre;
  const int first = static_cast<int>(std::ceil((s.r0_m - skin_m) / minor_m - 1e-6));
  const int last = static_cast<int>(std::floor((s.r1_m - skin_m) / minor_m + 1e-6));
  for (int i = first; i <= last && i - first < 2000; ++i) {
    const double r = skin_m + i * minor_m;
    const float x = l.x_px(l.way() * r * std::sin(angle)), y = l.z_px(s.apex_z_m + r * std::cos(angle));
    if (!l.image.inset(-2).contains(x, y)) continue;
    const bool major = ((i % step.minor_per_major) + step.minor_per_major) % step.minor_per_major == 0;
    const float near_px = ui.px(3), length = ui.px(major ? 7 : 4);
    ui.stroke({x + out_x * near_px, y + out_y * near_px},
              {x + out_x * (near_px + length), y + out_y * (near_px + length)}, major ? theme::kText2 : theme::kTick,
              ui.hairline());
    if (!major || side == Side::left) continue;
    const std::string label = fixed(i * minor_m / kMetresPerMillimetre, step.decimals);
    const float line = ui.px(16), label_x = x + out_x * ui.px(14);
    if (label_x + ui.width(Type::small, label) > l.image.x1 || y + out_y * ui.px(14) - line < l.image.y0) continue;
    ui.text(Type::small, label_x, y + out_y * ui.px(14) - 0.5F * line, line, theme::kText2, label);
  }
}

}  // namespace

double surface_radius_m(const Image& image) {
  if (image.acquisition == nullptr || image.acquisition->probe.kind != ProbeKind::convex) return 0.0;
  double farthest = 0.0;
  for (const Element& e : image.acquisition->probe.elements) {
    farthest = std::max(farthest, std::hypot(e.x_m, e.z_m - image.grid.sector.apex_z_m));
  }
  return farthest;
}

void draw_sector_scale(const ImageViewContext& c) {
  const ImageLayout& l = c.layout;
  const double scale = c.ui.scale();
  const RulerStep step = ruler_step(l.px_per_mm(), 52 * scale, scale);
  const bool same = c.compared == nullptr || c.compared->grid.sector == l.grid.sector;  // the image left of the wipe
  if (same) edge_ticks(c, Side::left, step);
  edge_ticks(c, Side::right, step);
}

double scale_bar_mm(const ImageLayout& l) {
  constexpr double kShare = 0.12, kLeast_px = 60.0;  // at scale 1
  const double least_px = kLeast_px * static_cast<double>(l.scale);
  return round_up_125(std::max(kShare * static_cast<double>(l.image.width()), least_px) / l.px_per_mm());
}

namespace {

constexpr float kBarPad = 8, kBarTick = 6;

Type bar_letters(ScaleBarType type) { return type == ScaleBarType::large ? Type::large : Type::small; }
float bar_line(ScaleBarType type) { return type == ScaleBarType::large ? 28 : 18; }

std::string bar_label(const ImageLayout& l) {
  const double length_mm = scale_bar_mm(l);
  return fixed(length_mm, decimals_of_125(length_mm)) + " mm";
}

float bar_width(const ImageLayout& l) { return static_cast<float>(std::round(scale_bar_mm(l) * l.px_per_mm())); }

}  // namespace

Rect scale_bar_box(const Painter& p, const ImageLayout& l, ScaleBarType type) {
  const float wide = std::max(bar_width(l), p.width(bar_letters(type), bar_label(l))) + 2 * p.px(kBarPad);
  const Rect box{l.image.x0 + p.px(8), l.image.y1 - p.px(8 + bar_line(type) + kBarTick + kBarPad),
                 l.image.x0 + p.px(8) + wide, l.image.y1 - p.px(8)};
  return box.x1 > l.image.x1 || box.y0 < l.image.y0 ? Rect{} : box;
}

void draw_scale_bar(const Painter& p, const ImageLayout& l, ScaleBarType type) {
  const Rect box = scale_bar_box(p, l, type);
  if (box.width() <= 0) return;
  const float w = bar_width(l), line = p.px(bar_line(type)), pad = p.px(kBarPad), tick = p.px(kBarTick);
  const Type letters = bar_letters(type);
  const std::string label = bar_label(l);
  p.fill(box, theme::kHalo, 4);
  const float x0 = std::round(box.cx() - 0.5F * w), y1 = box.y1 - pad, thick = std::max(1.0F, p.px(2));
  p.text_centred(letters, {box.x0, box.y0, box.x1, box.y0 + line}, theme::kText, label);
  p.fill({x0, y1 - thick, x0 + w, y1}, theme::kText);
  p.fill({x0, y1 - tick, x0 + thick, y1}, theme::kText);
  p.fill({x0 + w - thick, y1 - tick, x0 + w, y1}, theme::kText);
}

// The colour bar: always 0 to -80 dB, saturated beyond the window; its marks drag the window.

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

// `side`: A or B if each has its own bar.
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

bool scales_differ(const Image* a, const Image& b, const Edits& edits) {
  return a != nullptr && (shows_weight(a->params.formation) != shows_weight(b.params.formation) ||
                          edits.cine.a.display != edits.params.display);
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
  static WindowGrip grip = WindowGrip::none;  // shared: only one bar is held at a time
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

bool draw_tgc_curve(const ImageViewContext& c, const Rect& bar) {
  constexpr float kReach = 22, kKnob = 4, kGrab = 9;  // the whole range of a gain, half of a knob, of its hit area
  constexpr double kMost_db = 40.0;
  if (bar.height() < c.ui.px(160)) return false;
  Ui& ui = c.ui;
  std::array<double, kTgcSteps>& gains = c.display.display.tgc_db;
  const std::array<double, kTgcSteps> before = gains;
  const float middle = bar.cx(), reach = std::min(ui.px(kReach), middle - c.layout.image.x1 - ui.px(kKnob + 1)),
              grab = ui.px(kGrab), inset = ui.px(10);
  const auto y_of = [&](std::size_t i) {
    return bar.y0 + inset + (bar.height() - 2 * inset) * static_cast<float>(i) / (kTgcSteps - 1);
  };
  const auto x_of = [&](double gain_db) { return middle + reach * static_cast<float>(gain_db / kMost_db); };
  ui.text_centred(Type::small, {middle - reach, bar.y0 - ui.px(26), middle + reach, bar.y0 - ui.px(10)}, theme::kMuted,
                  "TGC");
  ui.vertical(middle, y_of(0), y_of(kTgcSteps - 1), theme::kLine2);
  for (std::size_t i = 0; i < gains.size(); ++i) {
    const std::string id = "tgc/" + std::to_string(i + 1);
    const Rect area{middle - reach - ui.px(kKnob), y_of(i) - grab, middle + reach + ui.px(kKnob), y_of(i) + grab};
    const Hit h = ui.hit(id.c_str(), area,
                         {"Time gain compensation", "Drag sideways: gain at this depth. Right-click to reset.", {}});
    if (h.held && (h.pressed || ImGui::GetIO().MouseDelta.x != 0.0F)) {
      const double wanted = static_cast<double>((ImGui::GetIO().MousePos.x - middle) / reach) * kMost_db;
      gains[i] = std::round(std::clamp(wanted, -kMost_db, kMost_db));
    }
    if (h.right) gains[i] = 0.0;
    if (h.hovered || h.held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  }
  for (std::size_t i = 0; i < gains.size(); ++i) {
    const ImVec2 at{x_of(gains[i]), y_of(i)};
    if (i + 1 < gains.size()) ui.stroke(at, {x_of(gains[i + 1]), y_of(i + 1)}, theme::kText2, 1.25F);
    ui.disc(at.x, at.y, kKnob, gains[i] != 0.0 ? theme::kAccent : theme::kText2);
  }
  return gains != before;
}

ImU32 signed_color(float value) {
  constexpr float kZero[3] = {11, 13, 15}, kPlus[3] = {240, 231, 214}, kMinus[3] = {86, 134, 235};
  const float* end = value < 0 ? kMinus : kPlus;
  const float t = std::sqrt(std::min(std::abs(value), 1.0F));  // NaN: the background
  const auto part = [&](int i) { return static_cast<unsigned int>(kZero[i] + t * (end[i] - kZero[i])); };
  return t >= 0 ? IM_COL32(part(0), part(1), part(2), 255) : IM_COL32(11, 13, 15, 255);
}

void ChannelMap::update(const std::shared_ptr<const void>& of, std::span<const float> values, int n_elements,
                        int n_time) {
  if (of == of_ || values.empty()) return;
  of_ = of;
  peak_ = 0.0F;
  for (const float v : values) peak_ = std::max(peak_, std::isfinite(v) ? std::abs(v) : 0.0F);
  const float scale = peak_ > 0.0F ? 1.0F / peak_ : 0.0F;
  colors_.resize(values.size());
  const auto columns = static_cast<std::size_t>(n_elements), rows = static_cast<std::size_t>(n_time);
  for (std::size_t e = 0; e < columns; ++e) {
    for (std::size_t k = 0; k < rows; ++k) colors_[k * columns + e] = signed_color(scale * values[e * rows + k]);
  }
  texture_.update(n_elements, n_time, colors_);
}

void ChannelMap::draw(const Ui& ui, const Plot& plot) const {
  if (texture_.id() == 0) return;
  ui.list().AddImage(compat::texture_id(texture_.id()), {plot.box.x0, plot.box.y0}, {plot.box.x1, plot.box.y1});
}

}  // namespace echoloop
