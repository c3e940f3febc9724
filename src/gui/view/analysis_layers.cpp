#include "gui/view/analysis_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/results/live_images.h"
#include "core/units.h"
#include "gui/overlay/image_scales.h"
#include "gui/state/number_text.h"

namespace echoloop {

std::span<const AnalysisLayer* const> analysis_layers() {
  static constexpr AnalysisLayer kNone;
  static constexpr auto kRows = rows_of_analyses<AnalysisLayer>([]<class A>() -> const AnalysisLayer* {
    if constexpr (requires { A::kLayer; }) return &A::kLayer;
    return &kNone;
  });
  return kRows;
}

// Objects over the image: their outlines, and the numbers of the largest; also in caption and read-out.

namespace {

struct ObjectsView {
  Ui& ui;
  const ImageLayout& layout;
  const ObjectView& objects;
  const ObjectPick& picked;
  Type numbers;
};

constexpr int kMostNumbers = 40;
constexpr float kNoHaloBelow = 7;  // pixels across, at scale 1: a halo would be larger than the object

enum class Stress { none, hovered, selected };

Rect box_of(const ImageLayout& l, const LabelOutline& o) {
  const auto [left, right] = std::minmax({l.x_px(o.least.x_m), l.x_px(o.most.x_m)});
  return {left, l.z_px(o.least.z_m), right, l.z_px(o.most.z_m)};
}

// Returns the outline on screen, without points that are too close to the previous one to be seen.
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

// Draws all but the selected and the hovered object, which are drawn on top.
void draw_others(const ObjectsView& v) {
  const Ui& ui = v.ui;
  const ObjectView& s = v.objects;
  std::vector<ImVec2> points;
  for (const LabelOutline& o : s.outlines) {
    const int number = s.numbers[static_cast<std::size_t>(o.label - 1)];
    const Rect box = box_of(v.layout, o);
    if (number == v.picked.selected || number == v.picked.hovered || !box.inset(-ui.px(3)).overlaps(v.layout.image))
      continue;
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

// Returns the label next to the object's extreme upper right, upper left, lower right or lower left; within the image.
Rect chip_rect(const ObjectsView& v, int number, const LabelOutline& o, int side) {
  const Ui& ui = v.ui;
  const Rect& image = v.layout.image;
  const double right = side % 2 == 0 ? 1.0 : -1.0, down = side < 2 ? -1.0 : 1.0, out = right * v.layout.way();
  PlanePoint best = o.line.front();
  for (const PlanePoint p : o.line) {
    if (out * p.x_m + down * p.z_m > out * best.x_m + down * best.z_m) best = p;
  }
  const float w = ui.width(v.numbers, std::to_string(number)) + ui.px(6), gap = ui.px(2);
  const float h = ui.px(v.numbers == Type::small ? 15 : 26);
  const float at_x = v.layout.x_px(best.x_m), at_y = v.layout.z_px(best.z_m);
  const float x = std::round(right > 0.0 ? at_x + gap : at_x - gap - w);
  const float y = std::round(at_y - 0.5F * h + static_cast<float>(down) * 0.25F * h);
  const auto within = [gap](float at, float size, float from, float to) {
    return std::clamp(at, from + gap, std::max(from + gap, to - size - gap));
  };
  const float x0 = within(x, w, image.x0, image.x1), y0 = within(y, h, image.y0, image.y1);
  return {x0, y0, x0 + w, y0 + h};
}

// Draws the numbers of the selected and hovered object first, then the largest, without overlap.
void draw_numbers(const ObjectsView& v) {
  const Ui& ui = v.ui;
  const ObjectView& s = v.objects;
  const auto count = static_cast<std::size_t>(s.count());
  std::vector<const LabelOutline*> outer(count, nullptr);  // the first line of an object is never that of a hole
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
      const bool looked_at = number == v.picked.selected || number == v.picked.hovered;
      ui.fill(r, theme::kChip, 3);
      if (looked_at) ui.outline(r, theme::kAccentHover, 3);
      ui.text_centred(v.numbers, r, looked_at ? theme::kText : theme::kAccent, std::to_string(number));
      return;
    }
  };
  for (const int number : {v.picked.selected, v.picked.hovered}) {
    if (number > 0) draw(number);
  }
  for (int number = 1; number <= s.count() && placed.size() < kMostNumbers; ++number) {
    if (number != v.picked.selected && number != v.picked.hovered) draw(number);
  }
}

void draw_objects(Ui& ui, const ImageLayout& layout, const AnalysisViews& views, const ObjectPick& picked,
                  Type numbers) {
  const ObjectView& s = views.of<ObjectView>();
  if (s.image == nullptr) return;
  const ObjectsView v{ui, layout, s, picked, numbers};
  const Rect& image = v.layout.image;
  v.ui.list().PushClipRect({image.x0, image.y0}, {image.x1, image.y1}, true);
  draw_others(v);
  if (picked.hovered > 0 && picked.hovered != picked.selected) draw_lines(v, picked.hovered, Stress::hovered);
  if (picked.selected > 0) draw_lines(v, picked.selected, Stress::selected);
  draw_numbers(v);
  v.ui.list().PopClipRect();
}

// Sets the object under the pointer, highlighted in the next frame, also in the table; a click selects it, or none.
void point_at_objects(const AnalysisViews& views, ObjectPick& picked, std::optional<PlanePoint> pointer,
                      std::optional<PlanePoint> click) {
  const ObjectView& s = views.of<ObjectView>();
  picked.hovered_on_picture = pointer ? object_at(s, *pointer) : 0;
  if (click && s.image != nullptr) picked.selected = object_at(s, *click);
}

void add_objects_caption(const AnalysisViews& views, std::vector<CaptionItem>& items) {
  const ObjectView& s = views.of<ObjectView>();
  if (s.image == nullptr) return;
  const bool trend = s.image->params.objects.trend == LevelTrend::remove;
  items.push_back({"objects", std::to_string(s.count()), trend ? "trend removed" : ""});
  if (s.older_s > 0.0) items.push_back({"", fixed(1e3 * s.older_s, 0), "ms delay"});
}

// Returns number and area of the object under the pointer.
std::string read_out_objects(const AnalysisViews& views, const LayerPointer& pointer) {
  const int number = pointer.picked.hovered_on_picture;
  if (number == 0) return {};
  const double mm2 = views.of<ObjectView>().object(number).area_m2 / (kMetresPerMillimetre * kMetresPerMillimetre);
  return fmt::format("object {}  {} mm\u00B2", number, fixed(mm2, mm2 < 99.995 ? 2 : 1));
}

}  // namespace

constinit const AnalysisLayer ObjectAnalysis::kLayer{
    .add_caption = add_objects_caption, .read_out = read_out_objects, .draw = draw_objects, .point = point_at_objects};

namespace {

constexpr double kShortest_m = 0.2e-3, kLongest_m = 20e-3;  // as the range of the parameter

}  // namespace

SampleVolumeTool::Grip SampleVolumeTool::grip_at(const ImageLayout& layout, const ImagingParams& p, PlanePoint at,
                                                 double reach_m) {
  if (p.doppler.gate == Gate::off) return Grip::none;
  const GateShape g = gate_shape(layout.grid, p);
  const double to_middle = distance_m(at, g.middle), to_shallow = distance_m(at, g.shallow),
               to_deep = distance_m(at, g.deep);
  // A short gate on a small image is gripped at its centre first, at its ends only from outside.
  if (to_middle <= std::min(to_shallow, to_deep) && to_middle <= 2.0 * reach_m) return Grip::whole;
  if (std::min(to_shallow, to_deep) <= 1.5 * reach_m) {
    return to_shallow < to_deep ? Grip::shallow_end : Grip::deep_end;
  }
  return Grip::none;
}

bool SampleVolumeTool::use(const Hit& hit, const ImageLayout& layout, Edits& edits, double reach_m) {
  ImagingParams& p = edits.params;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const PlanePoint at = layout.point(std::clamp(mouse.x, layout.image.x0, layout.image.x1),
                                     std::clamp(mouse.y, layout.image.y0, layout.image.y1));
  const bool tool = edits.marks.tool == MarkTool::gate;
  const Grip under = tool || edits.marks.tool == MarkTool::pointer ? grip_at(layout, p, at, reach_m) : Grip::none;
  if (hit.hovered && (under == Grip::shallow_end || under == Grip::deep_end)) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  } else if (hit.hovered && under == Grip::whole) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  }
  if (hit.pressed) {
    held_ = under;
    offset_ = {p.doppler.x_m - at.x_m, p.doppler.z_m - at.z_m};
    if (tool && under == Grip::none) {
      held_ = Grip::whole;
      offset_ = {0.0, 0.0};
      p.doppler.gate = Gate::on;
      changed_ = true;
    }
  }
  if (!hit.held && !hit.pressed) held_ = Grip::none;
  if (held_ == Grip::none) return false;
  const ImagingParams before = p;
  if (held_ == Grip::whole) {
    p.doppler.x_m = std::clamp(at.x_m + offset_.x_m, layout.grid.x0_m, layout.grid.x1_m);
    p.doppler.z_m = std::clamp(at.z_m + offset_.z_m, layout.grid.z0_m, layout.grid.z1_m);
  } else {
    const GateShape g = gate_shape(layout.grid, p);
    const double away = (at.x_m - g.middle.x_m) * g.along.x_m + (at.z_m - g.middle.z_m) * g.along.z_m;
    p.doppler.length_m = std::clamp(2.0 * std::abs(away), kShortest_m, kLongest_m);
  }
  changed_ = changed_ || p != before;
  return true;
}

