#include <algorithm>
#include <cmath>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/params.h"
#include "core/units.h"
#include "gui/figure/figure.h"
#include "gui/figure/figure_strip.h"
#include "gui/overlay/image_sampler.h"
#include "gui/overlay/image_scales.h"
#include "gui/overlay/mark_drawing.h"
#include "gui/overlay/mask_overlay.h"
#include "history/export.h"
#include "history/page_canvas.h"
#include "render/canvas.h"

namespace echoloop {
namespace {

using namespace figure;

constexpr double kTextChip = 0.82, kScaleBarRoom = 72.0;
constexpr MarkLook kMarks{.line = 1.0, .halo = 0.8, .em = kNumberEm};
constexpr LabelGaps kNumbers{.gap = 2.5, .leader_from = 9.0};
constexpr double kNumberRadius = 6.2;

bool wiped(const Figure& f) { return f.images.size() > 1 && f.size.wipe_mm.has_value(); }

// Returns the images with a separate box.
std::span<const FigureImage> placed(const Figure& f) {
  return wiped(f) ? std::span(f.images).last(1) : std::span(f.images);
}

RgbImage sampled(const FigureImage& i, double width, double height) {
  RgbImage pixels{
      .width = static_cast<int>(std::lround(width)), .height = static_cast<int>(std::lround(height)), .rgb = {}};
  pixels.rgb.resize(3 * static_cast<std::size_t>(pixels.width) * static_cast<std::size_t>(pixels.height));
  ImageSampler(i.display).draw(pixels, {0, 0, pixels.width, pixels.height}, i.image, i.over);
  return pixels;
}

// Returns the end of A as a fraction of the width of B's image.
double wipe_share(const Figure& f) {
  const bool mirrored = f.images.back().display.display.mirrored == Mirrored::on;
  const Grid& g = f.images.back().image.grid;
  const double x_m = *f.size.wipe_mm * kMetresPerMillimetre;
  const double across = std::isnan(x_m) ? 0.5 : std::clamp((x_m - g.x0_m) / std::max(g.width_m(), 1e-6), 0.0, 1.0);
  return mirrored ? 1.0 - across : across;
}

// Draws A over B's pixels, at the same positions in millimetres.
void lay_a_over(const Figure& f, RgbImage& pixels) {
  const Grid &a = f.images.front().image.grid, &b = f.images.back().image.grid;
  const double across = pixels.width / std::max(b.width_m(), 1e-6), down = pixels.height / std::max(b.height_m(), 1e-6);
  const RgbImage left =
      sampled(f.images.front(), std::max(a.width_m() * across, 1.0), std::max(a.height_m() * down, 1.0));
  const bool mirrored = f.images.back().display.display.mirrored == Mirrored::on;
  const auto x0 = std::lround((mirrored ? b.x1_m - a.x1_m : a.x0_m - b.x0_m) * across),
             z0 = std::lround((a.z0_m - b.z0_m) * down);
  const auto end = std::lround(wipe_share(f) * pixels.width);
  for (long z = 0; z < pixels.height; ++z) {
    for (long x = 0; x < end; ++x) {
      const bool in_a = x >= x0 && x - x0 < left.width && z >= z0 && z - z0 < left.height;
      const auto to = 3 * static_cast<std::size_t>(z * pixels.width + x);
      for (std::size_t k = 0; k < 3; ++k) {
        pixels.rgb[to + k] = in_a ? left.rgb[3 * static_cast<std::size_t>((z - z0) * left.width + x - x0) + k] : 0;
      }
    }
  }
}

void draw_pixels(Canvas& canvas, const Figure& f, std::size_t index, const CanvasRect& area, Rgb edge) {
  RgbImage pixels =
      sampled(placed(f)[index], area.width() * canvas.pixels_per_unit(), area.height() * canvas.pixels_per_unit());
  if (wiped(f)) lay_a_over(f, pixels);
  canvas.fill(area.grown(1.0 / std::max(canvas.pixels_per_unit(), 1.0)), {edge});
  canvas.image(area, pixels);
}

// Returns the boxes of the numbers, which other labels must avoid.
std::vector<CanvasRect> draw_numbers(Canvas& canvas, const Marks& marks, const ImagePlace& place,
                                     std::vector<CanvasRect> taken) {
  std::vector<LabelledMark> all;
  for (const Mark& mark : marks.list) {
    all.push_back(labelled(mark, place, 0.45 * kMarks.em));
    all.back().half = {kNumberRadius, kNumberRadius};
  }
  const std::vector<PlacedLabel> placed = place_labels(all, place.box, taken, kNumbers);
  for (const PlacedLabel& n : placed) {
    if (!n.leader) continue;
    canvas.lines({{n.foot, n.at}}, kMarks.line + kMarks.halo, {kBlack, 0.67});
    canvas.lines({{n.foot, n.at}}, 0.5 * kMarks.line, {ink::kAccent});
  }
  const TextLook look{.em = static_cast<float>(kNumberEm), .weight = Weight::strong, .color = kWhite};
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const CanvasPoint at = placed[i].at;
    canvas.disc(at, kNumberRadius, {kBlack, kTextChip});
    canvas.text(at, look, TextAlign::centre, std::to_string(marks.list[i].number));
    taken.push_back(CanvasRect{at.x, at.y, at.x, at.y}.grown(kNumberRadius));
  }
  return taken;
}

void draw_letter(Canvas& canvas, const CanvasRect& box, const std::string& letter) {
  canvas.fill(box, {kBlack, 0.67});
  canvas.text({0.5 * (box.x0 + box.x1), 0.5 * (box.y0 + box.y1)},
              {.em = static_cast<float>(kEm), .weight = Weight::strong, .color = kWhite}, TextAlign::centre, letter);
}

void draw_image(Canvas& canvas, const Figure& f, const FigureLayout& l, std::size_t index) {
  const FigureImage& i = placed(f)[index];
  const CanvasRect& area = l.images[index];
  const ScaleLook look = scales(f.ground);
  const ImagePlace place{area, i.image.grid, i.display.display.mirrored};
  draw_pixels(canvas, f, index, area, look.edge);
  draw_outlines(canvas, i.over, place, kMarks);
  for (const FigureStrip& strip : f.strips) {
    if (index + 1 == l.images.size()) draw_guides(canvas, strip, place);
  }
  std::vector<CanvasRect> taken;
  const bool pair = f.images.size() > 1;
  if (wiped(f)) {
    const double at = area.x0 + wipe_share(f) * area.width();
    canvas.lines({{{at, area.y0}, {at, area.y1}}}, 2.0, {kBlack, 0.67});
    canvas.lines({{{at, area.y0}, {at, area.y1}}}, 0.8, {kWhite});
    taken.push_back({area.x1 - 18, area.y0 + 4, area.x1 - 4, area.y0 + 18});
    draw_letter(canvas, taken.back(), "B");
  }
  if (pair) {
    taken.push_back({area.x0 + 4, area.y0 + 4, area.x0 + 18, area.y0 + 18});
    draw_letter(canvas, taken.back(), index == 0 ? "A" : "B");
  }
  const Grid& g = i.image.grid;
  const double units_per_m = area.width() / std::max(g.x1_m - g.x0_m, 1e-6);
  const bool room = area.width() > kScaleBarRoom && area.height() > kScaleBarRoom;  // the rulers show the scale as well
  if (index + 1 == l.images.size() && room) {
    draw_scale_bar(canvas, area, units_per_m, kEm);
    taken.push_back({area.x0 + 0.55 * area.width(), area.y1 - 3.3 * kEm, area.x1, area.y1});
  }
  for (const Mark& mark : f.marks.list) draw_mark(canvas, mark, place, kMarks);
  taken = draw_numbers(canvas, f.marks, place, std::move(taken));
  ImageOverlays over = i.over;
  over.mask = shown_mask(i.image, i.display.display);
  draw_labels(canvas, over, place, kMarks, {.within = area, .taken = std::move(taken)});
  draw_x_ruler(canvas, area, g, look, place.mirrored);
  const bool numbers = index == 0 || !l.common_depth;
  draw_z_ruler(canvas, area, g, look, numbers ? RulerLabels::numbers : RulerLabels::ticks_only);
  const double names = area.y0 - kTop - 0.5 * kAxisName;
  canvas.text({0.5 * (area.x0 + area.x1), names}, look.label(look.muted), TextAlign::centre, "x, mm");
  if (numbers) canvas.text({area.x0 - 1.1 * kEm, names}, look.label(look.muted), TextAlign::right, "z, mm");
  const std::size_t last = wiped(f) ? 1 : index;
  for (std::size_t k = wiped(f) ? 0 : index; pair && k <= last; ++k) {
    const double y = names - kAxisName - static_cast<double>(last - k) * kTitle;
    canvas.text({area.x0, y}, look.label(look.text, Weight::strong), TextAlign::left,
                (k == 0 ? "A  " : "B  ") + f.images[k].title);
  }
}

bool has_flow(const FigureImage& i) { return i.over.flow != nullptr && is_overlay(i.display.color_flow.mode); }
bool has_map_bar(const FigureImage& i) {
  return i.over.map != nullptr && i.over.map->map.view->map.kind != MapKind::label;
}

// Returns true if there is a bar of flow, or without flow of a map.
bool has_flow_bar(const Figure& f) {
  return std::ranges::any_of(f.images, has_flow) || std::ranges::any_of(f.images, has_map_bar);
}

}  // namespace

