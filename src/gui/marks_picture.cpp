#include "gui/marks_picture.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/letters.h"
#include "gui/mark_shape.h"
#include "gui/rect.h"

namespace echoloop {
namespace {

constexpr Rgb kBlack = {0, 0, 0};
constexpr double kHalo = 0.67, kChip = 0.78;

struct Pixel {
  double x, y;
};

class Pen {
 public:
  // Each pixel of the image has become `times` x `times` of the picture.
  Pen(RgbPicture& picture, const Grid& grid, int times) : picture_(picture), grid_(grid), times_(times) {
    em_ = static_cast<float>(std::clamp(0.018 * std::max(picture.width, picture.height), 11.0, 24.0));
    line_ = std::max(1.0, 0.09 * static_cast<double>(em_));
  }

  [[nodiscard]] Pixel place_of(PlanePoint p) const {
    const auto share = [](double v, double from, double to) { return to > from ? (v - from) / (to - from) : 0.0; };
    const double first = 0.5 * (times_ - 1);
    return {first + share(p.x_m, grid_.x0_m, grid_.x1_m) * (picture_.width - times_),
            first + share(p.z_m, grid_.z0_m, grid_.z1_m) * (picture_.height - times_)};
  }

  void lines(const std::vector<std::vector<Pixel>>& all) {
    for (const double wider : {1.5, 0.0}) {
      covered_.assign(picture_.rgb.size() / 3, 0.0F);
      for (const auto& line : all) {
        for (std::size_t i = 1; i < line.size(); ++i) cover(line[i - 1], line[i], 0.5 * line_ + wider);
      }
      for (std::size_t i = 0; i < covered_.size(); ++i) {
        if (covered_[i] > 0.0F)
          blend(i, wider > 0.0 ? kBlack : ink::kAccent, (wider > 0.0 ? kHalo : 1.0) * covered_[i]);
      }
    }
  }

  void chip(const Mark& mark) {
    const std::string label = mark_label(mark), value = mark_value(mark, 2);
    const TextLook look{.em = em_, .weight = Weight::strong, .color = ink::kAccent};
    TextLook plain = look;
    plain.color = ink::kText;
    const float gap = 0.5F * em_, label_width = letters_.width(look, label);
    const float w = label_width + letters_.width(plain, value) + 3 * gap, h = 1.7F * em_;
    const Pixel at = place_of(label_place(mark));
    const auto right = static_cast<float>(picture_.width), bottom = static_cast<float>(picture_.height);
    float x = static_cast<float>(at.x) + (is_region(mark.kind) ? 0 : gap);
    float y = static_cast<float>(at.y) + (is_region(mark.kind) ? -gap - h : gap);
    if (x + w > right && !is_region(mark.kind)) x = static_cast<float>(at.x) - gap - w;
    if (y + h > bottom) y = static_cast<float>(at.y) - gap - h;
    x = std::round(std::clamp(x, 0.0F, std::max(0.0F, right - w)));
    y = std::round(std::clamp(y, 0.0F, std::max(0.0F, bottom - h)));
    ground({x, y, x + w, y + h});
    letters_.draw(picture_, x + gap, y + 0.5F * h, look, label);
    letters_.draw(picture_, x + 2 * gap + label_width, y + 0.5F * h, plain, value);
  }

  // The number of an object beside the upper right of its outline, where none is yet.
  void number(int n, const LabelOutline& outline) {
    const TextLook look{.em = 0.9F * em_, .weight = Weight::strong, .color = ink::kAccent};
    const std::string text = std::to_string(n);
    PlanePoint best = outline.line.front();
    for (const PlanePoint p : outline.line) {
      if (p.x_m - p.z_m > best.x_m - best.z_m) best = p;
    }
    const Pixel at = place_of(best);
    const float w = letters_.width(look, text) + 0.5F * em_, h = 1.3F * em_;
    const float x = std::round(
        std::clamp(static_cast<float>(at.x) + 2.0F, 0.0F, std::max(0.0F, static_cast<float>(picture_.width) - w)));
    const float y = std::round(std::clamp(static_cast<float>(at.y) - 0.75F * h, 0.0F,
                                          std::max(0.0F, static_cast<float>(picture_.height) - h)));
    const Rect box{x, y, x + w, y + h};
    if (std::any_of(numbers_.begin(), numbers_.end(), [&](const Rect& r) { return r.overlaps(box); })) return;
    numbers_.push_back(box);
    ground(box);
    letters_.draw(picture_, x + 0.25F * em_, y + 0.5F * h, look, text);
  }

  [[nodiscard]] double arm() const { return 0.45 * static_cast<double>(em_); }