void draw_guide(const Ui& ui, const ImageLayout& l, const GuideLine& line) {
  const Rect& r = l.image;
  const ImVec2 a{l.x_px(line.from.x_m), l.z_px(line.from.z_m)}, b{l.x_px(line.to.x_m), l.z_px(line.to.z_m)};
  const auto thickness = static_cast<float>(line.thickness);
  const auto alpha = static_cast<int>(std::lround(255.0 * line.opacity));
  ui.list().PushClipRect({r.x0, r.y0}, {r.x1, r.y1}, true);
  ui.stroke(a, b, theme::kHalo, thickness + 2);
  ui.stroke(a, b, IM_COL32(line.color.r, line.color.g, line.color.b, alpha), thickness);
  ui.list().PopClipRect();
}

void draw_gate(const Ui& ui, const ImageLayout& l, const ImagingParams& p) {
  if (p.doppler.gate == Gate::off || l.image.width() <= 0) return;
  for (const GuideLine& line : gate_guides(l.grid, p, static_cast<double>(ui.scale()) / l.px_per_m)) {
    draw_guide(ui, l, line);
  }
}

namespace {

constexpr int kPieces = 64;

std::size_t pixel_at(const Grid& grid, GridPlace place) {
  return static_cast<std::size_t>(std::lround(place.row) * grid.nx + std::lround(place.column));
}

void label(const Ui& ui, const Rect& bar, double from_top, Type type, ImU32 color, const std::string& text) {
  const float y = std::round(bar.y0 + static_cast<float>(from_top) * bar.height());
  ui.horizontal(bar.x1 + ui.px(3), bar.x1 + ui.px(8), y, theme::kTick);
  ui.text(type, bar.x1 + ui.px(11), y - ui.px(8), ui.px(16), color, text);
}

}  // namespace

