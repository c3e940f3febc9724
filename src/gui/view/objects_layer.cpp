// Objects over the image: their outlines, and the numbers of the largest; in caption and read-out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/units.h"
#include "gui/state/number_text.h"
#include "gui/view/analysis_layers.h"

namespace echoloop {
namespace {

struct ObjectsView {
  Ui& ui;
  const ImageLayout& layout;
  const ObjectView& objects;
};

constexpr int kMostNumbers = 40;
constexpr float kNoHaloBelow = 7;  // pixels across, at scale 1: a halo would be larger than the object

enum class Stress { none, hovered, selected };

Rect box_of(const ImageLayout& l, const LabelOutline& o) {
  return {l.x_px(o.least.x_m), l.z_px(o.least.z_m), l.x_px(o.most.x_m), l.z_px(o.most.z_m)};
}

// On screen, without points that are nearer to the last one than can be seen.
void points_of(const ImageLayout& l, const LabelOutline& o, std::vector<ImVec2>& points) {
  constexpr float kNear = 0.3F;
  points.clear();
  for (const PlanePoint p : o.line) {
    const ImVec2 at{l.x_px(p.x_m), l.z_px(p.z_m)};
    const bool near = !points.empty() && std::abs(at.x - points.back().x) + std::abs(at.y - points.back().y) < kNear;
    if (!near) points.push_back(at);
  }
}

void draw_lines(const ObjectsView& v, int number, Stress stress) {
  const Ui& ui = v.ui;
  const ImU32 color = stress == Stress::none ? theme::kAccent : theme::kAccentHover;
  const float thickness = (stress == Stress::selected ? 2.5F : stress == Stress::hovered ? 2.0F : 1.25F) * ui.scale();
  std::vector<ImVec2> points;
  for (const LabelOutline& o : v.objects.outlines) {
    if (v.objects.numbers[static_cast<std::size_t>(o.label - 1)] != number) continue;
    points_of(v.layout, o, points);
    if (points.size() < 2) continue;
    compat::add_closed_line(ui.list(), points.data(), static_cast<int>(points.size()), theme::kHalo,
                            thickness + 2 * ui.scale());
    compat::add_closed_line(ui.list(), points.data(), static_cast<int>(points.size()), color, thickness);
  }
}

// All but the two that are looked at, which lie over everything.
void draw_others(const ObjectsView& v) {
  const Ui& ui = v.ui;
  const ObjectView& s = v.objects;
  std::vector<ImVec2> points;
  for (const LabelOutline& o : s.outlines) {
    const int number = s.numbers[static_cast<std::size_t>(o.label - 1)];
    const Rect box = box_of(v.layout, o);
    if (number == s.selected || number == s.hovered || !box.inset(-ui.px(3)).overlaps(v.layout.image)) continue;
    points_of(v.layout, o, points);
    const auto n = static_cast<int>(points.size());
    if (n < 2) continue;
    const float across = std::max(box.width(), box.height());
    if (across >= kNoHaloBelow * ui.scale()) {
      compat::add_closed_line(ui.list(), points.data(), n, theme::kHalo, 3.0F * ui.scale());
    }
    compat::add_closed_line(ui.list(), points.data(), n, theme::kAccent, 1.25F * ui.scale());
  }
}

// Beside the object's point that lies farthest to the right and up, to the left and up, and so on; within the image.
Rect chip_rect(const ObjectsView& v, int number, const LabelOutline& o, int side) {
  const Ui& ui = v.ui;
  const Rect& image = v.layout.image;
  const double right = side % 2 == 0 ? 1.0 : -1.0, down = side < 2 ? -1.0 : 1.0;
  PlanePoint best = o.line.front();
  for (const PlanePoint p : o.line) {
    if (right * p.x_m + down * p.z_m > right * best.x_m + down * best.z_m) best = p;
  }
  const float w = ui.width(Type::small, std::to_string(number)) + ui.px(6), h = ui.px(15), gap = ui.px(2);
  const float at_x = v.layout.x_px(best.x_m), at_y = v.layout.z_px(best.z_m);
  const float x = std::round(right > 0.0 ? at_x + gap : at_x - gap - w);
  const float y = std::round(at_y - 0.5F * h + static_cast<float>(down) * 0.25F * h);
  const auto within = [gap](float at, float size, float from, float to) {
    return std::clamp(at, from + gap, std::max(from + gap, to - size - gap));
  };
  const float x0 = within(x, w, image.x0, image.x1), y0 = within(y, h, image.y0, image.y1);
  return {x0, y0, x0 + w, y0 + h};
}

// The ones that are looked at first, then the largest, as long as they do not cover one another.
void draw_numbers(const ObjectsView& v) {
  const Ui& ui = v.ui;
  const ObjectView& s = v.objects;
  const auto count = static_cast<std::size_t>(s.count());
  std::vector<const LabelOutline*> outer(count, nullptr);  // the first line of an object is never a hole's
  for (const LabelOutline& o : s.outlines) {
    const auto i = static_cast<std::size_t>(s.numbers[static_cast<std::size_t>(o.label - 1)] - 1);
    if (outer[i] == nullptr) outer[i] = &o;
  }
  std::vector<Rect> placed;
  const auto draw = [&](int number) {
    const LabelOutline& o = *outer[static_cast<std::size_t>(number - 1)];
    if (!box_of(v.layout, o).inset(-1).overlaps(v.layout.image)) return;
    for (int side = 0; side < 4; ++side) {
      const Rect r = chip_rect(v, number, o, side);
      const auto covers = [&r](const Rect& other) { return other.overlaps(r.inset(-1)); };
      if (std::any_of(placed.begin(), placed.end(), covers)) continue;
      placed.push_back(r);
      const bool looked_at = number == s.selected || number == s.hovered;
      ui.fill(r, theme::kChip, 3);
      if (looked_at) ui.outline(r, theme::kAccentHover, 3);
      ui.text_centred(Type::small, r, looked_at ? theme::kText : theme::kAccent, std::to_string(number));
      return;
    }
  };
  for (const int number : {s.selected, s.hovered}) {
    if (number > 0) draw(number);
  }
  for (int number = 1; number <= s.count() && placed.size() < kMostNumbers; ++number) {
    if (number != s.selected && number != s.hovered) draw(number);
  }
}

void draw_objects(Ui& ui, const ImageLayout& layout, const AnalysisViews& views) {
  const ObjectView& s = views.objects;
  if (s.image == nullptr) return;
  const ObjectsView v{ui, layout, s};
  const Rect& image = v.layout.image;
  v.ui.list().PushClipRect({image.x0, image.y0}, {image.x1, image.y1}, true);
  draw_others(v);
  if (s.hovered > 0 && s.hovered != s.selected) draw_lines(v, s.hovered, Stress::hovered);
  if (s.selected > 0) draw_lines(v, s.selected, Stress::selected);
  draw_numbers(v);
  v.ui.list().PopClipRect();
}

// What the pointer is on lights up with the next frame, in the table too; a click selects it, or nothing.
void point_at_objects(AnalysisViews& views, std::optional<PlanePoint> pointer, std::optional<PlanePoint> click) {
  ObjectView& s = views.objects;
  s.hovered_on_picture = pointer ? object_at(s, *pointer) : 0;
  if (click && s.image != nullptr) s.selected = object_at(s, *click);
}

void add_caption(const AnalysisViews& views, std::vector<CaptionItem>& items) {
  const ObjectView& s = views.objects;
  if (s.image == nullptr) return;
  items.push_back({"objects", std::to_string(s.count()), ""});
  if (s.older_s > 0.0) items.push_back({"", fixed(1e3 * s.older_s, 0), "ms delay"});
}

// The object under the pointer.
std::string read_out(const AnalysisViews& views, const LayerPointer& /*pointer*/) {
  const ObjectView& s = views.objects;
  if (s.hovered_on_picture == 0) return {};
  const double mm2 = s.object(s.hovered_on_picture).area_m2 / (kMetresPerMillimetre * kMetresPerMillimetre);
  return fmt::format("object {}  {} mm\u00B2", s.hovered_on_picture, fixed(mm2, mm2 < 99.995 ? 2 : 1));
}

}  // namespace

extern const AnalysisLayer kObjectsLayer;
constinit const AnalysisLayer kObjectsLayer{
    .add_caption = add_caption, .read_out = read_out, .draw = draw_objects, .point = point_at_objects};

}  // namespace echoloop
