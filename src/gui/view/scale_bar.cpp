#include "gui/view/scale_bar.h"

#include <algorithm>
#include <cmath>

#include "gui/state/number_text.h"
#include "gui/toolkit/theme.h"

namespace echoloop {

double scale_bar_mm(const PictureLayout& l) {
  constexpr double kShare = 0.12;
  return round_up_125(kShare * static_cast<double>(l.image.width()) / l.px_per_mm());
}

// In the picture's lower left corner: the read-out is at the right, the badges of a comparison are above.
void draw_scale_bar(const Painter& p, const PictureLayout& l, ScaleBarType type) {
  const double length_mm = scale_bar_mm(l);
  const auto w = static_cast<float>(std::round(length_mm * l.px_per_mm()));
  const Type letters = type == ScaleBarType::large ? Type::large : Type::small;
  const float line = p.px(type == ScaleBarType::large ? 28 : 18), pad = p.px(8), tick = p.px(6);
  const std::string label = fixed(length_mm, decimals_of_125(length_mm)) + " mm";
  const float wide = std::max(w, p.width(letters, label)) + 2 * pad;
  const Rect box{l.image.x0 + p.px(8), l.image.y1 - p.px(8) - line - tick - pad, l.image.x0 + p.px(8) + wide,
                 l.image.y1 - p.px(8)};
  if (box.x1 > l.image.x1 || box.y0 < l.image.y0) return;
  p.fill(box, theme::kHalo, 4);
  const float x0 = std::round(box.cx() - 0.5F * w), y1 = box.y1 - pad, thick = std::max(1.0F, p.px(2));
  p.text_centred(letters, {box.x0, box.y0, box.x1, box.y0 + line}, theme::kText, label);
  p.fill({x0, y1 - thick, x0 + w, y1}, theme::kText);
  p.fill({x0, y1 - tick, x0 + thick, y1}, theme::kText);
  p.fill({x0 + w - thick, y1 - tick, x0 + w, y1}, theme::kText);
}

}  // namespace echoloop
