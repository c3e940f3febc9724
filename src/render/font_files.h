// Where the fonts of the window and of films are, the better first.
#pragma once

#include <array>
#include <filesystem>

namespace echoloop {

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

// The first that is installed; null = none.
inline const FontFamily* installed_family() {
  for (const FontFamily& family : kFontFamilies) {
    std::error_code error;
    if (std::filesystem::exists(family.regular, error) && std::filesystem::exists(family.strong, error)) return &family;
  }
  return nullptr;
}

}  // namespace echoloop