void draw_flow_bar(Ui& ui, const ImageLayout& layout, const FlowImage& flow, const ImagingParams& params, Type labels) {
  const Rect& bar = layout.flow_bar;
  const bool velocity = params.color_flow.mode == FlowMode::velocity;
  const Rect area{bar.x0 - ui.px(4), bar.y0 - ui.px(26), bar.x1 + ui.px(38), bar.y1 + ui.px(8)};
  ui.hit("flow_bar", area,
         velocity ? Tip{"Velocity",
                        "Red: towards the probe; blue: away from the probe; brighter is faster. The ends are the "
                        "aliasing limit (phase change of 180 degrees between frames). Faster flow appears with the "
                        "wrong sign; a higher PRF or a larger Doppler angle raises the limit.",
                        {}}
                  : Tip{"Doppler power",
                        "Mean power after the wall filter, in dB on the scale of the B-mode image, from the threshold "
                        "up. Free of aliasing, without direction.",
                        {}});
  for (int i = 0; i < kPieces; ++i) {
    const auto edge = [&](int k) {
      return std::round(bar.y0 + bar.height() * static_cast<float>(k) / static_cast<float>(kPieces));
    };
    const auto color = [&](int k) {
      const Rgb c = flow_bar_color(params, static_cast<double>(k) / kPieces);
      return IM_COL32(c.r, c.g, c.b, 255);
    };
    ui.list().AddRectFilledMultiColor({bar.x0, edge(i)}, {bar.x1, edge(i + 1)}, color(i), color(i), color(i + 1),
                                      color(i + 1));
  }
  ui.outline({bar.x0 - 1, bar.y0 - 1, bar.x1 + 1, bar.y1 + 1}, theme::kLine2);
  const bool large = labels == Type::large;
  ui.text(labels, bar.x0, bar.y0 - ui.px(large ? 32 : 26), ui.px(large ? 24 : 16), theme::kMuted,
          flow_unit(flow, params));
  const double room = static_cast<double>(bar.height() / ui.px(large ? 84 : 56));
  for (const FlowLabel& l : flow_labels(flow, params, room)) {
    label(ui, bar, l.from_top, l.main && !large ? Type::badge : labels, l.main ? theme::kText : theme::kText2, l.text);
  }
}

