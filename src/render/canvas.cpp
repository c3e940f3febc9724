#include "render/canvas.h"

#include <stb_truetype.h>

#include <algorithm>
#include <fstream>
#include <iterator>
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
  for (int y = pixel(area.y0, picture_.height); y < pixel(area.y1, picture_.height); ++y)
    for (int x = x0; x < x1; ++x) blend(x, y, ink, 1.0);
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
  for (const CanvasLine& line : pixels)
    for (std::size_t i = 1; i < line.size(); ++i) cover(line[i - 1], line[i], half);
  const float* covered = covered_.data();
  for (int y = box_.y0; y < box_.y1; ++y) {
    for (int x = box_.x0; x < box_.x1; ++x, ++covered)
      if (*covered > 0.0F) blend(x, y, ink, static_cast<double>(*covered));
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

const FontFamily* installed_family() {
  static std::error_code none;
  static const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe", none).parent_path().parent_path() / "share/echoloop/fonts";
  static const std::string regular = folder / "Inter-Regular.otf", strong = folder / "Inter-SemiBold.otf";
  static const FontFamily& inter = kFontFamilies[0];
  static const FontFamily carried = {inter.name, regular.c_str(), strong.c_str(), inter.size_per_em,
                                     inter.tabular_digits};
  const auto exists = [](const FontFamily& family) {
    std::error_code error;
    return std::filesystem::exists(family.regular, error) && std::filesystem::exists(family.strong, error);
  };
  if (exists(carried)) return &carried;
  const auto* const found = std::ranges::find_if(kFontFamilies, exists);
  return found != kFontFamilies.end() ? found : nullptr;
}

TextRasterizer::TextRasterizer(Digits digits) {
  const FontFamily* family = installed_family();
  if (family == nullptr) return;
  faces_[0].file = read_file(family->regular);
  faces_[1].file = read_file(family->strong);
  fixed_digits_ = digits == Digits::tabular && !family->tabular_digits;
  stbtt_fontinfo info;
  for (const Face& face : faces_)
    if (face.file.empty() || stbtt_InitFont(&info, face.file.data(), 0) == 0) faces_[0].file.clear();
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
