#include "gui/view/channel_map.h"

#include <algorithm>
#include <cmath>

namespace echoloop {

ImU32 signed_color(float value) {
  constexpr float kZero[3] = {11, 13, 15}, kPlus[3] = {240, 231, 214}, kMinus[3] = {86, 134, 235};
  const float* end = value < 0 ? kMinus : kPlus;
  const float t = std::sqrt(std::min(std::abs(value), 1.0F));  // not a number: the ground
  const auto part = [&](int i) { return static_cast<unsigned int>(kZero[i] + t * (end[i] - kZero[i])); };
  return t >= 0 ? IM_COL32(part(0), part(1), part(2), 255) : IM_COL32(11, 13, 15, 255);
}

void ChannelMap::update(const std::shared_ptr<const void>& of, std::span<const float> values, int n_elements,
                        int n_time) {
  if (of == of_ || values.empty()) return;
  of_ = of;
  peak_ = 0.0F;
  for (const float v : values) peak_ = std::max(peak_, std::isfinite(v) ? std::abs(v) : 0.0F);
  const float scale = peak_ > 0.0F ? 1.0F / peak_ : 0.0F;
  colors_.resize(values.size());
  const auto columns = static_cast<std::size_t>(n_elements), rows = static_cast<std::size_t>(n_time);
  for (std::size_t e = 0; e < columns; ++e) {
    for (std::size_t k = 0; k < rows; ++k) colors_[k * columns + e] = signed_color(scale * values[e * rows + k]);
  }
  texture_.update(n_elements, n_time, colors_);
}

void ChannelMap::draw(const Ui& ui, const Plot& plot) const {
  if (texture_.id() == 0) return;
  ui.list().AddImage(compat::texture_id(texture_.id()), {plot.box.x0, plot.box.y0}, {plot.box.x1, plot.box.y1});
}

}  // namespace echoloop
