#include "history/svg_canvas.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <span>

#include "core/units.h"
#include "history/export.h"
#include "render/text_rasterizer.h"

namespace echoloop {
namespace {

constexpr double kMmPerPt = 25.4 / 72.0;

std::string escaped(std::string_view text) {
  std::string xml;
  for (const char c : plain_text(text)) {
    if (c == '&') {
      xml += "&amp;";
    } else if (c == '<') {
      xml += "&lt;";
    } else if (c == '"') {
      xml += "&quot;";
    } else if (static_cast<unsigned char>(c) >= ' ') {
      xml += c;
    }
  }
  return xml;
}

std::string base64(std::span<const std::byte> bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    unsigned int three = 0;
    for (std::size_t k = 0; k < 3; ++k) three = three << 8 | (k < n ? std::to_integer<unsigned int>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= n ? kLetters[three >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

std::string hex(Rgb c) { return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b); }

// `paint`: fill or stroke.
std::string painted(const char* paint, const Ink& ink) {
  const std::string color = fmt::format(R"({}="{}")", paint, hex(ink.color));
  return ink.opacity < 1.0 ? color + fmt::format(R"( {}-opacity="{:g}")", paint, ink.opacity) : color;
}

}  // namespace

SvgCanvas::SvgCanvas(TextRasterizer& rasterizer, double pixels_per_pt, PageSize size, const std::string& title,
                     const std::string& description)
    : Canvas(rasterizer, pixels_per_pt) {
  const FontFamily* family = installed_family();
  body_ = fmt::format(
      R"(<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" )"
      R"(width="{:.3f}mm" height="{:.3f}mm" viewBox="0 0 {:.3f} {:.3f}" font-family="{}sans-serif">
<title>{}</title>
<desc>{}</desc>
)",
      size.width_pt * kMmPerPt, size.height_pt * kMmPerPt, size.width_pt, size.height_pt,
      family != nullptr ? fmt::format("'{}', ", family->name) : "", escaped(title), escaped(description));
}

void SvgCanvas::fill(const CanvasRect& a, const Ink& ink) {
  body_ += fmt::format("<rect x=\"{:.3f}\" y=\"{:.3f}\" width=\"{:.3f}\" height=\"{:.3f}\" {}/>\n", a.x0, a.y0,
                       a.width(), a.height(), painted("fill", ink));
}

void SvgCanvas::disc(CanvasPoint centre, double radius, const Ink& ink) {
  body_ += fmt::format("<circle cx=\"{:.3f}\" cy=\"{:.3f}\" r=\"{:.3f}\" {}/>\n", centre.x, centre.y, radius,
                       painted("fill", ink));
}

void SvgCanvas::lines(const std::vector<CanvasLine>& lines, double width, const Ink& ink) {
  std::string path;
  for (const CanvasLine& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      path += fmt::format("{}{:.3f} {:.3f}", i == 0 ? "M" : "L", line[i].x, line[i].y);
    }
  }
  if (path.empty()) return;
  body_ += fmt::format(
      "<path d=\"{}\" fill=\"none\" {} stroke-width=\"{:.3f}\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>\n",
      path, painted("stroke", ink), width);
}

void SvgCanvas::image(const CanvasRect& a, const RgbImage& picture) {
  body_ += fmt::format(
      "<image x=\"{:.3f}\" y=\"{:.3f}\" width=\"{:.3f}\" height=\"{:.3f}\" preserveAspectRatio=\"none\" "
      "xlink:href=\"data:image/png;base64,{}\"/>\n",
      a.x0, a.y0, a.width(), a.height(), base64(png_bytes(picture)));
}

double SvgCanvas::text(CanvasPoint at, const TextLook& look, TextAlign align, std::string_view text) {
  constexpr std::array<const char*, 3> kAnchors = {"start", "middle", "end"};
  const double em = static_cast<double>(look.em), width = text_width(look, text);
  if (text.empty()) return at.x;
  body_ += fmt::format(
      "<text x=\"{:.3f}\" y=\"{:.3f}\" font-size=\"{:g}\"{}{} {}>{}</text>\n", at.x,
      at.y + 0.5 * static_cast<double>(kCapital_em) * em, em,
      look.weight == Weight::strong ? " font-weight=\"600\"" : "",
      align == TextAlign::left ? "" : fmt::format(" text-anchor=\"{}\"", kAnchors[static_cast<std::size_t>(align)]),
      painted("fill", {look.color}), escaped(text));
  return left_of(at, align, width) + width;
}

}  // namespace echoloop
