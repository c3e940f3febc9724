// Canvas that records the positions of all drawings, for tests of layouts.
#pragma once

#include <string>
#include <vector>

#include "render/canvas.h"

namespace echoloop::testing {

class RecordingCanvas final : public Canvas {
 public:
  struct Text {
    CanvasRect box;  // as wide as its letters, as high as its em
    std::string text;
    double em;
  };
  struct Fill {
    CanvasRect box;
    Ink ink;
  };

  RecordingCanvas(TextRasterizer& rasterizer, double pixels_per_unit) : Canvas(rasterizer, pixels_per_unit) {}

  void fill(const CanvasRect& area, const Ink& ink) override { fills.push_back({area, ink}); }
  void disc(CanvasPoint centre, double radius, const Ink&) override {
    discs.push_back(CanvasRect{centre.x, centre.y, centre.x, centre.y}.grown(radius));
  }
  void lines(const std::vector<CanvasLine>&, double, const Ink&) override {}
  void image(const CanvasRect& area, const RgbImage&) override { images.push_back(area); }
  double text(CanvasPoint at, const TextLook& look, TextAlign align, std::string_view text) override {
    const double w = text_width(look, text), x0 = left_of(at, align, w), em = static_cast<double>(look.em);
    texts.push_back({{x0, at.y - 0.5 * em, x0 + w, at.y + 0.5 * em}, std::string(text), em});
    return x0 + w;
  }

  std::vector<Text> texts;
  std::vector<Fill> fills;
  std::vector<CanvasRect> discs, images;
};

}  // namespace echoloop::testing
