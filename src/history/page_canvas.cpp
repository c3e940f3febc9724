#include "history/page_canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "core/error.h"
#include "core/units.h"
#include "history/export.h"

#if defined(ECHO_HAVE_CAIRO)
#include <cairo-ft.h>
#include <cairo-pdf.h>
#endif

namespace echoloop {
namespace {

constexpr double kMmPerPt = 25.4 / 72.0;

std::string escaped(std::string_view text) {
  std::string xml;
  for (const char c : plain_text(text))
    if (c == '&')
      xml += "&amp;";
    else if (c == '<')
      xml += "&lt;";
    else if (c == '"')
      xml += "&quot;";
    else if (static_cast<unsigned char>(c) >= ' ')
      xml += c;
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
  for (const CanvasLine& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i)
      path += fmt::format("{}{:.3f} {:.3f}", i == 0 ? "M" : "L", line[i].x, line[i].y);
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

#if defined(ECHO_HAVE_CAIRO)

namespace {

using FtFace = std::remove_pointer_t<FT_Face>;

FT_Library free_type() {
  static const FT_Library library = [] {
    FT_Library made = nullptr;
    return FT_Init_FreeType(&made) == 0 ? made : nullptr;
  }();
  return library;
}

// Returns null without a font. Cairo's face owns FreeType's, and may outlive the canvas.
cairo_font_face_t* face_of(const char* file) {
  static const cairo_user_data_key_t key{};
  FT_Face face = nullptr;
  if (free_type() == nullptr || FT_New_Face(free_type(), file, 0, &face) != 0) return nullptr;
  cairo_font_face_t* made = cairo_ft_font_face_create_for_ft_face(face, FT_LOAD_NO_HINTING);
  const auto release = [](void* old) { FT_Done_Face(static_cast<FtFace*>(old)); };
  if (cairo_font_face_set_user_data(made, &key, face, release) == CAIRO_STATUS_SUCCESS) return made;
  cairo_font_face_destroy(made);
  FT_Done_Face(face);
  return nullptr;
}

}  // namespace

std::string why_no_pdf() { return {}; }

struct PdfCanvas::Impl {
  std::vector<std::byte> bytes;
  cairo_surface_t* surface = nullptr;
  cairo_t* cairo = nullptr;
  std::array<cairo_font_face_t*, 2> faces{};  // regular, strong

  void ink(const Ink& i) const {
    cairo_set_source_rgba(cairo, i.color.r / 255.0, i.color.g / 255.0, i.color.b / 255.0, i.opacity);
  }
  void require(cairo_status_t status) const {
    if (status != CAIRO_STATUS_SUCCESS) throw Error("PDF", cairo_status_to_string(status), "SVG or PNG instead");
  }
  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    for (cairo_font_face_t* face : faces)
      if (face != nullptr) cairo_font_face_destroy(face);
    if (cairo != nullptr) cairo_destroy(cairo);
    if (surface != nullptr) cairo_surface_destroy(surface);
  }
};

PdfCanvas::PdfCanvas(TextRasterizer& rasterizer, double pixels_per_pt, PageSize size, const std::string& title,
                     const std::string& description)
    : Canvas(rasterizer, pixels_per_pt), impl_(std::make_unique<Impl>()) {
  const auto append = [](void* to, const unsigned char* data, unsigned int n) {
    auto& bytes = *static_cast<std::vector<std::byte>*>(to);
    const auto* from = reinterpret_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), from, from + n);
    return CAIRO_STATUS_SUCCESS;
  };
  impl_->surface = cairo_pdf_surface_create_for_stream(append, &impl_->bytes, size.width_pt, size.height_pt);
  impl_->require(cairo_surface_status(impl_->surface));
  cairo_pdf_surface_set_metadata(impl_->surface, CAIRO_PDF_METADATA_TITLE, title.c_str());
  cairo_pdf_surface_set_metadata(impl_->surface, CAIRO_PDF_METADATA_SUBJECT, description.c_str());
  cairo_pdf_surface_set_metadata(impl_->surface, CAIRO_PDF_METADATA_CREATOR, "Echoloop");
  impl_->cairo = cairo_create(impl_->surface);
  cairo_set_line_cap(impl_->cairo, CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join(impl_->cairo, CAIRO_LINE_JOIN_ROUND);
  if (const FontFamily* family = installed_family()) impl_->faces = {face_of(family->regular), face_of(family->strong)};
}

PdfCanvas::~PdfCanvas() = default;

void PdfCanvas::fill(const CanvasRect& a, const Ink& ink) {
  impl_->ink(ink);
  cairo_rectangle(impl_->cairo, a.x0, a.y0, a.width(), a.height());
  cairo_fill(impl_->cairo);
}

void PdfCanvas::disc(CanvasPoint centre, double radius, const Ink& ink) {
  impl_->ink(ink);
  cairo_new_path(impl_->cairo);
  cairo_arc(impl_->cairo, centre.x, centre.y, radius, 0.0, 2.0 * kPi);
  cairo_fill(impl_->cairo);
}

void PdfCanvas::lines(const std::vector<CanvasLine>& lines, double width, const Ink& ink) {
  impl_->ink(ink);
  cairo_set_line_width(impl_->cairo, width);
  for (const CanvasLine& line : lines) {
    cairo_new_sub_path(impl_->cairo);
    for (const CanvasPoint p : line) cairo_line_to(impl_->cairo, p.x, p.y);
  }
  cairo_stroke(impl_->cairo);
}

void PdfCanvas::image(const CanvasRect& a, const RgbImage& picture) {
  if (picture.width < 1 || picture.height < 1) return;
  cairo_surface_t* pixels = cairo_image_surface_create(CAIRO_FORMAT_RGB24, picture.width, picture.height);
  unsigned char* data = cairo_image_surface_get_data(pixels);
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(pixels));
  const std::uint8_t* rgb = picture.rgb.data();
  for (int y = 0; data != nullptr && y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x, rgb += 3) {
      const std::uint32_t value = std::uint32_t{rgb[0]} << 16 | std::uint32_t{rgb[1]} << 8 | rgb[2];
      std::memcpy(data + static_cast<std::size_t>(y) * stride + 4 * static_cast<std::size_t>(x), &value, sizeof value);
    }
  }
  cairo_surface_mark_dirty(pixels);
  cairo_t* c = impl_->cairo;
  cairo_save(c);
  cairo_translate(c, a.x0, a.y0);
  cairo_scale(c, a.width() / picture.width, a.height() / picture.height);
  cairo_set_source_surface(c, pixels, 0.0, 0.0);
  cairo_pattern_set_filter(cairo_get_source(c), CAIRO_FILTER_NEAREST);
  cairo_paint(c);
  cairo_restore(c);
  cairo_surface_destroy(pixels);
}

