#include <algorithm>
#include <cmath>

#include "gui/toolkit/layout.h"
#include "gui/toolkit/theme.h"

namespace echoloop {
namespace {

double length_x(const Grid& g) { return std::max(g.x1_m - g.x0_m, 1e-6); }
double length_z(const Grid& g) { return std::max(g.z1_m - g.z0_m, 1e-6); }

PlanePoint middle_of(const Grid& g) { return {0.5 * (g.x0_m + g.x1_m), 0.5 * (g.z0_m + g.z1_m)}; }

double middle_x(const Rect& r) { return 0.5 * (static_cast<double>(r.x0) + static_cast<double>(r.x1)); }
double middle_y(const Rect& r) { return 0.5 * (static_cast<double>(r.y0) + static_cast<double>(r.y1)); }

// Returns the nearest point at which the room's centre shows a part of the image.
PlanePoint on_picture(const Grid& g, PlanePoint p) {
  p = {std::clamp(p.x_m, g.x0_m, std::max(g.x0_m, g.x1_m)), std::clamp(p.z_m, g.z0_m, std::max(g.z0_m, g.z1_m))};
  if (!g.polar()) return p;
  const Sector& s = g.sector;
  const double down = p.z_m - s.apex_z_m;
  const double angle = std::clamp(std::atan2(p.x_m, down), s.angle0_rad, s.angle1_rad);
  const double r = std::clamp(std::hypot(p.x_m, down), s.r0_m, s.r1_m);
  return {r * std::sin(angle), s.apex_z_m + r * std::cos(angle)};
}

// Returns the largest offset between the centres of room and image with the room full of image; 0 for a smaller image.
double slack_m(double picture_m, float room_px, double px_per_m) {
  return std::max(0.0, 0.5 * (picture_m - static_cast<double>(room_px) / px_per_m));
}

double held(double wanted, double middle, double reach) { return std::clamp(wanted, middle - reach, middle + reach); }

}  // namespace

float ImageLayout::x_px(double x) const {
  return static_cast<float>(middle_x(room) + (x - centre.x_m) * way() * px_per_m);
}
float ImageLayout::z_px(double z) const { return static_cast<float>(middle_y(room) + (z - centre.z_m) * px_per_m); }
double ImageLayout::x_m(float x) const {
  return centre.x_m + (static_cast<double>(x) - middle_x(room)) * way() / px_per_m;
}
double ImageLayout::z_m(float z) const { return centre.z_m + (static_cast<double>(z) - middle_y(room)) / px_per_m; }

Rect ImageLayout::place(const Grid& other) const {
  const auto [left, right] = std::minmax({x_px(other.x0_m), x_px(other.x1_m)});
  return {left, z_px(other.z0_m), right, z_px(other.z1_m)};
}

ImageLayout place_picture(const Rect& room, const Grid& grid, float scale, const PanZoom& view, Mirrored mirrored) {
  ImageLayout l;
  l.mirrored = mirrored;
  l.room = room;
  l.grid = grid;
  l.scale = scale;
  l.fitted_px_per_m = std::min(static_cast<double>(std::max(room.width(), 1.0F)) / length_x(grid),
                               static_cast<double>(std::max(room.height(), 1.0F)) / length_z(grid));
  l.px_per_m = std::min(view.logical_px_per_m * static_cast<double>(scale), kMaxZoom * l.fitted_px_per_m);
  l.centre = on_picture(grid, view.centre);
  if (view.fitted || !(l.px_per_m > l.fitted_px_per_m)) {
    l.px_per_m = l.fitted_px_per_m;
    l.centre = middle_of(grid);
  }
  const Rect whole = l.place(grid);
  const Rect seen = whole.common(room);
  l.image = {std::round(seen.x0), std::round(seen.y0), std::round(seen.x1), std::round(seen.y1)};
  l.image.x1 = std::max(l.image.x1, l.image.x0 + 1);
  l.image.y1 = std::max(l.image.y1, l.image.y0 + 1);
  l.caption_y = l.image.y1;
  return l;
}

PanZoom EasedView::towards(const PanZoom& wanted, const ImageLayout& at, double step_s) {
  const Seen target{at.centre, at.zoom()};
  const bool zooms = target.zoom != now_.zoom && !(wanted == wanted_);
  if (!(grid_ == at.grid) || room_ != at.room) {
    way_.end();
  } else if (zooms) {
    from_ = now_;
    way_.begin();
  } else if (!(wanted == wanted_)) {
    way_.end();
  }
  wanted_ = wanted;
  grid_ = at.grid;
  room_ = at.room;
  const double share = way_.advance(step_s);
  now_ = target;
  if (share >= 1.0) return wanted;
  now_.zoom = from_.zoom * std::pow(target.zoom / from_.zoom, share);
  const double way = (1.0 / from_.zoom - 1.0 / now_.zoom) / (1.0 / from_.zoom - 1.0 / target.zoom);
  const auto between = [way](double a, double b) { return a + way * (b - a); };
  now_.centre = {between(from_.centre.x_m, target.centre.x_m), between(from_.centre.z_m, target.centre.z_m)};
  return {.fitted = false,
          .centre = now_.centre,
          .logical_px_per_m = now_.zoom * at.fitted_px_per_m / static_cast<double>(at.scale)};
}

int count(ColorBars bars) {
  return static_cast<int>(bars.level) + static_cast<int>(bars.a) + static_cast<int>(bars.flow) +
         static_cast<int>(bars.tgc);
}

void place_bars(ImageLayout& layout, const Rect& first, float step, ColorBars bars) {
  Rect next = first;
  const auto place = [&](Rect& bar, bool wanted) {
    if (!wanted) return;
    bar = next;
    next.x0 += step;
    next.x1 += step;
  };
  place(layout.tgc, bars.tgc);
  place(layout.color_bar, bars.level);
  place(layout.a_bar, bars.a);
  place(layout.flow_bar, bars.flow);
}

ImageLayout lay_out_picture(const Rect& area, const Grid& grid, float scale, bool compact, const PanZoom& view,
                            ColorBars bars, Mirrored mirrored) {
  const auto px = [scale](float v) { return std::round(v * scale); };
  const float bar = px(compact ? theme::kColorBarCompact : theme::kColorBar);
  const float margin = px(compact ? 14 : 16);
  const Rect room{area.x0 + margin + px(theme::kRulerLeft), area.y0 + px(theme::kRulerTop),
                  area.x1 - px(compact ? 8 : 16) - static_cast<float>(count(bars)) * bar,
                  area.y1 - px(theme::kCaption)};
  ImageLayout l = place_picture(room, grid, scale, view, mirrored);
  const float gap = px(compact ? 14 : 20);
  place_bars(l, {l.image.x1 + gap, l.image.y0, l.image.x1 + gap + px(14), l.image.y1}, bar, bars);
  return l;
}

PanZoom zoomed_about(const ImageLayout& l, float x, float y, double factor) {
  const double before = l.zoom(), after = std::min(before * factor, kMaxZoom);
  if (after < 1.0 + 1e-6) return {};
  const double px_per_m = l.fitted_px_per_m * after, nearer = before / after;
  const PlanePoint still = l.point(x, y), middle = middle_of(l.grid);
  PanZoom to{
      .fitted = false,
      .centre = {still.x_m + (l.centre.x_m - still.x_m) * nearer, still.z_m + (l.centre.z_m - still.z_m) * nearer},
      .logical_px_per_m = px_per_m / static_cast<double>(l.scale)};
  if (after >= before) return to;
  // Zooming out reduces the empty room next to the image, left by zooming in, evenly and without a jump.
  const auto back = [&](double wanted, double was, double at, double length, float room_px) {
    const double excess = std::max(0.0, std::abs(was - at) - slack_m(length, room_px, l.px_per_m));
    return held(wanted, at, slack_m(length, room_px, px_per_m) + excess * (after - 1.0) / (before - 1.0));
  };
  to.centre.x_m = back(to.centre.x_m, l.centre.x_m, middle.x_m, length_x(l.grid), l.room.width());
  to.centre.z_m = back(to.centre.z_m, l.centre.z_m, middle.z_m, length_z(l.grid), l.room.height());
  return to;
}

PanZoom panned(const ImageLayout& l, float dx, float dy) {
  if (l.zoom() < 1.0 + 1e-6) return {};
  const PlanePoint middle = middle_of(l.grid);
  const auto moved = [&](double was, double at, double length, float room_px, float by_px) {
    const double reach = std::max(slack_m(length, room_px, l.px_per_m), std::abs(was - at));
    return held(was - static_cast<double>(by_px) / l.px_per_m, at, reach);
  };
  const PlanePoint centre{
      moved(l.centre.x_m, middle.x_m, length_x(l.grid), l.room.width(), dx * static_cast<float>(l.way())),
      moved(l.centre.z_m, middle.z_m, length_z(l.grid), l.room.height(), dy)};
  return {.fitted = false,
          .centre = on_picture(l.grid, centre),
          .logical_px_per_m = l.px_per_m / static_cast<double>(l.scale)};
}

}  // namespace echoloop
