#include "gui/figure/figure_file.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/plain_text.h"
#include "history/export.h"
#include "history/pdf_canvas.h"
#include "history/png.h"
#include "history/svg_canvas.h"
#include "render/raster_canvas.h"

namespace echoloop {
namespace {

constexpr double kPtPerInch = 72.0;
constexpr double kPrintDpi = 300.0;  // at least, of the image in SVG and PDF

double file_dpi(FigureFormat format, const FigureSize& size) {
  const double dpi = size.by == FigureSizing::factor ? kScreenDpi : size.dpi;
  return format == FigureFormat::png ? dpi : std::max(dpi, kPrintDpi);
}

}  // namespace

FigureFormat figure_format(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  if (ending == ".png") return FigureFormat::png;
  if (ending == ".svg") return FigureFormat::svg;
  if (ending != ".pdf") throw Error("--figure", "'" + path.string() + "'", "a file name ending in .png, .svg or .pdf");
  if (const std::string why = why_no_pdf(); !why.empty()) throw Error(path.string(), why, ".svg or .png");
  return FigureFormat::pdf;
}

void require_figure_size(const std::filesystem::path& path, const Figure& figure) {
  TextRasterizer rasterizer(Digits::proportional);
  lay_out(figure, rasterizer, file_dpi(figure_format(path), figure.size) / kPtPerInch);
}

void write_figure(const std::filesystem::path& path, const Figure& figure, const FigureAbout& about) {
  const FigureFormat format = figure_format(path);
  const double dpi = file_dpi(format, figure.size);
  const double pixels_per_pt = dpi / kPtPerInch;
  TextRasterizer rasterizer(Digits::proportional);
  const FigureLayout layout = lay_out(figure, rasterizer, pixels_per_pt);
  const PageSize page{layout.width, layout.height};
  if (format == FigureFormat::svg) {
    SvgCanvas canvas(rasterizer, pixels_per_pt, page, about.title, plain_text(about.command));
    draw_figure(canvas, figure, layout);
    write_text(path, canvas.file());
  } else if (format == FigureFormat::pdf) {
    PdfCanvas canvas(rasterizer, pixels_per_pt, page, about.title, plain_text(about.command));
    draw_figure(canvas, figure, layout);
    write_file(path, canvas.file());
  } else {
    RgbImage pixels{.width = static_cast<int>(std::lround(layout.width * pixels_per_pt)),
                    .height = static_cast<int>(std::lround(layout.height * pixels_per_pt)),
                    .rgb = {}};
    pixels.rgb.resize(3 * static_cast<std::size_t>(pixels.width) * static_cast<std::size_t>(pixels.height));
    RasterCanvas canvas(pixels, rasterizer, pixels_per_pt);
    draw_figure(canvas, figure, layout);
    PngTexts texts = about.texts;
    texts.emplace_back("Command", about.command);
    write_png(path, pixels, dpi, texts);
  }
}

}  // namespace echoloop