void draw_figure(Canvas& canvas, const Figure& f, const FigureLayout& l) {
  const ScaleLook look = scales(f.ground);
  canvas.fill({0.0, 0.0, l.width, l.height}, {paper(f.ground)});
  for (std::size_t i = 0; i < l.images.size(); ++i) draw_image(canvas, f, l, i);
  const bool each = l.a_bar.width() > 0.0;
  draw_level_bar(canvas, l.level_bar, f.images.back().display, look, each ? "B" : "");
  if (each) draw_level_bar(canvas, l.a_bar, f.images.front().display, look, "A");
  for (const FigureImage& i : f.images) {
    if (l.flow_bar.width() <= 0.0) break;
    if (!has_flow(i) && has_map_bar(i) && std::ranges::none_of(f.images, has_flow)) {
      draw_map_bar(canvas, l.flow_bar, *i.over.map->map.view, look);
      break;
    }
    if (!has_flow(i)) continue;
    draw_flow_bar(canvas, l.flow_bar, *i.over.flow, i.display, look,
                  {.away = 0.15 * kEm, .length = 0.4 * kEm, .thickness = 0.1 * kEm});
    break;
  }
  for (std::size_t i = 0; i < f.strips.size(); ++i) draw_strip(canvas, f.strips[i], l.strips[i], f.ground);
  if (l.key_place != KeyPlace::none) draw_key(canvas, f, l);
  double y = l.caption.y;
  for (const std::string& line : l.caption_lines) {
    canvas.text({l.caption.x, y}, look.label(look.text2), TextAlign::left, line);
    y += kCaptionLine;
  }
}