double PdfCanvas::text(CanvasPoint at, const TextLook& look, TextAlign align, std::string_view text) {
  const double em = static_cast<double>(look.em), width = text_width(look, text);
  double x = left_of(at, align, width);
  cairo_font_face_t* face = impl_->faces[look.weight == Weight::strong ? 1 : 0];
  if (face == nullptr || text.empty()) return x;
  cairo_t* c = impl_->cairo;
  cairo_set_font_face(c, face);
  cairo_set_font_size(c, em);
  impl_->ink({look.color});
  cairo_scaled_font_t* font = cairo_get_scaled_font(c);
  FT_Face ft = cairo_ft_scaled_font_lock_face(font);
  std::vector<cairo_glyph_t> glyphs;
  std::vector<cairo_text_cluster_t> clusters;
  const double base = at.y + 0.5 * static_cast<double>(kCapital_em) * em;
  for (std::size_t i = 0; ft != nullptr && i < text.size();) {
    const std::size_t begin = i;
    const unsigned int letter = next_letter(text, i);
    const unsigned long index = FT_Get_Char_Index(ft, letter);
    glyphs.push_back({index, x, base});
    clusters.push_back({static_cast<int>(i - begin), 1});
    x += static_cast<double>(rasterizer().advance(look, letter));
  }
  cairo_ft_scaled_font_unlock_face(font);
  cairo_show_text_glyphs(c, text.data(), static_cast<int>(text.size()), glyphs.data(), static_cast<int>(glyphs.size()),
                         clusters.data(), static_cast<int>(clusters.size()), cairo_text_cluster_flags_t{});
  return x;
}

std::vector<std::byte> PdfCanvas::file() {
  impl_->require(cairo_status(impl_->cairo));
  cairo_surface_finish(impl_->surface);
  impl_->require(cairo_surface_status(impl_->surface));
  return std::move(impl_->bytes);
}

#else

std::string why_no_pdf() { return "This program was built without cairo (libcairo2-dev)."; }

struct PdfCanvas::Impl {};

PdfCanvas::PdfCanvas(TextRasterizer& rasterizer, double pixels_per_pt, PageSize, const std::string&, const std::string&)
    : Canvas(rasterizer, pixels_per_pt) {
  throw Error("PDF", "this program was built without cairo (libcairo2-dev)", "SVG or PNG");
}

PdfCanvas::~PdfCanvas() = default;
void PdfCanvas::fill(const CanvasRect&, const Ink&) {}
void PdfCanvas::disc(CanvasPoint, double, const Ink&) {}
void PdfCanvas::lines(const std::vector<CanvasLine>&, double, const Ink&) {}
void PdfCanvas::image(const CanvasRect&, const RgbImage&) {}
double PdfCanvas::text(CanvasPoint at, const TextLook&, TextAlign, std::string_view) { return at.x; }
std::vector<std::byte> PdfCanvas::file() { return {}; }

#endif

}  // namespace echoloop