 private:
  void ground(const Rect& r) {
    for (int py = static_cast<int>(r.y0); py < std::min(static_cast<int>(r.y1), picture_.height); ++py) {
      for (int px = static_cast<int>(r.x0); px < std::min(static_cast<int>(r.x1), picture_.width); ++px) {
        blend(static_cast<std::size_t>(py) * static_cast<std::size_t>(picture_.width) + static_cast<std::size_t>(px),
              kBlack, kChip);
      }
    }
  }

  // How much of each pixel a segment of this half width covers; what is covered already stays.
  void cover(Pixel a, Pixel b, double half) {
    const double reach = half + 1.0;
    const auto low = [](double v) { return std::max(0, static_cast<int>(std::floor(v))); };
    const int x0 = low(std::min(a.x, b.x) - reach), y0 = low(std::min(a.y, b.y) - reach);
    const int x1 = std::min(picture_.width - 1, static_cast<int>(std::max(a.x, b.x) + reach));
    const int y1 = std::min(picture_.height - 1, static_cast<int>(std::max(a.y, b.y) + reach));
    const std::vector<PlanePoint> segment = {{a.x, a.y}, {b.x, b.y}};
    for (int y = y0; y <= y1; ++y) {
      for (int x = x0; x <= x1; ++x) {
        const double away = distance_to_line_m(segment, {static_cast<double>(x), static_cast<double>(y)});
        float& pixel = covered_[static_cast<std::size_t>(y) * static_cast<std::size_t>(picture_.width) +
                                static_cast<std::size_t>(x)];
        pixel = std::max(pixel, static_cast<float>(std::clamp(half + 0.5 - away, 0.0, 1.0)));
      }
    }
  }

  void blend(std::size_t pixel, Rgb over, double share) {
    std::uint8_t* rgb = &picture_.rgb[3 * pixel];
    const auto mix = [share](std::uint8_t under, std::uint8_t top) {
      return static_cast<std::uint8_t>(std::lround(under + share * (top - under)));
    };
    rgb[0] = mix(rgb[0], over.r);
    rgb[1] = mix(rgb[1], over.g);
    rgb[2] = mix(rgb[2], over.b);
  }

  RgbPicture& picture_;
  const Grid& grid_;
  int times_;
  Letters letters_;
  float em_ = 0;
  double line_ = 0;
  std::vector<float> covered_;
  std::vector<Rect> numbers_;
};

RgbPicture enlarged(const RgbPicture& small, int times) {
  RgbPicture large{.width = small.width * times, .height = small.height * times, .rgb = {}};
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

int enlarge_to_read(RgbPicture& picture) {
  constexpr int kReadable = 900;  // pixels of the longer side: room for values
  const int times = std::clamp((kReadable + kReadable / 3) / std::max(picture.width, picture.height), 1, 4);
  if (times > 1) picture = enlarged(picture, times);
  return times;
}

namespace {

void draw_objects_with(Pen& pen, const StructureView& objects) {
  std::vector<std::vector<Pixel>> lines;
  std::vector<const LabelOutline*> outer(objects.ranked.size(), nullptr);  // the first line of an object
  for (const LabelOutline& o : objects.outlines) {
    std::vector<Pixel> line;
    for (const PlanePoint p : o.line) line.push_back(pen.place_of(p));
    line.push_back(line.front());
    lines.push_back(std::move(line));
    const auto i = static_cast<std::size_t>(objects.numbers[static_cast<std::size_t>(o.label - 1)] - 1);
    if (outer[i] == nullptr) outer[i] = &o;
  }
  pen.lines(lines);
  constexpr std::size_t kMostNumbers = 40;
  for (std::size_t i = 0; i < std::min(outer.size(), kMostNumbers); ++i) pen.number(static_cast<int>(i) + 1, *outer[i]);
}

}  // namespace

void draw_marks_in(RgbPicture& picture, const Grid& grid, const Marks& marks, const StructureView* objects) {
  const bool found = objects != nullptr && !objects->outlines.empty();
  if (picture.rgb.empty() || (marks.list.empty() && !found)) return;
  const int times = enlarge_to_read(picture);
  Pen pen(picture, grid, times);
  if (found) draw_objects_with(pen, *objects);
  for (const Mark& mark : marks.list) {
    std::vector<std::vector<Pixel>> lines(1);
    for (const PlanePoint p : mark_line(mark)) lines[0].push_back(pen.place_of(p));
    if (mark.kind == MarkKind::distance || mark.kind == MarkKind::point) {
      const double arm = pen.arm();
      for (const PlanePoint p : mark.points) {
        const Pixel at = pen.place_of(p);
        lines.push_back({{at.x - arm, at.y}, {at.x + arm, at.y}});
        lines.push_back({{at.x, at.y - arm}, {at.x, at.y + arm}});
      }
    }
    pen.lines(lines);
  }
  for (const Mark& mark : marks.list) pen.chip(mark);
}

}  // namespace echoloop
