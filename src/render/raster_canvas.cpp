#include "render/raster_canvas.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace echoloop {
namespace {

double distance_to_segment(CanvasPoint a, CanvasPoint b, double x, double y) {
  const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  const double along = square > 0.0 ? ((x - a.x) * dx + (y - a.y) * dy) / square : 0.0;
  const double t = std::clamp(along, 0.0, 1.0);
  return std::hypot(x - (a.x + t * dx), y - (a.y + t * dy));
}

}  // namespace

// Returns the pixels touched by `area` extended by `margin`.
RasterCanvas::Pixels RasterCanvas::within(const CanvasRect& area, double margin) const {
  const auto least = [](double v) { return std::max(0, static_cast<int>(std::floor(std::max(v, -1.0)))); };
  const auto most = [](double v, int size) { return static_cast<int>(std::min(v + 1.0, static_cast<double>(size))); };
  return {least(area.x0 - margin), least(area.y0 - margin), most(area.x1 + margin, picture_.width),
          most(area.y1 + margin, picture_.height)};
}

void RasterCanvas::blend(int x, int y, const Ink& ink, double coverage) {
  std::uint8_t* rgb = &picture_.rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(picture_.width) +
                                         static_cast<std::size_t>(x))];
  const double share = ink.opacity * coverage;
  const auto mix = [share](std::uint8_t under, std::uint8_t top) {
    return static_cast<std::uint8_t>(std::lround(under + share * (top - under)));
  };
  rgb[0] = mix(rgb[0], ink.color.r);
  rgb[1] = mix(rgb[1], ink.color.g);
  rgb[2] = mix(rgb[2], ink.color.b);
}

void RasterCanvas::fill(const CanvasRect& area, const Ink& ink) {
  const auto pixel = [this](double v, int size) {
    return static_cast<int>(std::clamp(std::round(v * pixels_per_unit()), 0.0, static_cast<double>(size)));
  };
  const int x0 = pixel(area.x0, picture_.width), x1 = pixel(area.x1, picture_.width);
  for (int y = pixel(area.y0, picture_.height); y < pixel(area.y1, picture_.height); ++y) {
    for (int x = x0; x < x1; ++x) blend(x, y, ink, 1.0);
  }
}

void RasterCanvas::disc(CanvasPoint centre, double radius, const Ink& ink) {
  const double cx = centre.x * pixels_per_unit(), cy = centre.y * pixels_per_unit(), r = radius * pixels_per_unit();
  const Pixels box = within({cx - r, cy - r, cx + r, cy + r}, 1.0);
  for (int y = box.y0; y < box.y1; ++y) {
    for (int x = box.x0; x < box.x1; ++x) {
      const double covered = std::clamp(r + 0.5 - std::hypot(x + 0.5 - cx, y + 0.5 - cy), 0.0, 1.0);
      if (covered > 0.0) blend(x, y, ink, covered);
    }
  }
}

// Sets the coverage of pixels by a segment of this half width, keeping larger values.
void RasterCanvas::cover(CanvasPoint a, CanvasPoint b, double half) {
  const Pixels near =
      within({std::min(a.x, b.x), std::min(a.y, b.y), std::max(a.x, b.x), std::max(a.y, b.y)}, half + 1);
  const auto width = static_cast<std::size_t>(box_.x1 - box_.x0);
  for (int y = near.y0; y < near.y1; ++y) {
    float* row = covered_.data() + static_cast<std::size_t>(y - box_.y0) * width;
    for (int x = near.x0; x < near.x1; ++x) {
      const double away = distance_to_segment(a, b, x + 0.5, y + 0.5);
      float& pixel = row[x - box_.x0];
      pixel = std::max(pixel, static_cast<float>(std::clamp(half + 0.5 - away, 0.0, 1.0)));
    }
  }
}

void RasterCanvas::lines(const std::vector<CanvasLine>& lines, double width, const Ink& ink) {
  constexpr double kFar = std::numeric_limits<double>::max();
  const double half = 0.5 * width * pixels_per_unit();
  CanvasRect around{kFar, kFar, -kFar, -kFar};
  std::vector<CanvasLine> pixels = lines;
  for (CanvasLine& line : pixels) {
    for (CanvasPoint& p : line) {
      p = {p.x * pixels_per_unit(), p.y * pixels_per_unit()};
      around = {std::min(around.x0, p.x), std::min(around.y0, p.y), std::max(around.x1, p.x), std::max(around.y1, p.y)};
    }
  }
  if (around.x0 > around.x1) return;
  box_ = within(around, half + 2.0);
  if (box_.x0 >= box_.x1 || box_.y0 >= box_.y1) return;
  covered_.assign(static_cast<std::size_t>(box_.x1 - box_.x0) * static_cast<std::size_t>(box_.y1 - box_.y0), 0.0F);
  for (const CanvasLine& line : pixels) {
    for (std::size_t i = 1; i < line.size(); ++i) cover(line[i - 1], line[i], half);
  }
  const float* covered = covered_.data();
  for (int y = box_.y0; y < box_.y1; ++y) {
    for (int x = box_.x0; x < box_.x1; ++x, ++covered) {
      if (*covered > 0.0F) blend(x, y, ink, static_cast<double>(*covered));
    }
  }
}

void RasterCanvas::image(const CanvasRect& area, const RgbImage& picture) {
  const auto pixel = [this](double v) { return static_cast<int>(std::lround(v * pixels_per_unit())); };
  const int x0 = pixel(area.x0), y0 = pixel(area.y0), w = pixel(area.x1) - x0, h = pixel(area.y1) - y0;
  for (int y = std::max(0, -y0); y < std::min(h, picture_.height - y0); ++y) {
    const auto row = static_cast<std::size_t>(static_cast<std::int64_t>(y) * picture.height / h);
    for (int x = std::max(0, -x0); x < std::min(w, picture_.width - x0); ++x) {
      const auto column = static_cast<std::size_t>(static_cast<std::int64_t>(x) * picture.width / w);
      const std::uint8_t* rgb = &picture.rgb[3 * (row * static_cast<std::size_t>(picture.width) + column)];
      blend(x0 + x, y0 + y, {{rgb[0], rgb[1], rgb[2]}, 1.0}, 1.0);
    }
  }
}

TextLook RasterCanvas::in_pixels(TextLook look) const {
  look.em *= static_cast<float>(pixels_per_unit());
  return look;
}

double RasterCanvas::text_width(const TextLook& look, std::string_view text) {
  return static_cast<double>(rasterizer().width(in_pixels(look), text)) / pixels_per_unit();
}

double RasterCanvas::text(CanvasPoint at, const TextLook& look, TextAlign align, std::string_view text) {
  const double left = left_of(at, align, text_width(look, text)) * pixels_per_unit();
  const double right = static_cast<double>(rasterizer().draw(
      picture_, static_cast<float>(left), static_cast<float>(at.y * pixels_per_unit()), in_pixels(look), text));
  return right / pixels_per_unit();
}

}  // namespace echoloop
