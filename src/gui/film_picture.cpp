#include "gui/film_picture.h"

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "gui/film_caption.h"
#include "gui/flow_colors.h"
#include "gui/inks.h"
#include "gui/number_text.h"
#include "gui/ruler.h"

namespace echoloop {
namespace {

constexpr int kMaxWidth = 1920, kMaxHeight = 1080, kMinWidth = 960;
constexpr int kLeft = 96, kTop = 64, kRight = 132, kBottom = 112;  // rulers, colour bar, two lines of caption
constexpr int kFlowBar = 116;
constexpr int kLevels = 4096;
constexpr float kSmall = 20;

int even(double length) { return 2 * static_cast<int>(std::lround(0.5 * length)); }

double length_x(const Grid& g) { return std::max(g.x1_m - g.x0_m, 1e-6); }
double length_z(const Grid& g) { return std::max(g.z1_m - g.z0_m, 1e-6); }

double pixels_per_m(const Grid& g, int width, int height) {
  return std::min(width / length_x(g), height / length_z(g));
}

}  // namespace

FilmPainter::FilmPainter(FilmLook look) : look_(std::move(look)) {
  const bool flow_bar = look_.flow == FilmFlow::shown && is_overlay(look_.display.flow);
  right_ = kRight + (flow_bar ? kFlowBar : 0);
  const double scale = pixels_per_m(look_.grid, kMaxWidth - kLeft - right_, kMaxHeight - kTop - kBottom);
  width_ = std::clamp(even(length_x(look_.grid) * scale) + kLeft + right_, kMinWidth, kMaxWidth);
  height_ = std::clamp(even(length_z(look_.grid) * scale) + kTop + kBottom, kTop + kBottom + 64, kMaxHeight);
  make_levels();
}

void FilmPainter::make_levels() {
  const ImagingParams& p = look_.display;
  levels_.resize(kLevels);
  for (int i = 0; i < kLevels; ++i) {
    const double level_db = -p.gain_db - p.dynamic_range_db * (1.0 - i / (kLevels - 1.0));
    levels_[static_cast<std::size_t>(i)] = map_color(p.color_map, tone(level_db, p));
  }
}

void FilmPainter::fill(RgbPicture& picture, const PixelArea& area, Rgb color) const {
  for (int y = std::max(area.y0, 0); y < std::min(area.y1, height_); ++y) {
    for (int x = std::max(area.x0, 0); x < std::min(area.x1, width_); ++x) {
      std::uint8_t* rgb = &picture.rgb[3 * static_cast<std::size_t>(y * width_ + x)];
      rgb[0] = color.r;
      rgb[1] = color.g;
      rgb[2] = color.b;
    }
  }
}

void FilmPainter::draw_ground(const Grid& grid) {
  ground_ = {.width = width_, .height = height_, .rgb = {}};
  ground_.rgb.assign(3 * static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), 0);
  ground_grid_ = grid;
  const int room_x = width_ - kLeft - right_, room_y = height_ - kTop - kBottom;
  const double scale = pixels_per_m(grid, room_x, room_y);
  const int w = std::clamp(static_cast<int>(std::lround(length_x(grid) * scale)), 1, room_x);
  const int h = std::clamp(static_cast<int>(std::lround(length_z(grid) * scale)), 1, room_y);
  const int x0 = kLeft + (room_x - w) / 2;
  area_ = {x0, kTop, x0 + w, kTop + h};
  fill(ground_, {area_.x0 - 1, area_.y0 - 1, area_.x1 + 1, area_.y1 + 1}, ink::kEdge);
  find_places(grid);
  draw_rulers(grid);
  draw_color_bar();
}

// Of a sector, where each pixel of the picture lies in the grid; outside it: no column.
void FilmPainter::find_places(const Grid& grid) {
  places_.clear();
  if (!grid.polar()) return;
  const int w = area_.x1 - area_.x0, h = area_.y1 - area_.y0;
  places_.reserve(static_cast<std::size_t>(w) * static_cast<std::size_t>(h));
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const GridPlace at =
          grid.place(grid.x0_m + (x + 0.5) / w * length_x(grid), grid.z0_m + (y + 0.5) / h * length_z(grid));
      const bool inside = grid.contains(at, 0.0);
      places_.push_back(inside ? Place{static_cast<float>(at.column), static_cast<float>(at.row)} : Place{-1, -1});
    }
  }
}

