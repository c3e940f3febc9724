#include "gui/overlay/mark_drawing.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "gui/state/mark_shape.h"
#include "render/raster_canvas.h"

namespace echoloop {
namespace {

constexpr double kHalo = 0.67, kChip = 0.78;

void draw_lines(Canvas& canvas, const std::vector<CanvasLine>& lines, const MarkLook& look) {
  canvas.lines(lines, look.line + 2.0 * look.halo, {kBlack, kHalo});
  canvas.lines(lines, look.line, {ink::kAccent});
}

// Beside the upper right of its outline, where there is room.
void draw_number(Canvas& canvas, int number, CanvasPoint at, const MarkLook& look, NumberRoom& room) {
  const TextLook text{.em = static_cast<float>(0.9 * look.em), .weight = Weight::strong, .color = ink::kAccent};
  const std::string digits = std::to_string(number);
  const double w = canvas.text_width(text, digits) + 0.5 * look.em, h = 1.3 * look.em;
  const auto inside = [](double v, double from, double to) { return std::clamp(v, from, std::max(from, to)); };
  const double x = canvas.snap(inside(at.x + look.halo, room.within.x0, room.within.x1 - w));
  const double y = canvas.snap(inside(at.y - 0.75 * h, room.within.y0, room.within.y1 - h));
  const CanvasRect box{x, y, x + w, y + h};
  if (std::any_of(room.taken.begin(), room.taken.end(), [&](const CanvasRect& r) { return r.overlaps(box); })) return;
  room.taken.push_back(box);
  canvas.fill(box, {kBlack, kChip});
  canvas.text({x + 0.25 * look.em, y + 0.5 * h}, text, TextAlign::left, digits);
}

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
  draw_lines(canvas, lines_of(mark, place, 0.45 * look.em), look);
}

void draw_object_outlines(Canvas& canvas, const StructureView& objects, const ImagePlace& place, const MarkLook& look) {
  std::vector<CanvasLine> lines;
  for (const LabelOutline& o : objects.outlines) {
    CanvasLine line;
    for (const PlanePoint p : o.line) line.push_back(place.at(p));
    line.push_back(line.front());
    lines.push_back(std::move(line));
  }
  draw_lines(canvas, lines, look);
}

void draw_object_numbers(Canvas& canvas, const StructureView& objects, const ImagePlace& place, const MarkLook& look,
                         NumberRoom room) {
  std::vector<const LabelOutline*> outer(objects.ranked.size(), nullptr);  // the first line of an object
  for (const LabelOutline& o : objects.outlines) {
    const auto i = static_cast<std::size_t>(objects.numbers[static_cast<std::size_t>(o.label - 1)] - 1);
    if (outer[i] == nullptr) outer[i] = &o;
  }
  constexpr std::size_t kMostNumbers = 40;
  for (std::size_t i = 0; i < std::min(outer.size(), kMostNumbers); ++i) {
    if (outer[i] == nullptr) continue;  // without an outline
    PlanePoint best = outer[i]->line.front();
    for (const PlanePoint p : outer[i]->line) {
      if (p.x_m - p.z_m > best.x_m - best.z_m) best = p;
    }
    draw_number(canvas, static_cast<int>(i) + 1, place.at(best), look, room);
  }
}

int enlarge_to_read(RgbImage& picture) {
  constexpr int kReadable = 900;  // pixels of the longer side: room for values
  const int times = std::clamp((kReadable + kReadable / 3) / std::max(picture.width, picture.height), 1, 4);
  if (times > 1) picture = enlarged(picture, times);
  return times;
}

void draw_marks_in(RgbImage& picture, const Grid& grid, const Marks& marks, const StructureView* objects) {
  const bool found = objects != nullptr && !objects->outlines.empty();
  if (picture.rgb.empty() || (marks.list.empty() && !found)) return;
  const double half_pixel = 0.5 * enlarge_to_read(picture);  // of the image
  const auto em = static_cast<float>(std::clamp(0.018 * std::max(picture.width, picture.height), 11.0, 24.0));
  const CanvasRect all{0.0, 0.0, static_cast<double>(picture.width), static_cast<double>(picture.height)};
  const ImagePlace place{all.grown(-half_pixel), grid};
  const MarkLook look{
      .line = std::max(1.0, 0.09 * static_cast<double>(em)), .halo = 1.5, .em = static_cast<double>(em)};
  TextRasterizer rasterizer;
  RasterCanvas canvas(picture, rasterizer);
  if (found) {
    draw_object_outlines(canvas, *objects, place, look);
    draw_object_numbers(canvas, *objects, place, look, {.within = all});
  }
  for (const Mark& mark : marks.list) draw_mark(canvas, mark, place, look);
  for (const Mark& mark : marks.list) draw_chip(canvas, picture, mark, place, em);
}

}  // namespace echoloop
