// The two images of a comparison in the window: by a wipe line, or side by side with one zoom and one pointer.
#include <fmt/format.h>

#include <cmath>

#include "gui/compare_badges.h"
#include "gui/flow_colors.h"
#include "gui/screen.h"
#include "gui/wipe.h"

namespace echoloop {
namespace {

// At the foot of an image, at its right.
void draw_chip(const Ui& ui, const Rect& image, std::string_view text) {
  const float w = ui.width(Type::small, text) + ui.px(16), h = ui.px(22), margin = ui.px(8);
  if (w + 2 * margin > image.width()) return;
  const Rect chip{image.x1 - margin - w, image.y1 - margin - h, image.x1 - margin, image.y1 - margin};
  ui.fill(chip, theme::kChip, 4);
  ui.text(Type::small, chip.x0 + ui.px(8), chip.y0, h, theme::kText, text);
}

void draw_cross(const Ui& ui, const PictureLayout& l, PlanePoint at) {
  const ImVec2 p{l.x_px(at.x_m), l.z_px(at.z_m)};
  const float arm = ui.px(9), gap = ui.px(3);
  for (const bool halo : {true, false}) {
    const ImU32 ink = halo ? theme::kHalo : theme::kAccent;
    const float thickness = halo ? 4.5F : 1.5F;
    ui.stroke({p.x - arm, p.y}, {p.x - gap, p.y}, ink, thickness);
    ui.stroke({p.x + gap, p.y}, {p.x + arm, p.y}, ink, thickness);
    ui.stroke({p.x, p.y - arm}, {p.x, p.y - gap}, ink, thickness);
    ui.stroke({p.x, p.y + gap}, {p.x, p.y + arm}, ink, thickness);
  }
}

bool one_pointer(const Image& a, const Image& b) {
  if (a.acquisition == b.acquisition) return true;
  return a.acquisition != nullptr && b.acquisition != nullptr && same_probe(*a.acquisition, *b.acquisition);
}

}  // namespace

void Screen::lay_out(const UiState& state, const SceneInput& input, const Rect& area, bool compact) {
  const Grid& grid = input.image.grid;
  const ColorBars bars = is_overlay(state.params.color_flow.mode) ? ColorBars::level_and_flow : ColorBars::level;
  if (!state.cine.compare || state.cine.compare_look == CompareLook::wipe) {
    layout_ = presentation_ ? place_picture(area, grid, input.scale, state.pan_zoom)
                            : lay_out_picture(area, grid, input.scale, compact, state.pan_zoom, bars);
    return;
  }
  const SideLayouts sides = lay_out_sides({.area = area,
                                           .a = input.compared != nullptr ? input.compared->grid : grid,
                                           .b = grid,
                                           .scale = input.scale,
                                           .compact = compact,
                                           .view = state.pan_zoom,
                                           .bars = presentation_ ? ColorBars::none : bars});
  layout_ = sides.b;
  side_a_ = sides.a;
}

// A drag stays with the image in which it began.
const PictureLayout& Screen::pointed_layout() {
  if (!beside()) return layout_;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!ImGui::IsAnyMouseDown() || ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(2)) {
    pointed_ = side_a_.image.contains(mouse.x, mouse.y) ? CompareSide::a : CompareSide::b;
  }
  return pointed_ == CompareSide::a ? side_a_ : layout_;
}

void Screen::draw_waiting_for_a(const UiState& state, const SceneInput& input) const {
  if (input.compared != nullptr) return;
  const std::string& name = state.cine.a_recording.name;
  ui_.text_centred(Type::body, side_a_.image, theme::kMuted, name.empty() ? "Waiting for A" : "Opening " + name);
}

// Rulers and caption of A; B's are drawn as those of an image alone.
void Screen::draw_side_a(UiState& state, const SceneInput& input, const Rect& area) {
  draw_waiting_for_a(state, input);
  if (input.compared == nullptr) return;
  const ImageViewContext a = view_of_a(state, input);
  draw_rulers(a);
  const bool stacked = layout_.image.y0 > side_a_.image.y1;
  draw_caption(a, stacked ? area.x1 - ui_.px(8) : layout_.room.x0 - ui_.px(theme::kRulerLeft + 8));
}

ImageViewContext Screen::view_of_a(UiState& state, const SceneInput& input) {
  return {
      .ui = ui_,
      .layout = side_a_,
      .image = *input.compared,
      .display = state.params,
      .defaults = state.defaults,
      .side = "A",
      .structure = state.structure,
      .faults = faults_of(state.cine.a_recording.name.empty() ? state.source.samples : state.cine.a_recording.samples,
                          input.compared->stamp.source_index),
      .level_db = input.level_db,
      .echo_at = {}};
}

void Screen::draw_comparison(UiState& state, const SceneInput& input) {
  wipe_x_ = echoloop::wipe_x(layout_, state.cine.wipe);
  if (input.compared == nullptr) return;
  const BadgeLetters letters = presentation_ ? BadgeLetters::large : BadgeLetters::small;
  if (beside()) {
    draw_compare_badges({.ui = ui_,
                         .state = state,
                         .a = *input.compared,
                         .b = input.image,
                         .side_a = side_a_.image,
                         .side_b = layout_.image,
                         .letters = letters});
  } else {
    draw_wipe({ui_, layout_, *input.compared, input.image, state, commands_, letters});
    wipe_x_ = echoloop::wipe_x(layout_, state.cine.wipe);
  }
  if (depths_overlap(input.compared->grid, input.image.grid)) return;
  const Rect& r = layout_.image;
  ui_.text_centred(Type::body, {r.x0, r.y1 - ui_.px(64), r.x1, r.y1 - ui_.px(36)}, theme::kWarn, kNoCommonDepth);
}

void Screen::draw_pointers(UiState& state, const SceneInput& input) {
  const PictureLayout& pointed = pointed_layout();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const PlanePoint at = pointed.point(mouse.x, mouse.y);
  const bool on_a = &pointed == &side_a_;
  if (!beside() || input.compared == nullptr) {
    if (!on_a) draw_pointer(view_of(state, input), at);
    return;
  }
  const bool both = one_pointer(*input.compared, input.image);
  if (both || on_a) draw_pointer(view_of_a(state, input), at);
  if (both || !on_a) draw_pointer(view_of(state, input), at);
  if (both) {
    draw_cross(ui_, side_a_, at);
    draw_cross(ui_, layout_, at);
  } else {
    draw_chip(ui_, on_a ? layout_.image : side_a_.image, on_a ? "Pointer: A only" : "Pointer: B only");
  }
}

}  // namespace echoloop
