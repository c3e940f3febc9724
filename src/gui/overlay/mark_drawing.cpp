#include "gui/overlay/mark_drawing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/units.h"
#include "gui/state/marks.h"
#include "render/canvas.h"

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
  if (!is_region(mark.kind)) {  // label at its end
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
  constexpr int kReadable = 900;  // pixels of the longer side: enough for values
  const int times = std::clamp((kReadable + kReadable / 3) / std::max(picture.width, picture.height), 1, 4);
  if (times > 1) picture = enlarged(picture, times);
  return times;
}

void draw_marks_in(RgbImage& picture, const Grid& grid, const Marks& marks, const ImageOverlays& overlays,
                   Mirrored mirrored) {
  if (picture.rgb.empty() || (marks.list.empty() && !has_outlines(overlays))) return;
  const double half_pixel = 0.5 * enlarge_to_read(picture);  // of the image
  const auto em = static_cast<float>(std::clamp(0.018 * std::max(picture.width, picture.height), 11.0, 24.0));
  const CanvasRect all{0.0, 0.0, static_cast<double>(picture.width), static_cast<double>(picture.height)};
  const ImagePlace place{all.grown(-half_pixel), grid, mirrored};
  const MarkLook look{
      .line = std::max(1.0, 0.09 * static_cast<double>(em)), .halo = 1.5, .em = static_cast<double>(em)};
  TextRasterizer rasterizer;
  RasterCanvas canvas(picture, rasterizer);
  draw_outlines(canvas, overlays, place, look);
  draw_labels(canvas, overlays, place, look, {.within = all});
  for (const Mark& mark : marks.list) draw_mark(canvas, mark, place, look);
  for (const Mark& mark : marks.list) draw_chip(canvas, picture, mark, place, em);
}

namespace {

constexpr int kDirections = 24;

double distance(CanvasPoint a, CanvasPoint b) { return std::hypot(a.x - b.x, a.y - b.y); }

CanvasPoint nearest_on(CanvasPoint a, CanvasPoint b, CanvasPoint p) {
  const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  const double t = square > 0.0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / square, 0.0, 1.0) : 0.0;
  return {a.x + t * dx, a.y + t * dy};
}

CanvasPoint nearest_of(const LabelledMark& mark, CanvasPoint p) {
  CanvasPoint best = mark.centre;
  double least = std::numeric_limits<double>::infinity();
  for (const CanvasLine& line : mark.lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const CanvasPoint on = nearest_on(line[i], line[std::min(i + 1, line.size() - 1)], p);
      if (const double away = distance(on, p); away < least) least = away, best = on;
    }
  }
  return best;
}

// Returns direction `i`: up and right first, then alternating to both sides.
CanvasPoint direction(int i) {
  const int turn = (i + 1) / 2 * (i % 2 == 0 ? 1 : -1);
  const double angle = -0.25 * kPi + 2.0 * kPi * turn / kDirections;
  return {std::cos(angle), std::sin(angle)};
}

// Returns the distance from a point to a box around `at`.
double distance_to_box(CanvasPoint p, CanvasPoint at, CanvasPoint half) {
  return std::hypot(std::max(std::abs(p.x - at.x) - half.x, 0.0), std::max(std::abs(p.y - at.y) - half.y, 0.0));
}

class Placing {
 public:
  Placing(const std::vector<LabelledMark>& marks, const CanvasRect& within, const std::vector<CanvasRect>& taken,
          const LabelGaps& gaps)
      : marks_(marks), within_(within), taken_(taken), gaps_(gaps) {}

  // Places a label, without a gap if space is limited.
  PlacedLabel place(const LabelledMark& mark) {
    if (mark.wish && is_free(*mark.wish, mark.half, 0.0)) return put(mark, *mark.wish);
    for (const double gap : {gaps_.gap, 0.0}) {
      if (const auto at = find(mark, gap)) return put(mark, *at);
    }
    crowded_ = true;
    return put(mark, mark.wish.value_or(mark.centre));
  }

  [[nodiscard]] bool crowded() const { return crowded_; }  // a label did not fit

  // Places the labels in rows and columns, which fit the most; each mark gets the nearest free position.
  [[nodiscard]] std::vector<PlacedLabel> in_rows() {
    placed_.clear();
    std::vector<CanvasPoint> places = rows_and_columns();
    std::vector<PlacedLabel> labels;
    for (const LabelledMark& mark : marks_) {
      const auto nearest =
          std::ranges::min_element(places, {}, [&](CanvasPoint p) { return distance(p, nearest_of(mark, p)); });
      labels.push_back(put(mark, nearest != places.end() ? *nearest : mark.wish.value_or(mark.centre)));
      if (nearest != places.end()) places.erase(nearest);
    }
    return labels;
  }

