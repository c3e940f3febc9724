// Drawing surface of figures: fills, lines, text and images, with the same calls for pixels (raster_canvas.h), SVG and
// PDF (history/). Lengths are in units of the canvas, x to the right, y down: pixels of a raster, points (1/72 inch) of
// SVG and PDF. One thread at a time.
#pragma once

#include <cmath>
#include <string_view>
#include <vector>

#include "render/text_rasterizer.h"

namespace echoloop {

struct CanvasPoint {
  double x = 0.0, y = 0.0;
};

struct CanvasRect {
  double x0 = 0.0, y0 = 0.0, x1 = 0.0, y1 = 0.0;
  [[nodiscard]] double width() const { return x1 - x0; }
  [[nodiscard]] double height() const { return y1 - y0; }
  [[nodiscard]] CanvasRect grown(double by) const { return {x0 - by, y0 - by, x1 + by, y1 + by}; }
  [[nodiscard]] bool contains(CanvasPoint p) const { return p.x >= x0 && p.x <= x1 && p.y >= y0 && p.y <= y1; }
  [[nodiscard]] bool overlaps(const CanvasRect& r) const { return x0 < r.x1 && r.x0 < x1 && y0 < r.y1 && r.y0 < y1; }
};

using CanvasLine = std::vector<CanvasPoint>;

struct Ink {
  Rgb color;
  double opacity = 1.0;
};

enum class TextAlign { left, centre, right };

class Canvas {
 public:
  // `rasterizer` must outlive the canvas. `pixels_per_unit`: of images drawn on it.
  Canvas(TextRasterizer& rasterizer, double pixels_per_unit)
      : rasterizer_(rasterizer), pixels_per_unit_(pixels_per_unit) {}
  virtual ~Canvas() = default;
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  virtual void fill(const CanvasRect& area, const Ink& ink) = 0;
  virtual void disc(CanvasPoint centre, double radius, const Ink& ink) = 0;
  // Draws all lines as one: ink is not applied twice at crossings.
  virtual void lines(const std::vector<CanvasLine>& lines, double width, const Ink& ink) = 0;
  virtual void image(const CanvasRect& area, const RgbImage& picture) = 0;  // the whole image, filling the area
  // Centres capitals on at.y. Returns the right edge.
  virtual double text(CanvasPoint at, const TextLook& look, TextAlign align, std::string_view text) = 0;

  [[nodiscard]] virtual double text_width(const TextLook& look, std::string_view text) {
    return static_cast<double>(rasterizer_.width(look, text));
  }
  [[nodiscard]] double pixels_per_unit() const { return pixels_per_unit_; }
  // Returns the nearest edge of an image pixel, so that scales meet adjacent images.
  [[nodiscard]] double snap(double v) const { return std::round(v * pixels_per_unit_) / pixels_per_unit_; }

 protected:
  [[nodiscard]] TextRasterizer& rasterizer() { return rasterizer_; }
  [[nodiscard]] double left_of(CanvasPoint at, TextAlign align, double width) const {
    return align == TextAlign::left ? at.x : align == TextAlign::right ? at.x - width : at.x - 0.5 * width;
  }

 private:
  TextRasterizer& rasterizer_;
  double pixels_per_unit_;
};

}  // namespace echoloop
