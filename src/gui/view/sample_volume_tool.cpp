#include "gui/view/sample_volume_tool.h"

#include <algorithm>
#include <cmath>

namespace echoloop {
namespace {

constexpr double kShortest_m = 0.2e-3, kLongest_m = 20e-3;  // as the parameter's range

double distance_m(PlanePoint a, PlanePoint b) { return std::hypot(a.x_m - b.x_m, a.z_m - b.z_m); }

}  // namespace

SampleVolumeTool::Grip SampleVolumeTool::grip_at(const ImageLayout& layout, const ImagingParams& p, PlanePoint at,
                                                 double reach_m) {
  if (p.doppler.gate == Gate::off) return Grip::none;
  const GateShape g = gate_shape(layout.grid, p);
  const double to_middle = distance_m(at, g.middle), to_shallow = distance_m(at, g.shallow),
               to_deep = distance_m(at, g.deep);
  // A short gate on a small image: its middle first, its ends from outside.
  if (to_middle <= std::min(to_shallow, to_deep) && to_middle <= 2.0 * reach_m) return Grip::whole;
  if (std::min(to_shallow, to_deep) <= 1.5 * reach_m) {
    return to_shallow < to_deep ? Grip::shallow_end : Grip::deep_end;
  }
  return Grip::none;
}

bool SampleVolumeTool::use(const Hit& hit, const ImageLayout& layout, UiState& state, double reach_m) {
  ImagingParams& p = state.params;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const PlanePoint at = layout.point(std::clamp(mouse.x, layout.image.x0, layout.image.x1),
                                     std::clamp(mouse.y, layout.image.y0, layout.image.y1));
  const bool tool = state.marks.tool == MarkTool::gate;
  const Grip under = tool || state.marks.tool == MarkTool::pointer ? grip_at(layout, p, at, reach_m) : Grip::none;
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

}  // namespace echoloop
