// Canvas of pixels: films, figures as PNG, and marks in saved images. One thread at a time.
#pragma once

#include "render/canvas.h"

namespace echoloop {

class RasterCanvas final : public Canvas {
 public:
  // Draws into `picture`; both must outlive the canvas. A unit is `pixels_per_unit` pixels; pixel 0 spans 0 to 1.
  RasterCanvas(RgbImage& picture, TextRasterizer& rasterizer, double pixels_per_unit = 1.0)
      : Canvas(rasterizer, pixels_per_unit), picture_(picture) {}

  void fill(const CanvasRect& area, const Ink& ink) override;  // whole pixels
  void disc(CanvasPoint centre, double radius, const Ink& ink) override;
  void lines(const std::vector<CanvasLine>& lines, double width, const Ink& ink) override;
  void image(const CanvasRect& area, const RgbImage& picture) override;
  double text(CanvasPoint at, const TextLook& look, TextAlign align, std::string_view text) override;
  [[nodiscard]] double text_width(const TextLook& look, std::string_view text) override;

 private:
  struct Pixels {
    int x0, y0, x1, y1;
  };
  [[nodiscard]] Pixels within(const CanvasRect& area, double margin) const;  // `area` in pixels
  void cover(CanvasPoint a, CanvasPoint b, double half);
  void blend(int x, int y, const Ink& ink, double coverage);
  [[nodiscard]] TextLook in_pixels(TextLook look) const;

  RgbImage& picture_;
  Pixels box_{};                // of covered_
  std::vector<float> covered_;  // [height][width] of box_
};

}  // namespace echoloop
