#include "gui/view/side_by_side.h"

#include <algorithm>
#include <cmath>

#include "gui/toolkit/theme.h"

namespace echoloop {
namespace {

constexpr float kStackedBelow = 700;       // width of the area at scale 1
constexpr float kStackedFromHeight = 320;  // of the area: lower ones have no room for two images above each other

ImageLayout moved(ImageLayout l, float dx, float dy) {
  for (Rect* r : {&l.room, &l.image}) *r = {r->x0 + dx, r->y0 + dy, r->x1 + dx, r->y1 + dy};
  l.caption_y += dy;
  return l;
}

}  // namespace

SideLayouts lay_out_sides(const SidesInput& in) {
  const auto px = [&in](float v) { return std::round(v * in.scale); };
  const bool beside = in.area.width() >= kStackedBelow * in.scale || in.area.height() < kStackedFromHeight * in.scale;
  const float bar = px(in.compact ? theme::kColorBarCompact : theme::kColorBar);
  const float width = in.area.width() - static_cast<float>(count(in.bars)) * bar, height = in.area.height();
  const float dx = beside ? std::floor(0.5F * width) : 0, dy = beside ? 0 : std::floor(0.5F * height);
  const Rect first{in.area.x0, in.area.y0, in.area.x0 + (beside ? dx : width), in.area.y0 + (beside ? height : dy)};
  const Grid common = common_extent(in.a, in.b);
  SideLayouts sides;
  if (!in.bars.level) {
    sides.a = place_picture(first.inset(px(8)), common, in.scale, in.view);
  } else {
    sides.a = lay_out_picture(first, common, in.scale, in.compact, in.view, {.level = false});
  }
  sides.b = moved(sides.a, dx, dy);
  if (!in.bars.level) return sides;
  const float x = sides.b.image.x1 + px(in.compact ? 14 : 20);
  place_bars(sides.b, {x, sides.a.image.y0, x + px(14), sides.b.image.y1}, bar, in.bars);
  return sides;
}

Grid common_extent(const Grid& a, const Grid& b) {
  if (a == b) return b;
  if (a.polar() && b.polar() && a.sector.apex_z_m == b.sector.apex_z_m) {
    const Sector& s = a.sector;
    const Sector& t = b.sector;
    return polar_grid({.apex_z_m = t.apex_z_m,
                       .angle0_rad = std::min(s.angle0_rad, t.angle0_rad),
                       .angle1_rad = std::max(s.angle1_rad, t.angle1_rad),
                       .r0_m = std::min(s.r0_m, t.r0_m),
                       .r1_m = std::max(s.r1_m, t.r1_m)},
                      b.nx, b.nz);
  }
  return {.x0_m = std::min(a.x0_m, b.x0_m),
          .x1_m = std::max(a.x1_m, b.x1_m),
          .z0_m = std::min(a.z0_m, b.z0_m),
          .z1_m = std::max(a.z1_m, b.z1_m),
          .nx = b.nx,
          .nz = b.nz};
}

bool depths_overlap(const Grid& a, const Grid& b) { return a.z0_m < b.z1_m && b.z0_m < a.z1_m; }

bool same_probe(const Acquisition& a, const Acquisition& b) {
  constexpr double kSame_m = 1e-6;
  const auto same = [](const Element& e, const Element& f) {
    return std::abs(e.x_m - f.x_m) < kSame_m && std::abs(e.z_m - f.z_m) < kSame_m;
  };
  return std::ranges::equal(a.probe.elements, b.probe.elements, same);
}

}  // namespace echoloop
