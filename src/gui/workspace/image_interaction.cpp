#include "gui/workspace/image_interaction.h"

#include <algorithm>
#include <cmath>

#include "gui/panels/panels.h"
#include "gui/view/marks_view.h"

namespace echoloop {
namespace {

constexpr double kWheelStep = 1.25;
constexpr float kReach = 7;  // pixels at scale 1

// Not beyond what is seen, wherever the mouse is dragged to.
PlanePoint point_at(const ImageLayout& l, ImVec2 mouse) {
  return l.point(std::clamp(mouse.x, l.image.x0, l.image.x1), std::clamp(mouse.y, l.image.y0, l.image.y1));
}

MarkTool next_region(MarkTool tool) {
  return tool == MarkTool::rectangle ? MarkTool::circle
         : tool == MarkTool::circle  ? MarkTool::ellipse
         : tool == MarkTool::ellipse ? MarkTool::outline
                                     : MarkTool::rectangle;
}

}  // namespace

bool ImageInteraction::key(UiState& state, const UiCommands& commands, const KeyPress& press) {
  Marks& marks = state.marks;
  if (press.control) return false;
  switch (press.key) {
    case Key::c:
      marks.tool = marks.tool == MarkTool::distance ? MarkTool::pointer : MarkTool::distance;
      return true;
    case Key::a:
      marks.tool = next_region(marks.tool);
      return true;
    case Key::f:
      if (state.image.pan_zoom.fitted) call(commands.hint, "The whole image is visible.");
      state.image.pan_zoom = {};
      return true;
    case Key::remove:
      if (marks.selected == 0) call(commands.hint, "No measurement is selected.");
      remove_mark(marks, marks.selected);
      return true;
    default:
      return false;
  }
}

void ImageInteraction::zoom_and_pan(const Hit& hit, const ImageLayout& layout, UiState& state) {
  const ImGuiIO& io = ImGui::GetIO();
  if (hit.hovered && ImGui::IsMouseClicked(2)) middle_panning_ = true;
  middle_panning_ = middle_panning_ && ImGui::IsMouseDown(2);
  panning_ = panning_ && hit.held;
  if (hit.hovered && io.MouseWheel != 0) {
    state.image.pan_zoom =
        zoomed_about(layout, io.MousePos.x, io.MousePos.y, std::pow(kWheelStep, static_cast<double>(io.MouseWheel)));
  } else if ((panning_ || middle_panning_) && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
    state.image.pan_zoom = panned(layout, io.MouseDelta.x, io.MouseDelta.y);
  }
  if ((panning_ || middle_panning_) && layout.zoom() > 1.0) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
}

void ImageInteraction::use_tool(const Hit& hit, const ImageLayout& layout, UiState& state, double reach_m, int chip) {
  Marks& marks = state.marks;
  const PlanePoint at = point_at(layout, ImGui::GetIO().MousePos);
  if (hit.pressed && marks.tool == MarkTool::pointer && chip != 0) {
    marks.selected = chip;
  } else if (hit.pressed && !editor_.press(marks, at, reach_m) && marks.tool == MarkTool::pointer) {
    marks.selected = 0;
    panning_ = free_press_ = true;
    if (ImGui::IsMouseDoubleClicked(0)) state.image.pan_zoom = {};
  }
  constexpr float kStill = 4;  // pixels at scale 1: a hand is not quieter
  const float still = kStill * layout.scale;
  free_press_ = free_press_ && ImGui::GetIO().MouseDragMaxDistanceSqr[0] <= still * still;
  if (hit.clicked && free_press_) free_click_ = at;
  free_press_ = free_press_ && hit.held;
  if (marks.tool == MarkTool::inspect && hit.held) state.image.inspected = at;
  if (hit.hovered || hit.held) editor_.move(marks, at, reach_m);
  if (!hit.held) editor_.release(marks);
  if (!hit.right) return;
  if (editor_.draft() != nullptr) {
    editor_ = {};
  } else if (marks.hovered != 0) {
    remove_mark(marks, marks.hovered);
  }
}

bool ImageInteraction::use(Ui& ui, const ImageLayout& layout, UiState& state) {
  const Hit hit = ui.hit("picture", layout.image);
  free_pointer_.reset();
  free_click_.reset();
  Marks& marks = state.marks;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const double reach_m = static_cast<double>(kReach * ui.scale()) / layout.px_per_m;
  const MarksView before{ui, layout, marks, nullptr};
  int chip = 0;
  if (hit.hovered && !hit.held && editor_.draft() == nullptr) {
    chip = chip_at(before, mouse.x, mouse.y);
    const auto grip = grip_at(marks, layout.point(mouse.x, mouse.y), reach_m);
    marks.hovered = chip != 0 ? chip : grip ? grip->number : 0;
    if (marks.hovered != 0 && marks.tool == MarkTool::pointer) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  } else if (hit.pressed) {
    chip = chip_at(before, mouse.x, mouse.y);
  }
  const bool gate = editor_.draft() == nullptr && gate_.use(hit, layout, state, reach_m);
  if (!gate) use_tool(hit, layout, state, reach_m, chip);
  if (!gate && hit.hovered && marks.tool == MarkTool::pointer && marks.hovered == 0) {
    free_pointer_ = layout.point(mouse.x, mouse.y);
  }
  zoom_and_pan(hit, layout, state);
  draw_again(ui, layout, state);
  return hit.hovered;
}

void ImageInteraction::draw_again(Ui& ui, const ImageLayout& layout, const UiState& state) const {
  draw_gate(ui, layout, state.params);
  draw_marks({ui, layout, state.marks, editor_.draft()});
}

}  // namespace echoloop
