// A figure as SVG: text stays text, lines stay lines, images are PNG inside the file. Needs no library. One thread.
#pragma once

#include <string>

#include "render/canvas.h"

namespace echoloop {

struct PageSize {
  double width_pt = 0.0, height_pt = 0.0;  // 1/72 inch
};

class SvgCanvas final : public Canvas {
 public:
  SvgCanvas(TextRasterizer& rasterizer, double pixels_per_pt, PageSize size, const std::string& title,
            const std::string& description);

  void fill(const CanvasRect& area, const Ink& ink) override;
  void disc(CanvasPoint centre, double radius, const Ink& ink) override;
  void lines(const std::vector<CanvasLine>& lines, double width, const Ink& ink) override;
  void image(const CanvasRect& area, const RgbImage& picture) override;
  double text(CanvasPoint at, const TextLook& look, TextAlign align, std::string_view text) override;

  [[nodiscard]] std::string file() const { return body_ + "</svg>\n"; }

 private:
  std::string body_;
};

}  // namespace echoloop
