#include <algorithm>
#include <cmath>

#include "gui/figure/figure.h"
#include "gui/figure/figure_key.h"
#include "gui/figure/figure_parts.h"
#include "gui/overlay/flow_scale.h"
#include "gui/overlay/image_sampler.h"
#include "gui/overlay/mark_drawing.h"
#include "gui/overlay/mark_labels.h"

namespace echoloop {
namespace {

using namespace figure;

constexpr double kTextChip = 0.82, kScaleBarRoom = 72.0;
constexpr MarkLook kMarks{.line = 1.0, .halo = 0.8, .em = kNumberEm};
constexpr LabelGaps kNumbers{.gap = 2.5, .leader_from = 9.0};
constexpr double kNumberRadius = 6.2;

void draw_pixels(Canvas& canvas, const FigureImage& i, const CanvasRect& area, Rgb edge) {
  RgbImage pixels{.width = static_cast<int>(std::lround(area.width() * canvas.pixels_per_unit())),
                  .height = static_cast<int>(std::lround(area.height() * canvas.pixels_per_unit())),
                  .rgb = {}};
  pixels.rgb.resize(3 * static_cast<std::size_t>(pixels.width) * static_cast<std::size_t>(pixels.height));
  ImageSampler(i.display).draw(pixels, {0, 0, pixels.width, pixels.height}, i.image, i.over.flow);
  canvas.fill(area.grown(1.0 / std::max(canvas.pixels_per_unit(), 1.0)), {edge});
  canvas.image(area, pixels);
}

// Returns where the numbers are, so that nothing else goes there.
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
  const FigureImage& i = f.images[index];
  const CanvasRect& area = l.images[index];
  const ScaleLook look = scales(f.ground);
  const ImagePlace place{area, i.image.grid};
  draw_pixels(canvas, i, area, look.edge);
  draw_outlines(canvas, i.over, place, kMarks);
  for (const FigureStrip& strip : f.strips) {
    if (index + 1 == f.images.size()) draw_guides(canvas, strip, area, i.image.grid);
  }
  std::vector<CanvasRect> taken;
  const bool pair = f.images.size() > 1;
  if (pair) {
    taken.push_back({area.x0 + 4, area.y0 + 4, area.x0 + 18, area.y0 + 18});
    draw_letter(canvas, taken.back(), index == 0 ? "A" : "B");
  }
  const Grid& g = i.image.grid;
  const double units_per_m = area.width() / std::max(g.x1_m - g.x0_m, 1e-6);
  const bool room = area.width() > kScaleBarRoom && area.height() > kScaleBarRoom;  // the rulers say the same
  if (index + 1 == f.images.size() && room) {
    draw_scale_bar(canvas, area, units_per_m, kEm);
    taken.push_back({area.x0 + 0.55 * area.width(), area.y1 - 3.3 * kEm, area.x1, area.y1});
  }
  for (const Mark& mark : f.marks.list) draw_mark(canvas, mark, place, kMarks);
  taken = draw_numbers(canvas, f.marks, place, std::move(taken));
  draw_labels(canvas, i.over, place, kMarks, {.within = area, .taken = std::move(taken)});
  draw_x_ruler(canvas, area, g, look);
  const bool numbers = index == 0 || !l.common_depth;
  draw_z_ruler(canvas, area, g, look, numbers ? RulerLabels::numbers : RulerLabels::ticks_only);
  const double names = area.y0 - kTop - 0.5 * kAxisName;
  canvas.text({0.5 * (area.x0 + area.x1), names}, look.label(look.muted), TextAlign::centre, "x, mm");
  if (numbers) canvas.text({area.x0 - 1.1 * kEm, names}, look.label(look.muted), TextAlign::right, "z, mm");
  if (pair) {
    canvas.text({area.x0, names - kAxisName}, look.label(look.text, Weight::strong), TextAlign::left,
                (index == 0 ? "A  " : "B  ") + i.title);
  }
}

}  // namespace

void draw_figure(Canvas& canvas, const Figure& f, const FigureLayout& l) {
  const ScaleLook look = scales(f.ground);
  canvas.fill({0.0, 0.0, l.width, l.height}, {paper(f.ground)});
  for (std::size_t i = 0; i < f.images.size(); ++i) draw_image(canvas, f, l, i);
  const bool each = l.a_bar.width() > 0.0;
  draw_level_bar(canvas, l.level_bar, f.images.back().display, look, each ? "B" : "");
  if (each) draw_level_bar(canvas, l.a_bar, f.images.front().display, look, "A");
  for (const FigureImage& i : f.images) {
    if (i.over.flow == nullptr || !is_overlay(i.display.color_flow.mode) || l.flow_bar.width() <= 0.0) continue;
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

}  // namespace echoloop
