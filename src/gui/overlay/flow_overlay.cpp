#include "gui/overlay/flow_overlay.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/units.h"
#include "gui/overlay/image_scales.h"
#include "gui/overlay/mark_drawing.h"
#include "render/raster_canvas.h"

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

void put(RgbImage& picture, int x, int y, Rgb color) {
  if (x < 0 || y < 0 || x >= picture.width || y >= picture.height) return;
  std::uint8_t* rgb = &picture.rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) +
                                        static_cast<std::size_t>(x))];
  rgb[0] = color.r, rgb[1] = color.g, rgb[2] = color.b;
}

}  // namespace

FlowOverlay::FlowOverlay(const FlowImage& flow, const ImagingParams& display) : flow_(flow), display_(display) {
  const double turn = flow.aliasing_m_s > 0.0 ? kPi / flow.aliasing_m_s : 0.0;
  sums_.reserve(flow.grid.pixels());
  for (std::size_t i = 0; i < flow.grid.pixels(); ++i) {
    const double power = std::pow(10.0, 0.1 * static_cast<double>(flow.power_db[i]));
    const double angle = turn * static_cast<double>(flow.velocity_m_s[i]);
    sums_.push_back({static_cast<float>(power), static_cast<float>(power * std::cos(angle)),
                     static_cast<float>(power * std::sin(angle))});
  }
}

std::optional<Rgb> FlowOverlay::color(PlanePoint at, float picture_db) const {
  const GridPlace place = flow_.grid.place(at.x_m, at.z_m);
  if (!flow_.grid.contains(place, 1e-3)) return std::nullopt;
  const Corners c = corners_of(flow_.grid, place);
  Sum sum{};
  for (int i = 0; i < 4; ++i) {
    const Sum& s = sums_[c.at[i]];
    sum.power += c.share[i] * s.power;
    sum.re += c.share[i] * s.re;
    sum.im += c.share[i] * s.im;
  }
  const float power_db = 10.0F * std::log10(std::max(sum.power, 1e-38F));
  if (!shows_flow(power_db, picture_db, display_)) return std::nullopt;
  if (display_.color_flow.mode == FlowMode::velocity)
    return flow_velocity_color(static_cast<double>(std::atan2(sum.im, sum.re)) / kPi);
  return flow_power_color((static_cast<double>(power_db) - display_.color_flow.threshold_db) / kFlowPowerRange_db);
}

float picture_db_at(const Image& image, PlanePoint at) {
  const Corners c = corners_of(image.grid, image.grid.place(at.x_m, at.z_m));
  float level_db = 0.0F;
  for (int i = 0; i < 4; ++i) {
    if (c.share[i] > 0.0F) level_db += c.share[i] * image.host_db[c.at[i]];
  }
  return level_db;
}

void draw_flow_in(RgbImage& picture, const Image& image, const FlowImage& flow, const ImagingParams& display) {
  if (picture.rgb.empty()) return;
  const FlowOverlay overlay(flow, display);
  const Grid& g = image.grid;
  const auto share = [](int i, int n) { return n > 1 ? static_cast<double>(i) / (n - 1) : 0.0; };
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      const PlanePoint at{g.x0_m + share(x, picture.width) * (g.x1_m - g.x0_m),
                          g.z0_m + share(y, picture.height) * (g.z1_m - g.z0_m)};
      if (g.polar() && !g.contains(g.place(at.x_m, at.z_m), 0.01)) continue;
      if (const auto color = overlay.color(at, picture_db_at(image, at))) put(picture, x, y, *color);
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