namespace {

using namespace figure;

constexpr double kPtPerMm = 72.0 / 25.4;
constexpr double kLeastWidth = 85.0 * kPtPerMm;      // for a legible caption
constexpr double kMostHeight = 200.0 * kPtPerMm;     // of an image and its strips, for a given width: a page
constexpr double kLeastHeight = 60.0 * kPtPerMm;     // of the image, for any number of strips
constexpr double kLeastBesideKey = 55.0 * kPtPerMm;  // of the images: if narrower, the key is placed below
constexpr double kLeastImage = 18.0 * kPtPerMm;      // for the numbers of a dozen marks
constexpr double kMostKey = 1.2;                     // times the height of the images: longer keys go below
constexpr double kSlack = 0.98;                      // text on whole pixels is up to 2 % wider

double width_m(const FigureImage& i) { return std::max(i.image.grid.x1_m - i.image.grid.x0_m, 1e-6); }
double height_m(const FigureImage& i) { return std::max(i.image.grid.z1_m - i.image.grid.z0_m, 1e-6); }

double step_m(const Grid& g) {
  if (g.polar()) return g.nz > 1 ? (g.sector.r1_m - g.sector.r0_m) / (g.nz - 1) : 1e-3;
  return std::min(g.nx > 1 ? g.dx_m() : 1.0, g.nz > 1 ? g.dz_m() : 1.0);
}

bool has_a_bar(const Figure& f) {
  return shows_weight(f.images.front().display.formation) != shows_weight(f.images.back().display.formation);
}

// Widths of the parts next to the images.
struct Beside {
  double left, between, bars, key;
  [[nodiscard]] double all() const { return left + between + bars + key + kMargin; }
};

Beside beside(const Figure& f, const FigureLayout& l) {
  const auto images = static_cast<double>(placed(f).size());
  return {
      .left = kMargin + kLeft,
      .between = (images - 1.0) * (l.common_depth ? kBetween : kBetween + kLeft),
      .bars = (kBarAway + kBar + kBarLabels) * (1 + static_cast<int>(has_a_bar(f)) + static_cast<int>(has_flow_bar(f))),
      .key = l.key_place == KeyPlace::beside ? kKeyAway + kKeyWidth : 0.0};
}

// Returns the height of title, levels and times of all strips.
double strips_height(const Figure& f, double width) {
  return static_cast<double>(f.strips.size()) * (kStripAway + kStripTitle + strip_height(width) + kStripTimes);
}

// Returns points per metre of the image plane. Chooses the position of the key.
double choose_scale(const Figure& f, FigureLayout& l) {
  double across_m = 0.0, down_m = 0.0;
  for (const FigureImage& i : placed(f)) across_m += width_m(i), down_m = std::max(down_m, height_m(i));
  if (f.size.by == FigureSizing::factor) {
    return f.size.value / step_m(f.images[0].image.grid) * 72.0 / kScreenDpi;
  }
  if (f.size.by == FigureSizing::scale) return 0.1 * f.size.value * kPtPerMm / kMetresPerMillimetre;
  l.width = f.size.value * kPtPerMm;
  const double most_height = std::max(kMostHeight - strips_height(f, l.width), kLeastHeight);
  const auto fitting = [&] { return std::min((l.width - beside(f, l).all()) / across_m, most_height / down_m); };
  const bool narrow = l.width - beside(f, l).all() < kLeastBesideKey;
  if (l.key_place == KeyPlace::beside && (narrow || key_height(f, 1) > kMostKey * fitting() * down_m)) {
    l.key_place = KeyPlace::below;
  }
  const double room = (l.width - beside(f, l).all()) / static_cast<double>(placed(f).size());
  if (room < kLeastImage) {
    throw Error("figure",
                "a width of " + std::to_string(std::lround(f.size.value)) + " mm leaves " +
                    std::to_string(std::max(std::lround(room / kPtPerMm), 0L)) + " mm for each image",
                "at least 18 mm: a wider figure");
  }
  return fitting();
}

std::string spaced(std::string text) {
  for (auto at = text.find(kNoBreak); at != std::string::npos; at = text.find(kNoBreak)) {
    text.replace(at, std::string_view(kNoBreak).size(), " ");
  }
  return text;
}

std::vector<std::string> wrapped(const std::string& text, TextRasterizer& rasterizer, double width) {
  const TextLook look{.em = static_cast<float>(kEm)};
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::string& line = lines.back();
    const std::string longer = line.empty() ? word : line + " " + word;
    if (!line.empty() && static_cast<double>(rasterizer.width(look, spaced(longer))) > kSlack * width) {
      lines.push_back(word);
    } else {
      line = longer;
    }
  }
  for (std::string& line : lines) line = spaced(std::move(line));
  return lines;
}

