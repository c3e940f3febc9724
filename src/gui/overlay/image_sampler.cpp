#include "gui/overlay/image_sampler.h"

#include <algorithm>
#include <cmath>

#include "gui/overlay/image_scales.h"
#include "gui/overlay/mask_overlay.h"
#include "gui/overlay/transfer_function.h"
#include "gui/state/shown_display.h"

namespace echoloop {
namespace {

constexpr int kLevels = 4096;

std::uint8_t* pixel_at(RgbImage& picture, int x, int y) {
  return &picture.rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) +
                           static_cast<std::size_t>(x))];
}

}  // namespace

ImageSampler::ImageSampler(const ImagingParams& params, EndsAt ends)
    : params_(as_shown(params)), ends_(ends), levels_(kLevels) {
  const DisplayParams& display = params_.display;
  const TransferCurve curve = transfer_curve(display);
  first_db_ = static_cast<float>(curve.first_db);
  per_db_ = static_cast<float>((kLevels - 1) / curve.span_db);
  below_ = map_color(display.color_map, static_cast<double>(curve.t[0]));
  for (int i = 0; i < kLevels; ++i) {
    const double level_db = curve.first_db + curve.span_db * (i / (kLevels - 1.0));
    levels_[static_cast<std::size_t>(i)] = map_color(display.color_map, transfer(level_db, display));
  }
}

// Finds the grid position of each pixel of a sector's image.
void ImageSampler::find_places(const Grid& grid, int w, int h) {
  if (grid == places_grid_ && w == places_width_ && h == places_height_) return;
  places_grid_ = grid;
  places_width_ = w;
  places_height_ = h;
  const double margin = ends_ == EndsAt::edges ? 0.0 : 0.01;  // of the rounding of end points
  const auto within = [](double at, int n) { return static_cast<float>(std::clamp(at, 0.0, n - 1.0)); };
  places_.clear();
  places_.reserve(static_cast<std::size_t>(w) * static_cast<std::size_t>(h));
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const GridPlace at =
          grid.place(grid.x0_m + share(x, w) * grid.width_m(), grid.z0_m + share(y, h) * grid.height_m());
      const bool inside = grid.contains(at, margin);
      places_.push_back(inside ? Place{within(at.column, grid.nx), within(at.row, grid.nz)} : Place{-1, -1});
    }
  }
}

Rgb ImageSampler::color_of(float level_db) const {
  if (!(level_db >= first_db_)) return below_;
  const float at = (level_db - first_db_) * per_db_ + 0.5F;
  return levels_[at >= kLevels ? kLevels - 1 : static_cast<std::size_t>(at)];
}

float ImageSampler::level_db(const Place& place, const Image& image) {
  const Grid& g = image.grid;
  const int ix = std::min(static_cast<int>(place.column), std::max(g.nx - 2, 0));
  const int iz = std::min(static_cast<int>(place.row), std::max(g.nz - 2, 0));
  const int right = g.nx > 1 ? 1 : 0, below = g.nz > 1 ? g.nx : 0;
  const float* a = image.host_db + iz * g.nx + ix;
  const float fx = place.column - static_cast<float>(ix), fz = place.row - static_cast<float>(iz);
  const float upper = a[0] + fx * (a[right] - a[0]);
  const float lower = a[below] + fx * (a[below + right] - a[below]);
  return upper + fz * (lower - upper);
}

void ImageSampler::sample(std::vector<float>& db, int width, int height, const Image& image) {
  find_places(image.grid, width, height);
  db.resize(places_.size());
  std::ranges::transform(places_, db.begin(), [&](const Place& place) {
    return place.column >= 0.0F ? level_db(place, image) : static_cast<float>(kNoEcho_db);
  });
}

void ImageSampler::draw_sector(RgbImage& picture, const PixelArea& area, const Image& image) {
  const int w = area.x1 - area.x0, h = area.y1 - area.y0;
  find_places(image.grid, w, h);
  const auto tgc = params_.display.tgc_db;
  const bool flat = is_flat(tgc);
  const Place* place = places_.data();
  for (int y = 0; y < h; ++y) {
    std::uint8_t* rgb = pixel_at(picture, area.x0, area.y0 + y);
    for (int x = 0; x < w; ++x, ++place, rgb += 3) {
      Rgb color;
      if (place->column >= 0.0F) {
        const auto at = static_cast<double>(place->row) / std::max(image.grid.nz - 1, 1);
        color = color_of(level_db(*place, image) + (flat ? 0.0F : static_cast<float>(tgc_at(tgc, at))));
      }
      rgb[0] = color.r, rgb[1] = color.g, rgb[2] = color.b;
    }
  }
}

