#include "gui/overlay/mask_overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/timing_trace.h"

namespace echoloop {

Rgb label_color(std::size_t label) {
  static constexpr std::array<Stage, kMostLabels> kOrder = {Stage::refine,   Stage::upload,    Stage::envelope,
                                                            Stage::compress, Stage::condition, Stage::beamform,
                                                            Stage::vsync,    Stage::draw};
  const auto hex = row_of(kOrder[(label - 1) % kMostLabels]).color;
  return {static_cast<std::uint8_t>(hex >> 16), static_cast<std::uint8_t>(hex >> 8), static_cast<std::uint8_t>(hex)};
}

std::string label_text(const LabelMask& mask, std::size_t label) {
  return fmt::format("{} {:.2f} mm²", mask.names[label - 1], 1e6 * mask.area_m2[label - 1]);
}

void draw_mask_legend(Canvas& canvas, const CanvasRect& image, const LabelMask& mask, double em) {
  constexpr double kLine_em = 1.5, kChip = 0.78;
  const TextLook look{.em = static_cast<float>(em)};
  const std::size_t n = mask.names.size();
  double width = 0.0;
  for (std::size_t k = 1; k <= n; ++k) width = std::max(width, canvas.text_width(look, label_text(mask, k)));
  const double w = width + 2.4 * em, h = kLine_em * em * static_cast<double>(n) + 0.4 * em;
  if (w + em > image.width() || h + em > 0.5 * image.height()) return;
  const double up = w > 0.5 * image.width() ? 3.8 * em : 0.5 * em;  // above a scale bar
  const double x = canvas.snap(image.x0 + 0.5 * em), y = canvas.snap(image.y1 - up - h);
  canvas.fill({x, y, x + w, y + h}, {kBlack, kChip});
  for (std::size_t k = 1; k <= n; ++k) {
    const double middle = y + 0.2 * em + kLine_em * em * (static_cast<double>(k) - 0.5);
    canvas.fill({x + 0.5 * em, middle - 0.4 * em, x + 1.3 * em, middle + 0.4 * em}, {label_color(k)});
    canvas.text({x + 1.8 * em, middle}, look, TextAlign::left, label_text(mask, k));
  }
}

}  // namespace echoloop
