#include "gui/toolkit/layout.h"

#include <algorithm>
#include <cmath>

#include "gui/toolkit/theme.h"

namespace echoloop {
namespace {

constexpr float kMinLeft = 232, kMaxLeft = 420, kMinRight = 248, kMaxRight = 480, kMinCentre = 480;
constexpr float kDefaultLeft = 296, kDefaultRight = 344, kLeastWidth = 1024, kLeastBeside = 380;

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
  if (l.compact) {  // widths chosen on a wide window do not squeeze the image of a narrow one
    left = std::min(left, kMinLeft + 0.25F * std::max(0.0F, logical - kLeastWidth));
    right = std::min(right, kMinRight + 0.25F * std::max(0.0F, logical - kLeastWidth));
  }
  left = clamp_left_width(left, logical, right);
  right = clamp_right_width(right, logical, left);
  l.right_shown = logical - left - right >= kMinCentre;
  l.left_shown = logical - left >= kLeastBeside;
  if (!l.left_shown) left = 0;
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
  l.centre = {l.left_shown ? l.left.x1 + edge : 0, top, l.right_shown ? l.right.x0 - edge : width, bottom};
  return l;
}

}  // namespace echoloop