void ImageSampler::draw_levels(RgbImage& picture, const PixelArea& area, const Image& image) {
  if (image.grid.polar()) {
    draw_sector(picture, area, image);
    return;
  }
  const Grid& g = image.grid;
  const int w = area.x1 - area.x0, h = area.y1 - area.y0;
  const auto nx = static_cast<std::size_t>(g.nx);
  const float first = ends_ == EndsAt::edges ? 0.5F : 0.0F;
  const auto width = static_cast<float>(ends_ == EndsAt::edges ? w : std::max(w - 1, 1));
  const auto tgc = params_.display.tgc_db;
  row_.resize(nx + 1);
  for (int y = 0; y < h; ++y) {
    const double row = share(y, h) * (g.nz - 1);
    const auto iz = static_cast<std::size_t>(row);
    const auto fz = static_cast<float>(row - static_cast<double>(iz));
    const float* above = image.host_db + iz * nx;
    const float* below = iz + 1 < static_cast<std::size_t>(g.nz) ? above + nx : above;
    const auto gain_db = static_cast<float>(tgc_at(tgc, share(y, h)));
    for (std::size_t x = 0; x < nx; ++x) row_[x] = above[x] + fz * (below[x] - above[x]) + gain_db;
    row_[nx] = row_[nx - 1];
    std::uint8_t* rgb = pixel_at(picture, area.x0, area.y0 + y);
    for (int x = 0; x < w; ++x) {
      const float column = (static_cast<float>(x) + first) / width * static_cast<float>(g.nx - 1);
      const auto ix = static_cast<std::size_t>(column);
      const Rgb color = color_of(row_[ix] + (column - static_cast<float>(ix)) * (row_[ix + 1] - row_[ix]));
      *rgb++ = color.r;
      *rgb++ = color.g;
      *rgb++ = color.b;
    }
  }
}

void ImageSampler::draw_flow(RgbImage& picture, const PixelArea& area, const Image& image,
                             const FlowImage& flow) const {
  const Grid& g = image.grid;
  const FlowOverlay overlay(flow, params_);
  const TissueLevels tissue(image);
  const int w = area.x1 - area.x0, h = area.y1 - area.y0;
  for (int y = 0; y < h; ++y) {
    std::uint8_t* rgb = pixel_at(picture, area.x0, area.y0 + y);
    for (int x = 0; x < w; ++x, rgb += 3) {
      const PlanePoint at{g.x0_m + share(x, w) * g.width_m(), g.z0_m + share(y, h) * g.height_m()};
      if (g.polar() && !g.contains(g.place(at.x_m, at.z_m), 0.0)) continue;
      overlay.blend(rgb, at, tissue.at(at));
    }
  }
}

void ImageSampler::draw_mask(RgbImage& picture, const PixelArea& area, const Image& image) {
  const LabelMask* const mask = shown_mask(image, params_.display);
  if (mask == nullptr) return;
  find_places(mask->grid, area.x1 - area.x0, area.y1 - area.y0);
  const Place* place = places_.data();
  for (int y = area.y0; y < area.y1; ++y) {
    std::uint8_t* rgb = pixel_at(picture, area.x0, y);
    for (int x = area.x0; x < area.x1; ++x, ++place, rgb += 3) {
      if (place->column < 0.0F) continue;
      const auto pixel = static_cast<std::size_t>(std::lround(place->row)) * static_cast<std::size_t>(mask->grid.nx) +
                         static_cast<std::size_t>(std::lround(place->column));
      if (mask->labels[pixel] == 0) continue;
      const Rgb over = label_color(mask->labels[pixel]);
      const auto mix = [&](std::uint8_t below, std::uint8_t above) {
        return static_cast<std::uint8_t>(std::lround(below + params_.display.mask_opacity * (above - below)));
      };
      rgb[0] = mix(rgb[0], over.r), rgb[1] = mix(rgb[1], over.g), rgb[2] = mix(rgb[2], over.b);
    }
  }
}

void ImageSampler::draw(RgbImage& picture, const PixelArea& area, const Image& image, const ImageOverlays& over) {
  const FlowImage* const flow = over.flow;
  const bool low_rank = flow != nullptr && params_.color_flow.mode == FlowMode::low_rank;
  draw_levels(picture, area, low_rank ? low_rank_image(image, *flow) : image);
  if (flow != nullptr && is_overlay(params_.color_flow.mode)) draw_flow(picture, area, image, *flow);
  if (over.map != nullptr) draw_map_in(picture, area, image.grid, *over.map);
  draw_mask(picture, area, image);
  if (params_.display.mirrored == Mirrored::on) mirror(picture, area);
}

void mirror(RgbImage& picture, const PixelArea& area) {
  for (int y = area.y0; y < area.y1; ++y) {
    for (int x = area.x0, to = area.x1 - 1; x < to; ++x, --to) {
      std::swap_ranges(pixel_at(picture, x, y), pixel_at(picture, x, y) + 3, pixel_at(picture, to, y));
    }
  }
}

}  // namespace echoloop
