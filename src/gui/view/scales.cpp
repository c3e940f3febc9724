// Depths along the edges of a sector: ticks square to the outermost lines, counted from the elements' surface; and the
// scale bar.
#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "gui/overlay/ruler.h"
#include "gui/state/number_text.h"
#include "gui/toolkit/theme.h"
#include "gui/view/image_view.h"

namespace echoloop {
namespace {

enum class Side { left, right };

void edge_ticks(const ImageViewContext& c, Side side, const RulerStep& step) {
  const Ui& ui = c.ui;
  const ImageLayout& l = c.layout;
  const Sector& s = l.grid.sector;
  const double angle = side == Side::left ? s.angle0_rad : s.angle1_rad;
  const double skin_m = surface_radius_m(c.image);
  // Outwards, square to the line.
  const auto out_x = static_cast<float>(std::cos(angle)) * (side == Side::left ? -1.0F : 1.0F);
  const auto out_y = static_cast<float>(std::sin(angle)) * (side == Side::left ? 1.0F : -1.0F);
  const double minor_m = step.major_mm / step.minor_per_major * kMetresPerMillimetre;
  const int first = static_cast<int>(std::ceil((s.r0_m - skin_m) / minor_m - 1e-6));
  const int last = static_cast<int>(std::floor((s.r1_m - skin_m) / minor_m + 1e-6));
  for (int i = first; i <= last && i - first < 2000; ++i) {
    const double r = skin_m + i * minor_m;
    const float x = l.x_px(r * std::sin(angle)), y = l.z_px(s.apex_z_m + r * std::cos(angle));
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
  const bool same = c.compared == nullptr || c.compared->grid.sector == l.grid.sector;  // what is left of the wipe
  if (same) edge_ticks(c, Side::left, step);
  edge_ticks(c, Side::right, step);
}

double scale_bar_mm(const ImageLayout& l) {
  constexpr double kShare = 0.12;
  return round_up_125(kShare * static_cast<double>(l.image.width()) / l.px_per_mm());
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

}  // namespace echoloop