void FilmPainter::draw_rulers(const Grid& grid) {
  const TextLook label{.em = kSmall, .color = ink::kText2};
  const auto length = [](int index) { return index == 0 ? 12 : 6; };
  const RulerAxis x = ruler_axis(grid.x0_m, grid.x1_m, area_.x1 - area_.x0, 100, 1.5);
  const double x_scale = (area_.x1 - area_.x0) / length_x(grid);
  x.each([&](double mm, int index) {
    const int at = area_.x0 + static_cast<int>(std::lround((mm * kMetresPerMillimetre - grid.x0_m) * x_scale));
    fill(ground_, {at - 1, area_.y0 - 3 - length(index), at + 1, area_.y0 - 3}, index == 0 ? ink::kText2 : ink::kTick);
    if (index != 0) return;
    const std::string text = fixed(mm, x.step.decimals);
    letters_.draw(ground_, static_cast<float>(at) - 0.5F * letters_.width(label, text),
                  static_cast<float>(area_.y0 - 32), label, text);
  });
  const RulerAxis z = ruler_axis(grid.z0_m, grid.z1_m, area_.y1 - area_.y0, 80, 1.5);
  const double z_scale = (area_.y1 - area_.y0) / length_z(grid);
  z.each([&](double mm, int index) {
    const int at = area_.y0 + static_cast<int>(std::lround((mm * kMetresPerMillimetre - grid.z0_m) * z_scale));
    fill(ground_, {area_.x0 - 3 - length(index), at - 1, area_.x0 - 3, at + 1}, index == 0 ? ink::kText2 : ink::kTick);
    if (index != 0) return;
    const std::string text = fixed(mm, z.step.decimals);
    letters_.draw(ground_, static_cast<float>(area_.x0 - 22) - letters_.width(label, text), static_cast<float>(at),
                  label, text);
  });
  const TextLook unit{.em = kSmall, .color = ink::kMuted};
  letters_.draw(ground_, static_cast<float>(area_.x0 - 36) - letters_.width(unit, "mm"),
                static_cast<float>(area_.y0 - 32), unit, "mm");
}

// Only the display window: its upper end is white (or what the map has there), its lower end black.
void FilmPainter::draw_color_bar() {
  const ImagingParams& p = look_.display;
  const PixelArea bar{area_.x1 + 28, area_.y0, area_.x1 + 48, area_.y1};
  const int h = bar.y1 - bar.y0;
  fill(ground_, {bar.x0 - 1, bar.y0 - 1, bar.x1 + 1, bar.y1 + 1}, ink::kEdge);
  for (int y = 0; y < h; ++y) {
    const auto level = static_cast<std::size_t>((kLevels - 1) * (1.0 - (y + 0.5) / h));
    fill(ground_, {bar.x0, bar.y0 + y, bar.x1, bar.y0 + y + 1}, levels_[level]);
  }
  const TextLook end{.em = kSmall, .weight = Weight::strong, .color = ink::kText},
      between{.em = kSmall, .color = ink::kText2};
  const double top_db = -p.gain_db, bottom_db = top_db - p.dynamic_range_db;
  const auto label = [&](double level_db, const TextLook& look) {
    const int y = bar.y0 + static_cast<int>(std::lround((top_db - level_db) / p.dynamic_range_db * h));
    fill(ground_, {bar.x1 + 3, y - 1, bar.x1 + 11, y + 1}, look.color);
    letters_.draw(ground_, static_cast<float>(bar.x1 + 18), static_cast<float>(y), look, fixed(level_db, 0));
  };
  label(top_db, end);
  label(bottom_db, end);
  for (double level = 20.0 * std::floor(top_db / 20.0); level > bottom_db; level -= 20.0) {
    const double nearest_px = std::min(top_db - level, level - bottom_db) / p.dynamic_range_db * h;
    if (nearest_px > 36.0) label(level, between);
  }
  letters_.draw(ground_, static_cast<float>(bar.x0), static_cast<float>(bar.y0 - 32),
                {.em = kSmall, .color = ink::kMuted}, "dB");
}

Rgb FilmPainter::color_of(float level_db) const {
  const ImagingParams& p = look_.display;
  const auto bottom_db = static_cast<float>(-p.gain_db - p.dynamic_range_db);
  const float at = (level_db - bottom_db) * static_cast<float>((kLevels - 1) / p.dynamic_range_db) + 0.5F;
  return levels_[!(at > 0.0F) ? 0 : at >= kLevels ? kLevels - 1 : static_cast<std::size_t>(at)];
}

