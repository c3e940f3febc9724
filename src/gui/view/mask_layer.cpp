#include "gui/view/mask_layer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/gl/imgui_compat.h"
#include "gui/toolkit/theme.h"

namespace echoloop {
namespace {

constexpr int kSectorSide = 768;  // pixels of a sector's texture

// Returns the index of the pixel at each of kSectorSide x kSectorSide points of a sector's box; -1: outside.
std::vector<std::int32_t> sector_places(const Grid& grid) {
  std::vector<std::int32_t> places;
  places.reserve(static_cast<std::size_t>(kSectorSide) * kSectorSide);
  for (int y = 0; y < kSectorSide; ++y) {
    for (int x = 0; x < kSectorSide; ++x) {
      const GridPlace at = grid.place(grid.x0_m + (x + 0.5) / kSectorSide * grid.width_m(),
                                      grid.z0_m + (y + 0.5) / kSectorSide * grid.height_m());
      const auto near = [](double v, int n) { return std::clamp<long>(std::lround(v), 0, n - 1); };
      places.push_back(grid.contains(at, 0.0)
                           ? static_cast<std::int32_t>(near(at.row, grid.nz) * grid.nx + near(at.column, grid.nx))
                           : -1);
    }
  }
  return places;
}

void draw_legend(Ui& ui, const Rect& image, const LabelMask& mask, Type letters) {
  const float inset = ui.px(10), line = ui.px(letters == Type::small ? 18 : 28), mark = 0.6F * line;
  float width = 0;
  for (std::size_t k = 1; k <= mask.names.size(); ++k) width = std::max(width, ui.width(letters, label_text(mask, k)));
  const float w = width + 2 * line, h = line * static_cast<float>(mask.names.size()) + ui.px(6);
  if (w + 2 * inset > image.width() || h + 2 * inset > 0.5F * image.height()) return;
  const float up = w > 0.55F * image.width() ? 2.6F * line : inset;  // above the scale bar
  const Rect box{image.x1 - inset - w, image.y1 - up - h, image.x1 - inset, image.y1 - up};
  ui.fill(box, theme::kChip, 4);
  for (std::size_t k = 1; k <= mask.names.size(); ++k) {
    const float y = box.y0 + ui.px(3) + line * static_cast<float>(k - 1);
    const Rgb c = label_color(k);
    const float x = box.x0 + 0.4F * line;
    ui.fill({x, y + 0.5F * (line - mark), x + mark, y + 0.5F * (line + mark)}, IM_COL32(c.r, c.g, c.b, 255), 2);
    ui.text(letters, box.x0 + 1.4F * line, y, line, theme::kText, label_text(mask, k));
  }
}

}  // namespace

void MaskLayer::color(const LabelMask& mask, double opacity) {
  std::array<std::uint32_t, 256> colors{};
  for (std::size_t k = 1; k <= mask.names.size(); ++k) {
    const Rgb c = label_color(k);
    colors[k] = IM_COL32(c.r, c.g, c.b, static_cast<std::uint32_t>(std::lround(255.0 * opacity)));
  }
  const Grid& g = mask.grid;
  if (!g.polar()) {
    colors_.resize(mask.labels.size());
    std::ranges::transform(mask.labels, colors_.begin(), [&](std::uint8_t k) { return colors[k]; });
    return texture_.update(g.nx, g.nz, colors_);
  }
  if (places_.empty() || !(sector_ == g)) places_ = sector_places(g), sector_ = g;
  colors_.resize(places_.size());
  std::ranges::transform(places_, colors_.begin(), [&](std::int32_t at) {
    return at < 0 ? 0U : colors[mask.labels[static_cast<std::size_t>(at)]];
  });
  texture_.update(kSectorSide, kSectorSide, colors_);
}

void MaskLayer::draw(Ui& ui, const ImageLayout& layout, const Image& image, const DisplayParams& display,
                     const Place& place) {
  const LabelMask* const mask = shown_mask(image, display);
  if (mask == nullptr) return of_.reset();
  if (of_ != image.mask || opacity_ != display.mask_opacity) color(*mask, display.mask_opacity);
  of_ = image.mask, opacity_ = display.mask_opacity;
  const Grid& g = mask->grid;  // of a Cartesian one the outermost pixels end half a step beyond their centres
  const double dx = g.polar() ? 0.0 : 0.5 * g.dx_m(), dz = g.polar() ? 0.0 : 0.5 * g.dz_m();
  const Rect& r = layout.image;
  const Rect seen{std::max(place.x0, r.x0), r.y0, std::min(place.x1, r.x1), r.y1};
  ui.list().PushClipRect({seen.x0, seen.y0}, {seen.x1, seen.y1}, true);
  ui.list().AddImage(compat::texture_id(texture_.id()), {layout.x_px(g.x0_m - dx), layout.z_px(g.z0_m - dz)},
                     {layout.x_px(g.x1_m + dx), layout.z_px(g.z1_m + dz)});
  draw_legend(ui, {seen.x0, seen.y0, seen.x1, place.legend_y}, *mask, place.letters);
  ui.list().PopClipRect();
}

}  // namespace echoloop
