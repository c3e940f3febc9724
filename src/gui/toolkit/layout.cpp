#include "gui/toolkit/layout.h"

#include <algorithm>
#include <cmath>

#include "gui/toolkit/theme.h"

namespace echoloop {
namespace {

constexpr float kMinLeft = 232, kMaxLeft = 420, kMinRight = 248, kMaxRight = 480, kMinCentre = 480;
constexpr float kDefaultLeft = 296, kDefaultRight = 344, kViewLeft = 272, kViewRight = 264, kLeastWidth = 1024,
                kLeastBeside = 380;

}  // namespace

float clamp_left_width(float wanted, float logical_width, float right) {
  const float room = logical_width - right - kMinCentre;
  return std::clamp(wanted, kMinLeft, std::max(kMinLeft, std::min(kMaxLeft, room)));
}

float clamp_right_width(float wanted, float logical_width, float left) {
  const float room = logical_width - left - kMinCentre;
  return std::clamp(wanted, kMinRight, std::max(kMinRight, std::min(kMaxRight, room)));
}

WindowLayout lay_out_window(float width, float height, float scale, const ColumnWidths& widths, WindowMode mode) {
  WindowLayout l;
  const float logical = width / scale;
  l.compact = logical < theme::kCompactBelow;
  const bool view = mode == WindowMode::view;
  float left = widths.left > 0 ? widths.left : l.compact ? kMinLeft : view ? kViewLeft : kDefaultLeft;
  float right = widths.right > 0 ? widths.right : l.compact ? kMinRight : view ? kViewRight : kDefaultRight;
  if (l.compact) {  // limits widths chosen on a wide window, to keep room for the image
    left = std::min(left, kMinLeft + 0.25F * std::max(0.0F, logical - kLeastWidth));
    right = std::min(right, kMinRight + 0.25F * std::max(0.0F, logical - kLeastWidth));
  }
  left = clamp_left_width(left, logical, right);
  right = clamp_right_width(right, logical, left);
  l.right_shown = logical - left - right >= kMinCentre && !(view && l.compact);
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

namespace {

constexpr float kRoom = 12;  // margin above and below a control that is scrolled into view

}  // namespace

float Scroll::begin(Ui& ui, const char* id, const Rect& r) {
  area_ = r;
  ui.focus().scroll(id);
  if (const FocusStop* to = ui.focus().moved_to(); to != nullptr && to->scroll == id) {
    const float top = to->rect.y0 - r.y0 + offset_;
    show(top - ui.px(kRoom), top + to->rect.height() + ui.px(kRoom));
  }
  const float most = std::max(0.0F, content_ - r.height());
  hovered_ = ImGui::IsWindowHovered() && r.contains(ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y);
  const float before = offset_;
  if (hovered_) offset_ -= ImGui::GetIO().MouseWheel * ui.px(48);
  if (most > 0) {  // drag of the bar, submitted before the controls below it
    const Hit h = ui.hit(id, {r.x1 - ui.px(8), r.y0, r.x1, r.y1});
    if (h.held) offset_ += ImGui::GetIO().MouseDelta.y * content_ / std::max(r.height(), 1.0F);
  }
  moved_ = offset_ != before;
  offset_ = std::round(std::clamp(offset_, 0.0F, most));
  ImGui::PushClipRect({r.x0, r.y0}, {r.x1, r.y1}, true);
  return r.y0 - offset_;
}

void Scroll::end(Ui& ui, float bottom) {
  ui.focus().scroll({});
  ImGui::PopClipRect();
  content_ = bottom - (area_.y0 - offset_);
  if (!hovered_ || content_ <= area_.height()) return;
  const float share = area_.height() / content_;
  const float y = area_.y0 + offset_ * share;
  ui.fill({area_.x1 - ui.px(7), y, area_.x1 - ui.px(1), y + area_.height() * share}, theme::kLine2, 3);
}

void Scroll::show(float top, float bottom) {
  if (top < offset_) offset_ = top;
  if (bottom > offset_ + area_.height()) offset_ = bottom - area_.height();
}

namespace {

// Keeps parts as long as all the remaining ones have room.
class Room {
 public:
  explicit Room(float free) : free_(free) {}
  bool keeps(float width) { return free_ >= 0 || leaves(width); }
  bool leaves(float width) {
    free_ += width;
    return false;
  }

 private:
  float free_;
};

}  // namespace

StatusFit fit_status_bar(const StatusWidths& w, StatusForm form) {
  Room room(w.room - w.always - w.device - w.present - w.latency_word - w.shown - w.playing - w.backend - w.mode -
            w.reset - w.latency - w.keys - w.rate);
  const auto in_wide = [&](float width) {
    return form == StatusForm::compact ? room.leaves(width) : room.keeps(width);
  };
  StatusFit fit;
  fit.device = in_wide(w.device);
  fit.present = in_wide(w.present);
  fit.latency_word = in_wide(w.latency_word);
  fit.shown = room.keeps(w.shown);
  fit.playing = room.keeps(w.playing);
  fit.backend = room.keeps(w.backend);
  fit.mode = room.keeps(w.mode);
  fit.reset = room.keeps(w.reset);
  fit.latency = room.keeps(w.latency);
  fit.keys = room.keeps(w.keys);
  fit.rate = room.keeps(w.rate);
  return fit;
}

}  // namespace echoloop
