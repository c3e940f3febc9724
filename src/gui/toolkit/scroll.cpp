#include "gui/toolkit/scroll.h"

#include <algorithm>
#include <cmath>

namespace echoloop {
namespace {

constexpr float kRoom = 12;  // that a control which is scrolled into view has above and below

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
  if (most > 0) {  // the bar's own drag, submitted before what lies under it
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

}  // namespace echoloop
