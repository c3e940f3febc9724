#include "app/outputs/screen_image.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "gui/overlay/image_scales.h"
#include "gui/state/shown_display.h"

namespace echoloop {
namespace {

bool is_gray(const ImagingParams& params) {
  const ColorMap map = shown_display(params.formation, params.display).color_map;
  return (map == ColorMap::gray || map == ColorMap::inverted) && !is_overlay(params.color_flow.mode);
}

// Returns false for flow of an earlier mode.
bool fits(const FlowImage& flow, FlowMode mode) {
  if (flow.number == 0 || mode == FlowMode::off || flow.params.color_flow.mode != mode) return false;
  return mode == FlowMode::low_rank ? flow.low_rank_db.size() == flow.grid.pixels()
                                    : flow.power_db.size() == flow.grid.pixels() && !flow.mask_db.empty();
}

}  // namespace

ScreenImage screen_of(const Grid& g, ScreenPixels pixels) {
  if (pixels == ScreenPixels::of_grid && !g.polar())
    return {.width = g.nx,
            .height = g.nz,
            .x0_m = g.x0_m,
            .z0_m = g.z0_m,
            .step_m = g.dx_m(),
            .step_z_m = g.dz_m(),
            .values = {}};
  constexpr int kTried = 32;
  const double width_m = g.width_m(), height_m = g.height_m();
  double step_m = std::min(g.nx > 1 ? g.dx_m() : width_m, g.nz > 1 ? g.dz_m() : height_m);
  if (g.polar()) step_m = g.nz > 1 ? (g.sector.r1_m - g.sector.r0_m) / (g.nz - 1) : width_m;
  step_m = std::max(step_m, std::max(width_m, height_m) / (kMaxGridSide - kTried));
  const auto first = std::max(1, static_cast<int>(std::lround(width_m / step_m)));
  int steps = first;
  double rest = 1.0;
  for (int n = first; n < first + kTried; ++n) {
    const double down = height_m * n / width_m;
    if (std::abs(down - std::round(down)) + 1e-6 < rest) {
      rest = std::abs(down - std::round(down));
      steps = n;
    }
  }
  return {.width = steps + 1,
          .height = static_cast<int>(std::lround(height_m * steps / width_m)) + 1,
          .x0_m = g.x0_m,
          .z0_m = g.z0_m,
          .step_m = width_m / steps,
          .step_z_m = width_m / steps,
          .values = {}};
}

ImageSampler& ScreenPainter::sampler_of(const ImagingParams& params) {
  if (!sampler_ || !(params_ == params)) {
    params_ = params;
    ImagingParams shown = params;
    shown.display.mirrored = Mirrored::off;
    shown.display.mask_opacity = 0.0;
    sampler_.emplace(shown, EndsAt::centres);
  }
  return *sampler_;
}

void ScreenPainter::paint(const Image& image, const FlowImage* flow, ScreenImage& into, ScreenPixels shape) {
  std::vector<std::uint8_t> values = std::move(into.values);
  into = screen_of(image.grid, shape);
  into.channels = is_gray(image.params) ? 1 : 3;
  const std::size_t pixels = static_cast<std::size_t>(into.width) * static_cast<std::size_t>(into.height);
  rgb_.width = into.width;
  rgb_.height = into.height;
  rgb_.rgb.resize(3 * pixels);
  const bool over = flow != nullptr && fits(*flow, image.params.color_flow.mode);
  sampler_of(image.params).draw(rgb_, {0, 0, into.width, into.height}, image, {.flow = over ? flow : nullptr});
  if (into.channels == 3) {
    values.swap(rgb_.rgb);
  } else {
    values.resize(pixels);
    for (std::size_t i = 0; i < pixels; ++i) values[i] = rgb_.rgb[3 * i];
  }
  into.values = std::move(values);
}

void ScreenPainter::sample(const Image& image, const ScreenImage& at, std::vector<float>& db) {
  sampler_of(image.params).sample(db, at.width, at.height, image);
}

}  // namespace echoloop
