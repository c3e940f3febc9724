#include "gui/view/mark_chips.h"

#include <algorithm>
#include <cmath>

#include "gui/overlay/mark_drawing.h"
#include "gui/state/mark_shape.h"

namespace echoloop {
namespace {

constexpr double kGap = 3.0, kLeaderFrom = 10.0, kArm = 6.0;  // pixels at scale 1

}  // namespace

Rect wished_chip(const PictureLayout& l, const ChipWish& wish) {
  const Mark& m = *wish.mark;
  const Rect& image = l.image;
  const float w = wish.width, h = wish.height, gap = 8 * l.scale, edge = 2 * l.scale;
  const PlanePoint place = label_place(m);
  const float at_x = l.x_px(place.x_m), at_y = l.z_px(place.z_m);
  float x = at_x + gap, y = at_y + gap;
  if (is_region(m.kind)) {
    x = at_x - edge;
    y = at_y - 5 * l.scale - h;
  } else {
    const bool leftwards = m.kind != MarkKind::angle && m.points.back().x_m < m.points.front().x_m - 1e-9;
    if (leftwards || x + w > image.x1) x = at_x - gap - w;
    if (x < image.x0) x = at_x + gap;
    if (y + h > image.y1) y = at_y - gap - h;
  }
  x = std::round(std::clamp(x, image.x0 + edge, std::max(image.x0 + edge, image.x1 - w - edge)));
  y = std::round(std::clamp(y, image.y0 + edge, std::max(image.y0 + edge, image.y1 - h - edge)));
  return {x, y, x + w, y + h};
}

std::vector<PlacedChip> place_chips(const PictureLayout& l, const std::vector<ChipWish>& wishes) {
  const auto scale = static_cast<double>(l.scale);
  const auto canvas = [](const Rect& r) {
    return CanvasRect{static_cast<double>(r.x0), static_cast<double>(r.y0), static_cast<double>(r.x1),
                      static_cast<double>(r.y1)};
  };
  const ImagePlace place{canvas(l.place(l.grid)), l.grid};
  std::vector<LabelledMark> marks;
  for (const ChipWish& wish : wishes) {
    LabelledMark m = labelled(*wish.mark, place, kArm * scale);
    const CanvasRect wished = canvas(wished_chip(l, wish));
    m.half = {0.5 * wished.width(), 0.5 * wished.height()};
    m.wish = CanvasPoint{wished.x0 + m.half.x, wished.y0 + m.half.y};
    marks.push_back(std::move(m));
  }
  std::vector<PlacedChip> chips;
  const auto placed =
      place_labels(marks, canvas(l.image), {}, {.gap = kGap * scale, .leader_from = kLeaderFrom * scale});
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const auto x = static_cast<float>(std::round(placed[i].at.x - marks[i].half.x));
    const auto y = static_cast<float>(std::round(placed[i].at.y - marks[i].half.y));
    chips.push_back({.rect = {x, y, x + wishes[i].width, y + wishes[i].height},
                     .foot = placed[i].foot,
                     .leader = placed[i].leader});
  }
  return chips;
}

}  // namespace echoloop