void FilmPainter::draw_sector(const Image& image) {
  const Grid& g = image.grid;
  const int w = area_.x1 - area_.x0, h = area_.y1 - area_.y0;
  const auto tgc = tgc_db(look_.display);
  const bool flat = is_flat(tgc);
  const Place* place = places_.data();
  for (int y = 0; y < h; ++y) {
    std::uint8_t* rgb = &picture_.rgb[3 * static_cast<std::size_t>((area_.y0 + y) * width_ + area_.x0)];
    for (int x = 0; x < w; ++x, ++place, rgb += 3) {
      Rgb color;
      if (place->column >= 0.0F) {
        const int ix = std::min(static_cast<int>(place->column), std::max(g.nx - 2, 0));
        const int iz = std::min(static_cast<int>(place->row), std::max(g.nz - 2, 0));
        const int right = g.nx > 1 ? 1 : 0, below = g.nz > 1 ? g.nx : 0;
        const float* a = image.host_db + iz * g.nx + ix;
        const float fx = place->column - static_cast<float>(ix), fz = place->row - static_cast<float>(iz);
        const float upper = a[0] + fx * (a[right] - a[0]);
        const float lower = a[below] + fx * (a[below + right] - a[below]);
        const auto at = static_cast<double>(place->row) / std::max(g.nz - 1, 1);
        color = color_of(upper + fz * (lower - upper) + (flat ? 0.0F : static_cast<float>(tgc_at(tgc, at))));
      }
      rgb[0] = color.r, rgb[1] = color.g, rgb[2] = color.b;
    }
  }
}

void FilmPainter::draw_image(const Image& image) {
  if (image.grid.polar()) {
    draw_sector(image);
    return;
  }
  const Grid& g = image.grid;
  const int w = area_.x1 - area_.x0, h = area_.y1 - area_.y0;
  const auto nx = static_cast<std::size_t>(g.nx);
  const auto tgc = tgc_db(look_.display);
  row_.resize(nx + 1);
  for (int y = 0; y < h; ++y) {
    const double row = (y + 0.5) / h * (g.nz - 1);
    const auto iz = static_cast<std::size_t>(row);
    const auto fz = static_cast<float>(row - static_cast<double>(iz));
    const float* above = image.host_db + iz * nx;
    const float* below = iz + 1 < static_cast<std::size_t>(g.nz) ? above + nx : above;
    const auto gain_db = static_cast<float>(tgc_at(tgc, (y + 0.5) / h));
    for (std::size_t x = 0; x < nx; ++x) row_[x] = above[x] + fz * (below[x] - above[x]) + gain_db;
    row_[nx] = row_[nx - 1];
    std::uint8_t* rgb = &picture_.rgb[3 * static_cast<std::size_t>((area_.y0 + y) * width_ + area_.x0)];
    for (int x = 0; x < w; ++x) {
      const float column = (static_cast<float>(x) + 0.5F) / static_cast<float>(w) * static_cast<float>(g.nx - 1);
      const auto ix = static_cast<std::size_t>(column);
      const Rgb color = color_of(row_[ix] + (column - static_cast<float>(ix)) * (row_[ix + 1] - row_[ix]));
      *rgb++ = color.r;
      *rgb++ = color.g;
      *rgb++ = color.b;
    }
  }
}

void FilmPainter::draw_flow(const Image& image, const FlowImage& flow) {
  const Grid& g = image.grid;
  const FlowOverlay overlay(flow, look_.display);
  const int w = area_.x1 - area_.x0, h = area_.y1 - area_.y0;
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const PlanePoint at{g.x0_m + (x + 0.5) / w * length_x(g), g.z0_m + (y + 0.5) / h * length_z(g)};
      if (g.polar() && !g.contains(g.place(at.x_m, at.z_m), 0.0)) continue;
      const auto color = overlay.color(at, picture_db_at(image, at));
      if (color) fill(picture_, {area_.x0 + x, area_.y0 + y, area_.x0 + x + 1, area_.y0 + y + 1}, *color);
    }
  }
  const int x0 = area_.x1 + kRight;
  draw_flow_scale(picture_, letters_, {x0, area_.y0, x0 + 20, area_.y1}, flow, look_.display, kSmall);
}

const RgbPicture& FilmPainter::paint(const Image& image, const FlowImage* flow) {
  if (ground_.rgb.empty() || !(image.grid == ground_grid_)) draw_ground(image.grid);
  picture_ = ground_;
  const bool low_rank = flow != nullptr && look_.display.flow == FlowMode::low_rank;
  if (low_rank) {
    draw_image(low_rank_image(image, *flow));
  } else {
    draw_image(image);
    if (flow != nullptr) draw_flow(image, *flow);
  }
  draw_film_caption(picture_, letters_,
                    {.left = static_cast<float>(std::min(area_.x0, kLeft)),
                     .right = static_cast<float>(width_ - 24),
                     .y = static_cast<float>(height_ - kBottom + 42)},
                    look_, image);
  return picture_;
}

}  // namespace echoloop
