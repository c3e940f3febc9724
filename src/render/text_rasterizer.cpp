#include "render/text_rasterizer.h"

#include <stb_truetype.h>

#include <cmath>
#include <fstream>
#include <iterator>

namespace echoloop {
namespace {

constexpr int kShifts = 4;  // a glyph starts at quarters of a pixel

std::vector<unsigned char> read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::uint8_t mix(std::uint8_t under, std::uint8_t over, int coverage) {
  return static_cast<std::uint8_t>((under * (255 - coverage) + over * coverage + 127) / 255);
}

}  // namespace

unsigned int next_letter(std::string_view text, std::size_t& at) {
  const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at++);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
  unsigned int letter = first & (0x3FU >> more);
  for (int i = 0; i < more; ++i) {
    if (at >= text.size() || (byte(at) & 0xC0) != 0x80) return '?';
    letter = letter << 6 | (byte(at++) & 0x3FU);
  }
  return more == 0 ? '?' : letter;
}

TextRasterizer::TextRasterizer(Digits digits) {
  const FontFamily* family = installed_family();
  if (family == nullptr) return;
  faces_[0].file = read_file(family->regular);
  faces_[1].file = read_file(family->strong);
  fixed_digits_ = digits == Digits::tabular && !family->tabular_digits;
  stbtt_fontinfo info;
  for (const Face& face : faces_) {
    if (face.file.empty() || stbtt_InitFont(&info, face.file.data(), 0) == 0) faces_[0].file.clear();
  }
}

const TextRasterizer::Glyph& TextRasterizer::glyph(const TextLook& look, unsigned int letter, int shift) {
  const auto [found, fresh] = glyphs_.try_emplace({look.weight, look.em, letter, shift});
  Glyph& g = found->second;
  if (!fresh) return g;
  stbtt_fontinfo info;
  const Face& face = faces_[look.weight == Weight::strong ? 1 : 0];
  if (stbtt_InitFont(&info, face.file.data(), 0) == 0) return g;
  const float scale = stbtt_ScaleForMappingEmToPixels(&info, look.em);
  int advance = 0, bearing = 0, x1 = 0, y1 = 0;
  const int code = static_cast<int>(letter);
  stbtt_GetCodepointHMetrics(&info, code, &advance, &bearing);
  g.advance = static_cast<float>(advance) * scale;
  float begin = static_cast<float>(shift) / kShifts;
  if (fixed_digits_ && letter >= '0' && letter <= '9') {
    const float fixed = std::round(kDigitAdvance * look.em);
    begin += 0.5F * (fixed - g.advance);
    g.advance = fixed;
  }
  const float whole = std::floor(begin);
  stbtt_GetCodepointBitmapBoxSubpixel(&info, code, scale, scale, begin - whole, 0, &g.x, &g.y, &x1, &y1);
  g.width = x1 - g.x;
  g.height = y1 - g.y;
  g.coverage.resize(static_cast<std::size_t>(g.width) * static_cast<std::size_t>(g.height));
  if (!g.coverage.empty()) {
    stbtt_MakeCodepointBitmapSubpixel(&info, g.coverage.data(), g.width, g.height, g.width, scale, scale, begin - whole,
                                      0, code);
  }
  g.x += static_cast<int>(whole);
  return g;
}

float TextRasterizer::width(const TextLook& look, std::string_view text) {
  float w = 0;
  for (std::size_t at = 0; at < text.size();) w += advance(look, next_letter(text, at));
  return w;
}

float TextRasterizer::draw(RgbImage& picture, float x, float y, const TextLook& look, std::string_view text) {
  const int base = static_cast<int>(std::lround(y + 0.5F * kCapital_em * look.em));
  for (std::size_t at = 0; any() && at < text.size();) {
    const float left = std::floor(x);
    const Glyph& g = glyph(look, next_letter(text, at), static_cast<int>((x - left) * kShifts));
    for (int row = 0; row < g.height; ++row) {
      for (int column = 0; column < g.width; ++column) {
        const int px = static_cast<int>(left) + g.x + column, py = base + g.y + row;
        if (px < 0 || py < 0 || px >= picture.width || py >= picture.height) continue;
        const int coverage = g.coverage[static_cast<std::size_t>(row * g.width + column)];
        std::uint8_t* rgb = &picture.rgb[3 * static_cast<std::size_t>(py * picture.width + px)];
        rgb[0] = mix(rgb[0], look.color.r, coverage);
        rgb[1] = mix(rgb[1], look.color.g, coverage);
        rgb[2] = mix(rgb[2], look.color.b, coverage);
      }
    }
    x += g.advance;
  }
  return x;
}

}  // namespace echoloop
