#include <algorithm>

#include "gui/toolkit/theme.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

void Tooltip::offer(ImGuiID id, const Rect& control, const Tip& tip) {
  candidate_ = id;
  control_ = control;
  beside_ = column_;
  title_ = tip.title;
  text_ = tip.why_not.empty() ? tip.text : tip.why_not;
}

void Tooltip::end_frame(Painter& painter) {
  constexpr double kDelay_s = 0.4, kAfterDrag_s = 1.0;
  const double now = ImGui::GetTime();
  column_ = {};
  if (ImGui::IsAnyItemActive()) {
    id_ = candidate_;
    since_s_ = now + kAfterDrag_s - kDelay_s;
  } else if (candidate_ != id_) {
    id_ = candidate_;
    since_s_ = std::max(since_s_, now);  // not sooner after a drag to another control
  }
  waits_ = id_ != 0 && now - since_s_ < kDelay_s;
  if (id_ != 0 && !waits_) draw(painter);
}

void Tooltip::draw(Painter& p) const {
  ImDrawList* under = p.swap_list(ImGui::GetForegroundDrawList());
  const float pad = p.px(12), line = p.px(20), widest = p.px(320) - 2 * pad;
  const float wanted = std::max(p.width(Type::strong, title_), std::min(p.width(Type::body, text_), widest));
  const float wrap = std::min(wanted, widest) + 1;
  const float w = wrap + 2 * pad;
  const float title = p.paragraph_height(Type::strong, wrap, line, title_);
  const float h = title + p.paragraph_height(Type::body, wrap, line, text_) + 2 * pad - p.px(4);
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  float x = control_.x0;
  float y = control_.y1 + p.px(6);
  if (y + h > screen.y - p.px(4)) y = control_.y0 - p.px(6) - h;
  const float gap = p.px(8);
  if (beside_.width() > 0 && std::max(beside_.x0, screen.x - beside_.x1) > w + 2 * gap) {
    x = screen.x - beside_.x1 > w + 2 * gap ? beside_.x1 + gap : beside_.x0 - gap - w;
    y = std::min(control_.y0, screen.y - h - p.px(4));
  }
  x = std::max(p.px(4), std::min(x, screen.x - w - p.px(4)));
  y = std::max(p.px(4), y);
  const Rect box{x, y, x + w, y + h};
  p.fill(box, theme::kHover, 6);
  p.outline(box, theme::kLine2, 6);
  p.paragraph(Type::strong, x + pad, y + pad - p.px(2), wrap, line, theme::kText, title_);
  p.paragraph(Type::body, x + pad, y + pad - p.px(2) + title, wrap, line, theme::kText2, text_);
  p.swap_list(under);
}

}  // namespace echoloop