 private:
  struct Box {
    CanvasPoint at, half;
  };

  [[nodiscard]] std::vector<CanvasPoint> rows_and_columns() const {
    constexpr double kApart = 0.05;  // keeps neighbours from touching
    CanvasPoint half;
    for (const LabelledMark& mark : marks_) half = {std::max(half.x, mark.half.x), std::max(half.y, mark.half.y)};
    const double width = within_.width() - 2.0 * half.x, height = within_.height() - 2.0 * half.y;
    const auto steps = [](double length, double least) { return std::max(std::floor(length / least), 1.0); };
    const double nx = steps(width, 2.0 * half.x + kApart), ny = steps(height, 2.0 * half.y + kApart);
    std::vector<CanvasPoint> places;
    for (double j = 0.0; j <= ny; ++j) {
      for (double i = 0.0; i <= nx; ++i) {
        const CanvasPoint at{within_.x0 + half.x + width * i / nx, within_.y0 + half.y + height * j / ny};
        if (!over_taken(at, half)) places.push_back(at);
      }
    }
    return places;
  }

  [[nodiscard]] bool over_taken(CanvasPoint at, CanvasPoint half) const {
    const CanvasRect box{at.x - half.x, at.y - half.y, at.x + half.x, at.y + half.y};
    return std::ranges::any_of(taken_, [&](const CanvasRect& r) { return r.overlaps(box); });
  }

  [[nodiscard]] std::optional<CanvasPoint> find(const LabelledMark& mark, double gap) const {
    const double reach = std::hypot(within_.width(), within_.height());
    std::optional<CanvasPoint> best;
    int least = std::numeric_limits<int>::max();
    for (double r = mark.radius + gaps_.gap; r < mark.radius + reach; r += 0.5 * mark.half.y) {
      for (int i = 0; i < kDirections; ++i) {
        const CanvasPoint d = direction(i);
        const CanvasPoint at{mark.centre.x + (r + mark.half.x) * d.x, mark.centre.y + (r + mark.half.y) * d.y};
        if (!is_free(at, mark.half, gap)) continue;
        const int crossed = lines_under(at, mark.half);
        if (crossed < least) least = crossed, best = at;
        if (crossed == 0) return best;
      }
    }
    return best;
  }

  [[nodiscard]] bool is_free(CanvasPoint at, CanvasPoint half, double gap) const {
    if (at.x - half.x < within_.x0 || at.x + half.x > within_.x1) return false;
    if (at.y - half.y < within_.y0 || at.y + half.y > within_.y1) return false;
    if (over_taken(at, half)) return false;
    return std::ranges::none_of(placed_, [&](const Box& b) {
      return std::abs(b.at.x - at.x) < b.half.x + half.x + gap && std::abs(b.at.y - at.y) < b.half.y + half.y + gap;
    });
  }

  // Returns the number of marks whose lines a label there would cover.
  [[nodiscard]] int lines_under(CanvasPoint at, CanvasPoint half) const {
    return static_cast<int>(std::ranges::count_if(marks_, [&](const LabelledMark& mark) {
      return distance_to_box(nearest_of(mark, at), at, half) < 0.5 * gaps_.gap;
    }));
  }

  PlacedLabel put(const LabelledMark& mark, CanvasPoint at) {
    placed_.push_back({at, mark.half});
    const CanvasPoint foot = nearest_of(mark, at);
    return {at, foot, distance_to_box(foot, at, mark.half) > gaps_.leader_from};
  }

  const std::vector<LabelledMark>& marks_;
  const CanvasRect within_;
  const std::vector<CanvasRect>& taken_;
  const LabelGaps gaps_;
  std::vector<Box> placed_;
  bool crowded_ = false;
};

}  // namespace

std::vector<PlacedLabel> place_labels(const std::vector<LabelledMark>& marks, const CanvasRect& within,
                                      const std::vector<CanvasRect>& taken, const LabelGaps& gaps) {
  Placing placing(marks, within, taken, gaps);
  std::vector<PlacedLabel> placed;
  for (const LabelledMark& mark : marks) placed.push_back(placing.place(mark));
  return placing.crowded() ? placing.in_rows() : placed;
}

}  // namespace echoloop
