#include "gui/overlay/flow_overlay.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/units.h"
#include "gui/overlay/image_scales.h"
#include "gui/overlay/mark_drawing.h"
#include "render/canvas.h"

namespace echoloop {
namespace {

// Four pixels around a position, and their weights.
struct Corners {
  std::size_t at[4];
  float share[4];
};

Corners corners_of(const Grid& grid, GridPlace place) {
  const double column = std::clamp(place.column, 0.0, grid.nx - 1.0), row = std::clamp(place.row, 0.0, grid.nz - 1.0);
  const auto last_x = static_cast<std::size_t>(grid.nx) - 1, last_z = static_cast<std::size_t>(grid.nz) - 1;
  const auto x0 = static_cast<std::size_t>(column), z0 = static_cast<std::size_t>(row);
  const std::size_t x1 = std::min(x0 + 1, last_x), z1 = std::min(z0 + 1, last_z), nx = last_x + 1;
  const auto fx = static_cast<float>(column - static_cast<double>(x0));
  const auto fz = static_cast<float>(row - static_cast<double>(z0));
  return {{z0 * nx + x0, z0 * nx + x1, z1 * nx + x0, z1 * nx + x1},
          {(1 - fx) * (1 - fz), fx * (1 - fz), (1 - fx) * fz, fx * fz}};
}

}  // namespace

FlowOverlay::FlowOverlay(const FlowImage& flow, const ImagingParams& display) : flow_(flow), display_(display) {
  const double turn = flow.aliasing_m_s > 0.0 ? kPi / flow.aliasing_m_s : 0.0;
  sums_.reserve(flow.grid.pixels());
  for (std::size_t i = 0; i < flow.grid.pixels(); ++i) {
    const double power = std::pow(10.0, 0.1 * static_cast<double>(flow.power_db[i]));
    const double angle = turn * static_cast<double>(flow.velocity_m_s[i]);
    sums_.push_back({static_cast<float>(power), static_cast<float>(power * std::cos(angle)),
                     static_cast<float>(power * std::sin(angle)), flow.mask_db[i]});
  }
}

float FlowOverlay::blend(std::uint8_t* rgb, PlanePoint at, float tissue_db) const {
  const GridPlace place = flow_.grid.place(at.x_m, at.z_m);
  if (!flow_.grid.contains(place, 1e-3)) return 0.0F;
  const Corners c = corners_of(flow_.grid, place);
  Sum sum{};
  for (int i = 0; i < 4; ++i) {
    const Sum& s = sums_[c.at[i]];
    sum.power += c.share[i] * s.power;
    sum.re += c.share[i] * s.re;
    sum.im += c.share[i] * s.im;
    sum.mask_db += c.share[i] * s.mask_db;
  }
  const float opacity = flow_opacity(sum.mask_db, tissue_db, display_);
  if (opacity <= 0.0F) return 0.0F;
  const double power_db = 10.0 * std::log10(std::max(static_cast<double>(sum.power), 1e-38));
  const Rgb color = display_.color_flow.mode == FlowMode::velocity
                        ? flow_velocity_color(static_cast<double>(std::atan2(sum.im, sum.re)) / kPi)
                        : flow_power_color((power_db - display_.color_flow.threshold_db) / kFlowPowerRange_db);
  const std::uint8_t over[3] = {color.r, color.g, color.b};
  for (int i = 0; i < 3; ++i) {
    const auto below = static_cast<float>(rgb[i]);
    rgb[i] = static_cast<std::uint8_t>(std::lround(below + opacity * (static_cast<float>(over[i]) - below)));
  }
  return opacity;
}

TissueLevels::TissueLevels(const Image& image) : grid_(image.grid), db_(image.grid.pixels(), 0.0F) {
  const int nx = grid_.nx, nz = grid_.nz;
  const auto columns = static_cast<std::size_t>(nx);
  for (int iz = 0; iz < nz; ++iz) {
    float* const out = db_.data() + static_cast<std::size_t>(iz) * columns;
    for (const int dz : {-2, 0, 2}) {
      const float* const row = image.host_db + static_cast<std::size_t>(std::clamp(iz + dz, 0, nz - 1)) * columns;
      for (int ix = 0; ix < nx; ++ix) {
        for (const int dx : {-2, 0, 2}) out[ix] += std::max(kLeastMask_db, row[std::clamp(ix + dx, 0, nx - 1)]) / 9.0F;
      }
    }
  }
}

float TissueLevels::at(PlanePoint point) const {
  const Corners c = corners_of(grid_, grid_.place(point.x_m, point.z_m));
  float level_db = 0.0F;
  for (int i = 0; i < 4; ++i) {
    if (c.share[i] > 0.0F) level_db += c.share[i] * db_[c.at[i]];
  }
  return level_db;
}

void draw_flow_in(RgbImage& picture, const Image& image, const FlowImage& flow, const ImagingParams& display) {
  if (picture.rgb.empty()) return;
  const FlowOverlay overlay(flow, display);
  const TissueLevels tissue(image);
  const Grid& g = image.grid;
  const auto share = [](int i, int n) { return n > 1 ? static_cast<double>(i) / (n - 1) : 0.0; };
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      const PlanePoint at{g.x0_m + share(x, picture.width) * (g.x1_m - g.x0_m),
                          g.z0_m + share(y, picture.height) * (g.z1_m - g.z0_m)};
      if (g.polar() && !g.contains(g.place(at.x_m, at.z_m), 0.01)) continue;
      const std::size_t pixel =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) + static_cast<std::size_t>(x);
      overlay.blend(&picture.rgb[3 * pixel], at, tissue.at(at));
    }
  }
}

Image low_rank_image(const Image& image, const FlowImage& flow) {
  Image low_rank = image;
  low_rank.grid = flow.grid;
  low_rank.host_db = const_cast<float*>(flow.low_rank_db.data());  // Image has writable pixels, these are const
  return low_rank;
}

void add_flow_scale(RgbImage& picture, const FlowImage& flow, const ImagingParams& display) {
  if (picture.rgb.empty()) return;
  enlarge_to_read(picture);
  const auto em = static_cast<float>(std::clamp(0.018 * std::max(picture.width, picture.height), 11.0, 24.0));
  const auto ems = [em](double n) { return static_cast<int>(n * static_cast<double>(em)); };
  const int width = picture.width + ems(6.5);
  RgbImage wide{.width = width, .height = picture.height, .rgb = {}};
  wide.rgb.resize(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(picture.height));
  const auto row = 3 * static_cast<std::size_t>(picture.width);
  for (int y = 0; y < picture.height; ++y) {
    const auto from = static_cast<std::size_t>(y);
    std::copy_n(picture.rgb.data() + from * row, row, wide.rgb.data() + 3 * from * static_cast<std::size_t>(width));
  }
  const int x0 = picture.width + ems(1.2), above = ems(3), below = ems(1.5);
  const CanvasRect bar{static_cast<double>(x0), static_cast<double>(above), static_cast<double>(x0 + ems(1)),
                       static_cast<double>(std::max(above + 8, picture.height - below))};
  TextRasterizer rasterizer;
  RasterCanvas canvas(wide, rasterizer);
  const double tick = std::max(2, static_cast<int>(0.4F * em));
  draw_flow_bar(canvas, bar, flow, display, {.em = static_cast<double>(em)},
                {.away = 3, .length = tick, .thickness = 1});
  picture = std::move(wide);
}

}  // namespace echoloop
