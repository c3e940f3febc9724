// Figure as SVG: text and lines as such, images as embedded PNG. Needs no library. One thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

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

// Figure as PDF by cairo: text that can be selected and searched, in the fonts of the window, lines, and images at the
// canvas's resolution. Without cairo in the build, why_no_pdf() has a reason. One thread.

[[nodiscard]] std::string why_no_pdf();  // empty: PDF is supported

class PdfCanvas final : public Canvas {
 public:
  // Throws Error if why_no_pdf() has a reason, and if cairo fails.
  PdfCanvas(TextRasterizer& rasterizer, double pixels_per_pt, PageSize size, const std::string& title,
            const std::string& description);
  ~PdfCanvas() override;

  void fill(const CanvasRect& area, const Ink& ink) override;
  void disc(CanvasPoint centre, double radius, const Ink& ink) override;
  void lines(const std::vector<CanvasLine>& lines, double width, const Ink& ink) override;
  void image(const CanvasRect& area, const RgbImage& picture) override;
  double text(CanvasPoint at, const TextLook& look, TextAlign align, std::string_view text) override;

  std::vector<std::byte> file();  // once, after the last drawing

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace echoloop
