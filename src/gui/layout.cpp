#include "gui/layout.h"

#include <algorithm>
#include <cmath>

#include "gui/theme.h"

namespace echoloop {
namespace {

constexpr float kMinLeft = 232, kMaxLeft = 420, kMinRight = 248, kMaxRight = 480, kMinCentre = 480;
constexpr float kDefaultLeft = 296, kDefaultRight = 344;

double length_x(const Grid& g) { return std::max(g.x1_m - g.x0_m, 1e-6); }
double length_z(const Grid& g) { return std::max(g.z1_m - g.z0_m, 1e-6); }

}  // namespace

float clamp_left_width(float wanted, float logical_width, float right) {
  const float room = logical_width - right - kMinCentre;
  return std::clamp(wanted, kMinLeft, std::max(kMinLeft, std::min(kMaxLeft, room)));
}

float clamp_right_width(float wanted, float logical_width, float left) {
  const float room = logical_width - left - kMinCentre;
  return std::clamp(wanted, kMinRight, std::max(kMinRight, std::min(kMaxRight, room)));
}

WindowLayout lay_out_window(float width, float height, float scale, const ColumnWidths& widths) {
  WindowLayout l;
  const float logical = width / scale;
  l.compact = logical < theme::kCompactBelow;
  float left = widths.left > 0 ? widths.left : l.compact ? kMinLeft : kDefaultLeft;
  float right = widths.right > 0 ? widths.right : l.compact ? kMinRight : kDefaultRight;
  if (l.compact) {  // widths chosen on a wide window do not squeeze the picture of a narrow one
    left = std::min(left, kMinLeft + 0.25F * std::max(0.0F, logical - 1024));
    right = std::min(right, kMinRight + 0.25F * std::max(0.0F, logical - 1024));
  }
  left = clamp_left_width(left, logical, right);
  right = clamp_right_width(right, logical, left);
  l.right_shown = logical - left - right >= kMinCentre;
  const auto px = [scale](float v) { return std::round(v * scale); };
  const float edge = std::max(1.0F, std::round(scale));
  const float top = px(theme::kStatusBar);
  const float bottom = height - px(theme::kMessageLine);
  l.status = {0, 0, width, top};
  l.message = {0, bottom, width, height};
  l.left = {0, top, px(left), bottom};
  l.splitter_left = l.left.x1;
  l.right = l.right_shown ? Rect{width - px(right), top, width, bottom} : Rect{width, top, width, bottom};
  l.splitter_right = l.right.x0;
  l.centre = {l.left.x1 + edge, top, l.right_shown ? l.right.x0 - edge : width, bottom};
  return l;
}

float PictureLayout::x_px(double x) const {
  return image.x0 + static_cast<float>((x - grid.x0_m) / length_x(grid) * static_cast<double>(image.width()));
}
float PictureLayout::z_px(double z) const {
  return image.y0 + static_cast<float>((z - grid.z0_m) / length_z(grid) * static_cast<double>(image.height()));
}
double PictureLayout::x_m(float x) const {
  return grid.x0_m + static_cast<double>((x - image.x0) / std::max(image.width(), 1.0F)) * length_x(grid);
}
double PictureLayout::z_m(float z) const {
  return grid.z0_m + static_cast<double>((z - image.y0) / std::max(image.height(), 1.0F)) * length_z(grid);
}

Rect PictureLayout::place(const Grid& other) const {
  return {x_px(other.x0_m), z_px(other.z0_m), x_px(other.x1_m), z_px(other.z1_m)};
}

Rect fit_picture(const Rect& area, const Grid& grid) {
  const double w = std::max(area.width(), 1.0F);
  const double h = std::max(area.height(), 1.0F);
  const double px_per_m = std::min(w / length_x(grid), h / length_z(grid));
  const auto iw = static_cast<float>(std::max(1.0, std::round(length_x(grid) * px_per_m)));
  const auto ih = static_cast<float>(std::max(1.0, std::round(length_z(grid) * px_per_m)));
  const float x = std::round(area.x0 + 0.5F * (area.width() - iw));
  const float y = std::round(area.y0 + 0.5F * (area.height() - ih));
  return {x, y, x + iw, y + ih};
}

PictureLayout lay_out_picture(const Rect& area, const Grid& grid, float scale, bool compact) {
  const auto px = [scale](float v) { return std::round(v * scale); };
  const float bar = px(compact ? theme::kColorBarCompact : theme::kColorBar);
  const float margin = px(compact ? 14 : 16);
  Rect room{area.x0 + margin + px(theme::kRulerLeft), area.y0 + px(theme::kRulerTop),
            area.x1 - px(compact ? 8 : 16) - bar, area.y1 - px(theme::kCaption)};
  PictureLayout l;
  l.grid = grid;
  l.image = fit_picture(room, grid);
  const float gap = px(compact ? 14 : 20);
  l.color_bar = {l.image.x1 + gap, l.image.y0, l.image.x1 + gap + px(14), l.image.y1};
  l.caption_y = l.image.y1;
  return l;
}

}  // namespace echoloop
