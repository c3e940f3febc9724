// Text rasterised into RGB images on the CPU, in the fonts of the window, without OpenGL and without ImGui. One thread
// at a time.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "render/palette.h"

namespace echoloop {

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

// Returns the first installed family; null = none.
inline const FontFamily* installed_family() {
  for (const FontFamily& family : kFontFamilies) {
    std::error_code error;
    if (std::filesystem::exists(family.regular, error) && std::filesystem::exists(family.strong, error)) return &family;
  }
  return nullptr;
}

}  // namespace echoloop
