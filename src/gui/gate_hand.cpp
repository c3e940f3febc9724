#include "gui/gate_hand.h"

#include <algorithm>
#include <cmath>

namespace echoloop {
namespace {

constexpr double kShortest_m = 0.2e-3, kLongest_m = 20e-3;  // as the parameter's range

double distance_m(PlanePoint a, PlanePoint b) { return std::hypot(a.x_m - b.x_m, a.z_m - b.z_m); }

}  // namespace

GateShape gate_shape(const Grid& grid, const ImagingParams& p) {
  GateShape g{.middle = {p.gate_x_m, p.gate_z_m}, .shallow = {}, .deep = {}, .along = {0.0, 1.0}};
  if (grid.polar()) {
    const double x = p.gate_x_m, down = p.gate_z_m - grid.sector.apex_z_m;
    if (const double r = std::hypot(x, down); r > 0.0) g.along = {x / r, down / r};
  }
  const double half = 0.5 * p.gate_length_m;
  g.shallow = {g.middle.x_m - half * g.along.x_m, g.middle.z_m - half * g.along.z_m};
  g.deep = {g.middle.x_m + half * g.along.x_m, g.middle.z_m + half * g.along.z_m};
  return g;
}

GateHand::Grip GateHand::grip_at(const PictureLayout& layout, const ImagingParams& p, PlanePoint at, double reach_m) {
  if (p.gate == Gate::off) return Grip::none;
  const GateShape g = gate_shape(layout.grid, p);
  const double to_middle = distance_m(at, g.middle), to_shallow = distance_m(at, g.shallow),
               to_deep = distance_m(at, g.deep);
  // A short gate on a small picture: its middle first, its ends from outside.
  if (to_middle <= std::min(to_shallow, to_deep) && to_middle <= 2.0 * reach_m) return Grip::whole;
  if (std::min(to_shallow, to_deep) <= 1.5 * reach_m) {
    return to_shallow < to_deep ? Grip::shallow_end : Grip::deep_end;
  }
  return Grip::none;
}

bool GateHand::use(const Hit& hit, const PictureLayout& layout, UiState& state, double reach_m) {
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
    offset_ = {p.gate_x_m - at.x_m, p.gate_z_m - at.z_m};
    if (tool && under == Grip::none) {
      held_ = Grip::whole;
      offset_ = {0.0, 0.0};
      p.gate = Gate::on;
      changed_ = true;
    }
  }
  if (!hit.held && !hit.pressed) held_ = Grip::none;
  if (held_ == Grip::none) return false;
  const ImagingParams before = p;
  if (held_ == Grip::whole) {
    p.gate_x_m = std::clamp(at.x_m + offset_.x_m, layout.grid.x0_m, layout.grid.x1_m);
    p.gate_z_m = std::clamp(at.z_m + offset_.z_m, layout.grid.z0_m, layout.grid.z1_m);
  } else {
    const GateShape g = gate_shape(layout.grid, p);
    const double away = (at.x_m - g.middle.x_m) * g.along.x_m + (at.z_m - g.middle.z_m) * g.along.z_m;
    p.gate_length_m = std::clamp(2.0 * std::abs(away), kShortest_m, kLongest_m);
  }
  changed_ = changed_ || p != before;
  return true;
}

void draw_gate(const Ui& ui, const PictureLayout& l, const ImagingParams& p) {
  if (p.gate == Gate::off || l.image.width() <= 0) return;
  const GateShape g = gate_shape(l.grid, p);
  const Rect& r = l.image;
  ui.list().PushClipRect({r.x0, r.y0}, {r.x1, r.y1}, true);
  const auto px = [&](PlanePoint at) { return ImVec2{l.x_px(at.x_m), l.z_px(at.z_m)}; };
  const auto beyond = [](PlanePoint from, PlanePoint way, double by_m) {
    return PlanePoint{from.x_m + by_m * way.x_m, from.z_m + by_m * way.z_m};
  };
  const auto line = [&](ImVec2 a, ImVec2 b, ImU32 color, float thickness) {
    ui.stroke(a, b, theme::kHalo, thickness + 2);
    ui.stroke(a, b, color, thickness);
  };
  const double all_m = std::hypot(l.grid.x1_m - l.grid.x0_m, l.grid.z1_m - l.grid.z0_m);
  const ImU32 faint = theme::rgb(0x4CC3E0, 150);
  // The beam, but for the gate itself.
  line(px(beyond(g.shallow, g.along, -all_m)), px(g.shallow), faint, 1);
  line(px(g.deep), px(beyond(g.deep, g.along, all_m)), faint, 1);
  const auto end_m = static_cast<double>(ui.px(9)) / l.px_per_m;
  const PlanePoint across{-g.along.z_m, g.along.x_m};
  for (const PlanePoint end : {g.shallow, g.deep}) {
    line(px(beyond(end, across, -end_m)), px(beyond(end, across, end_m)), theme::kAccent, 2);
  }
  // The flow, as the angle says that it runs.
  const double angle = p.flow_angle_rad;
  const PlanePoint flow{g.along.x_m * std::cos(angle) + g.along.z_m * std::sin(angle),
                        g.along.z_m * std::cos(angle) - g.along.x_m * std::sin(angle)};
  const auto flow_m = static_cast<double>(ui.px(26)) / l.px_per_m;
  const auto gap_m = static_cast<double>(ui.px(5)) / l.px_per_m;
  const ImU32 yellow = theme::rgb(0xF2C14E);
  line(px(beyond(g.middle, flow, -flow_m)), px(beyond(g.middle, flow, -gap_m)), yellow, 1.5F);
  line(px(beyond(g.middle, flow, gap_m)), px(beyond(g.middle, flow, flow_m)), yellow, 1.5F);
  ui.list().PopClipRect();
}

}  // namespace echoloop