double low_rank_at(const FlowImage& flow, PlanePoint point) {
  const GridPlace place = flow.grid.place(point.x_m, point.z_m);
  if (!flow.grid.contains(place, 0.499)) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(flow.low_rank_db[pixel_at(flow.grid, place)]);
}

std::string flow_age_text(double age_s) { return fixed(age_s, age_s < 1.0 ? 2 : age_s < 100.0 ? 1 : 0); }

std::pair<std::string, std::string> flow_age(const FlowImage& flow, double age_s) {
  if (age_s == 0.0) return {std::to_string(flow.frames), "frames"};
  return {flow_age_text(age_s), "s delay"};
}

std::string flow_at(const FlowImage& flow, const ImagingParams& params, PlanePoint point, double picture_db) {
  const GridPlace place = flow.grid.place(point.x_m, point.z_m);
  if (!is_overlay(params.color_flow.mode) || !flow.grid.contains(place, 0.499)) return {};
  const std::size_t at = pixel_at(flow.grid, place);
  if (flow_opacity(flow.power_db[at], static_cast<float>(picture_db), params) < 0.5F) return {};
  if (params.color_flow.mode == FlowMode::power)
    return "flow " + fixed(static_cast<double>(flow.power_db[at]), 1) + " dB";
  return velocity_text(static_cast<double>(flow.velocity_m_s[at]), flow.aliasing_m_s);
}

namespace {

void add_flow_caption(const AnalysisViews& views, std::vector<CaptionItem>& items) {
  const FlowImage* const flow = views.of<FlowView>().image.get();
  if (flow == nullptr) return;
  const bool low_rank = flow->params.color_flow.mode == FlowMode::low_rank;
  auto [age, unit] = flow_age(*flow, views.of<FlowView>().age_s);
  items.push_back({low_rank ? "low rank" : "flow", std::move(age), std::move(unit)});
}

std::string read_out_flow(const AnalysisViews& views, const LayerPointer& pointer) {
  if (views.of<FlowView>().image == nullptr) return {};
  return flow_at(*views.of<FlowView>().image, pointer.display, pointer.at, pointer.level_db);
}

}  // namespace

constinit const AnalysisLayer FlowAnalysis::kLayer{.add_caption = add_flow_caption, .read_out = read_out_flow};

}  // namespace echoloop