void require_size(const FigureLayout& l, double pixels_per_pt) {
  const double w = l.width * pixels_per_pt, h = l.height * pixels_per_pt;
  if (w <= kMostFigurePixels && h <= kMostFigurePixels) return;
  throw Error("figure", std::to_string(std::lround(w)) + " x " + std::to_string(std::lround(h)) + " pixels",
              "at most " + std::to_string(kMostFigurePixels) + " a side: a smaller size or less dpi");
}

}  // namespace

FigureLayout lay_out(const Figure& f, TextRasterizer& rasterizer, double pixels_per_pt) {
  const auto snap = [&](double v) { return std::round(v * pixels_per_pt) / pixels_per_pt; };
  FigureLayout l;
  l.key_place = f.key.empty() ? KeyPlace::none : KeyPlace::beside;
  const Grid& first = f.images[0].image.grid;
  l.common_depth = std::all_of(f.images.begin(), f.images.end(), [&](const FigureImage& i) {
    return i.image.grid.z0_m == first.z0_m && i.image.grid.z1_m == first.z1_m;
  });
  const double scale = choose_scale(f, l);
  const Beside side = beside(f, l);
  const double titles = f.images.size() > 1 ? (wiped(f) ? 2 : 1) * kTitle : 0.0;
  const double top = snap(kMargin + titles + kAxisName + kTop);
  double x = snap(side.left), bottom = top;
  for (const FigureImage& i : placed(f)) {
    const double w = std::max(snap(width_m(i) * scale), 1.0), h = std::max(snap(height_m(i) * scale), 1.0);
    l.images.push_back({x, top, x + w, top + h});
    bottom = std::max(bottom, top + h);
    x = snap(x + w + (l.common_depth ? kBetween : kBetween + kLeft));
  }
  x = snap(l.images.back().x1 + kBarAway);
  l.level_bar = {x, top, snap(x + kBar), bottom};
  x = l.level_bar.x1 + kBarLabels;
  for (CanvasRect* bar : {has_a_bar(f) ? &l.a_bar : nullptr, has_flow_bar(f) ? &l.flow_bar : nullptr}) {
    if (bar == nullptr) continue;
    *bar = {snap(x + kBarAway), top, snap(x + kBarAway + kBar), bottom};
    x = bar->x1 + kBarLabels;
  }
  if (l.key_place == KeyPlace::beside) {
    l.key = {x + kKeyAway, top, x + kKeyAway + kKeyWidth, top + key_height(f, 1)};
    x = l.key.x1;
    bottom = std::max(bottom, l.key.y1);
  }
  l.width = std::max({l.width, x + kMargin, kLeastWidth});
  for (std::size_t i = 0; i < f.strips.size(); ++i) {
    const double y0 = snap(bottom + kStripAway + kStripTitle), y1 = snap(y0 + strip_height(l.width));
    l.strips.push_back({snap(side.left), y0, snap(l.width - kMargin - kBarAway - kBar - kBarLabels), y1});
    bottom = y1 + kStripTimes;
  }
  if (l.key_place == KeyPlace::below) {
    const int columns = std::max(1, static_cast<int>((l.width - side.left - kMargin) / kKeyColumn));
    l.key = {side.left, bottom + kCaptionAway, l.width - kMargin, bottom + kCaptionAway + key_height(f, columns)};
    bottom = l.key.y1;
  }
  l.caption = {side.left, bottom + kCaptionAway};
  l.caption_lines = wrapped(f.caption, rasterizer, l.width - kMargin - side.left);
  l.height = l.caption.y + kCaptionLine * (static_cast<double>(l.caption_lines.size()) - 0.5) + kMargin;
  require_size(l, pixels_per_pt);
  return l;
}

namespace {

constexpr double kPtPerInch = 72.0;
constexpr double kPrintDpi = 300.0;  // minimum for the image in SVG and PDF

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
