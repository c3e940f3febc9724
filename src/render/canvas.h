// Drawing surface of figures: fills, lines, text and images, with the same calls for pixels (RasterCanvas), SVG and
// PDF (history/). Lengths are in units of the canvas, x to the right, y down: pixels of a raster, points (1/72 inch) of
// SVG and PDF. One thread at a time.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

namespace echoloop {

// Colours of 8 bit per channel, and images of them. Plain values; any thread.
struct Rgb {
  std::uint8_t r = 0, g = 0, b = 0;
  friend bool operator==(const Rgb&, const Rgb&) = default;
};
inline constexpr Rgb kBlack = {0, 0, 0}, kWhite = {255, 255, 255};

struct RgbImage {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  // [height][width][3], top row first
};

// Colours of drawings without ImGui, equal to those of the window (theme.h).
namespace ink {
inline constexpr Rgb kText = {232, 236, 239};
inline constexpr Rgb kText2 = {169, 178, 186};
inline constexpr Rgb kMuted = {139, 149, 158};
inline constexpr Rgb kTick = {95, 104, 112};
inline constexpr Rgb kEdge = {58, 66, 74};
inline constexpr Rgb kAccent = {76, 195, 224};
}  // namespace ink

enum class Weight { regular, strong };

struct TextLook {
  float em = 20;  // pixels
  Weight weight = Weight::regular;
  Rgb color = ink::kText;
};

inline constexpr float kCapital_em = 0.727F;  // height of a capital; Inter's, DejaVu's differs by 0.002

// Returns the next code point of UTF-8 text and advances `at`. Invalid bytes become '?'.
unsigned int next_letter(std::string_view text, std::size_t& at);

// tabular: equal widths, for numbers that change on screen; proportional: the font's own, for figures.
enum class Digits { tabular, proportional };

// Text rasterised into RGB images on the CPU, in the fonts of the window, without OpenGL and without ImGui. One thread
// at a time.
class TextRasterizer {
 public:
  explicit TextRasterizer(
      Digits digits = Digits::tabular);  // uses the first installed font family; draws nothing without one
  [[nodiscard]] bool any() const { return !faces_[0].file.empty(); }

  float width(const TextLook& look, std::string_view text);
  // Returns the distance to the next letter's origin; 0 without a font.
  float advance(const TextLook& look, unsigned int letter) { return any() ? glyph(look, letter, 0).advance : 0; }
  // Draws from left edge x, capitals centred on y. Returns the right edge.
  float draw(RgbImage& picture, float x, float y, const TextLook& look, std::string_view text);

 private:
  struct Face {
    std::vector<unsigned char> file;
  };
  struct Glyph {
    int x = 0, y = 0, width = 0, height = 0;  // of the coverage, from the pen on the base line
    float advance = 0;
    std::vector<unsigned char> coverage;
  };
  const Glyph& glyph(const TextLook& look, unsigned int letter, int shift);

  Face faces_[2];
  bool fixed_digits_ = false;
  std::map<std::tuple<Weight, float, unsigned int, int>, Glyph> glyphs_;
};

// Fonts of the window and of films, in order of preference.
struct FontFamily {
  const char* name;
  const char* regular;
  const char* strong;
  float size_per_em;  // ImGui's size is ascender minus descender
  bool tabular_digits;
};

inline constexpr float kDigitAdvance = 0.62F;  // em; of a family whose digits are not tabular

inline constexpr std::array<FontFamily, 2> kFontFamilies = {
    {{"Inter", "/usr/share/fonts/opentype/inter/Inter-Regular.otf",
      "/usr/share/fonts/opentype/inter/Inter-SemiBold.otf", 1.2102F, false},
     {"DejaVu Sans", "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
      "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf", 1.1641F, true}}};

// Returns the family of share/echoloop/fonts (of a wheel), else the system's first; null = none. Any thread.
const FontFamily* installed_family();

}  // namespace echoloop

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

// Canvas of pixels: films, figures as PNG, and marks in saved images. One thread at a time.

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
