#include "gui/overlay/mark_drawing.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "gui/state/mark_shape.h"
#include "render/raster_canvas.h"

namespace echoloop {
namespace {

constexpr double kMarkChip = 0.78;

void draw_chip(Canvas& canvas, const RgbImage& picture, const Mark& mark, const ImagePlace& place, float em) {
  const std::string label = mark_label(mark), value = mark_value(mark, 2);
  const TextLook look{.em = em, .weight = Weight::strong, .color = ink::kAccent};
  TextLook plain = look;
  plain.color = ink::kText;
  const double gap = 0.5 * static_cast<double>(em), label_width = canvas.text_width(look, label);
  const double w = label_width + canvas.text_width(plain, value) + 3 * gap, h = 1.7 * static_cast<double>(em);
  const CanvasPoint at = place.at(label_place(mark));
  const double right = picture.width, bottom = picture.height, left_gap = is_region(mark.kind) ? 0.0 : gap;
  double x = at.x - 0.5 + left_gap;
  double y = at.y - 0.5 + (is_region(mark.kind) ? -gap - h : gap);
  if (x + w > right && !is_region(mark.kind)) x = at.x - 0.5 - gap - w;
  if (y + h > bottom) y = at.y - 0.5 - gap - h;
  x = std::round(std::clamp(x, 0.0, std::max(0.0, right - w)));
  y = std::round(std::clamp(y, 0.0, std::max(0.0, bottom - h)));
  canvas.fill({x, y, std::floor(x + w), std::floor(y + h)}, {kBlack, kMarkChip});
  canvas.text({x + gap, y + 0.5 * h}, look, TextAlign::left, label);
  canvas.text({x + 2 * gap + label_width, y + 0.5 * h}, plain, TextAlign::left, value);
}

RgbImage enlarged(const RgbImage& small, int times) {
  RgbImage large{.width = small.width * times, .height = small.height * times, .rgb = {}};
  large.rgb.reserve(small.rgb.size() * static_cast<std::size_t>(times * times));
  for (int y = 0; y < large.height; ++y) {
    for (int x = 0; x < large.width; ++x) {
      const std::uint8_t* rgb = &small.rgb[3 * static_cast<std::size_t>((y / times) * small.width + x / times)];
      large.rgb.insert(large.rgb.end(), rgb, rgb + 3);
    }
  }
  return large;
}

}  // namespace

std::vector<CanvasLine> lines_of(const Mark& mark, const ImagePlace& place, double arm) {
  std::vector<CanvasLine> lines(1);
  for (const PlanePoint p : mark_line(mark)) lines[0].push_back(place.at(p));
  if (mark.kind != MarkKind::distance && mark.kind != MarkKind::point) return lines;
  for (const PlanePoint p : mark.points) {
    const CanvasPoint at = place.at(p);
    lines.push_back({{at.x - arm, at.y}, {at.x + arm, at.y}});
    lines.push_back({{at.x, at.y - arm}, {at.x, at.y + arm}});
  }
  return lines;
}

LabelledMark labelled(const Mark& mark, const ImagePlace& place, double arm) {
  LabelledMark l{.lines = lines_of(mark, place, arm), .centre = {}};
  if (!is_region(mark.kind)) {  // at its end
    l.centre = place.at(label_place(mark));
    if (mark.kind == MarkKind::point) l.radius = arm;
    return l;
  }
  const CanvasLine& line = l.lines.front();
  CanvasRect box{line.front().x, line.front().y, line.front().x, line.front().y};
  for (const CanvasPoint p : line) {
    box = {std::min(box.x0, p.x), std::min(box.y0, p.y), std::max(box.x1, p.x), std::max(box.y1, p.y)};
  }
  l.centre = {0.5 * (box.x0 + box.x1), 0.5 * (box.y0 + box.y1)};
  for (const CanvasPoint p : line) l.radius = std::max(l.radius, std::hypot(p.x - l.centre.x, p.y - l.centre.y));
  return l;
}

void draw_mark(Canvas& canvas, const Mark& mark, const ImagePlace& place, const MarkLook& look) {
  draw_outlined(canvas, lines_of(mark, place, 0.45 * look.em), look);
}

int enlarge_to_read(RgbImage& picture) {
  constexpr int kReadable = 900;  // pixels of the longer side: room for values
  const int times = std::clamp((kReadable + kReadable / 3) / std::max(picture.width, picture.height), 1, 4);
  if (times > 1) picture = enlarged(picture, times);
  return times;
}

void draw_marks_in(RgbImage& picture, const Grid& grid, const Marks& marks, const ImageOverlays& overlays) {
  if (picture.rgb.empty() || (marks.list.empty() && !has_outlines(overlays))) return;
  const double half_pixel = 0.5 * enlarge_to_read(picture);  // of the image
  const auto em = static_cast<float>(std::clamp(0.018 * std::max(picture.width, picture.height), 11.0, 24.0));
  const CanvasRect all{0.0, 0.0, static_cast<double>(picture.width), static_cast<double>(picture.height)};
  const ImagePlace place{all.grown(-half_pixel), grid};
  const MarkLook look{
      .line = std::max(1.0, 0.09 * static_cast<double>(em)), .halo = 1.5, .em = static_cast<double>(em)};
  TextRasterizer rasterizer;
  RasterCanvas canvas(picture, rasterizer);
  draw_outlines(canvas, overlays, place, look);
  draw_labels(canvas, overlays, place, look, {.within = all});
  for (const Mark& mark : marks.list) draw_mark(canvas, mark, place, look);
  for (const Mark& mark : marks.list) draw_chip(canvas, picture, mark, place, em);
}

}  // namespace echoloop
