#include "gui/workspace/image_area.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "gui/overlay/image_scales.h"
#include "gui/panels/cine_actions.h"
#include "gui/panels/panels.h"
#include "gui/state/stream_text.h"
#include "gui/toolkit/layout.h"
#include "gui/toolkit/ui.h"
#include "gui/view/analysis_layers.h"
#include "gui/view/image_view.h"
#include "gui/view/marks_view.h"

namespace echoloop {
namespace {

// Draws at the lower right of an image.
void draw_chip(const Ui& ui, const Rect& image, std::string_view text) {
  const float w = ui.width(Type::small, text) + ui.px(16), margin = ui.px(8);
  if (w + 2 * margin > image.width()) return;
  const Rect chip{image.x1 - margin - w, image.y1 - ui.px(30), image.x1 - margin, image.y1 - margin};
  ui.fill(chip, theme::kChip, 4);
  ui.text(Type::small, {chip.x0 + ui.px(8), chip.y0, chip.x1, chip.y1}, theme::kText, text);
}

// Changes the depth by the wheel over the vertical ruler; returns true if it has changed.
bool take_ruler_wheel(PanelContext& c, const ImageLayout& layout) {
  constexpr double kStep = 1.1, kLeast_m = 5e-3;
  const Rect& image = layout.image;
  const Rect ruler{image.x0 - c.ui.px(theme::kRulerLeft), image.y0, image.x0 - c.ui.px(2), image.y1};
  const Hit h = c.ui.hit("ruler", ruler, {"Depth", "Scroll to change the depth of the image.", {}});
  const float wheel = ImGui::GetIO().MouseWheel;
  if (!h.hovered || wheel == 0.0F) return false;
  FormationParams& p = c.edits.params.formation;
  const double most_m = recorded_depth_mm(c.model, c.edits) * kMetresPerMillimetre;
  const double least_m = std::min(p.depth_min_m + kLeast_m, most_m);
  const double wanted_m = std::clamp(p.depth_max_m * std::pow(kStep, -static_cast<double>(wheel)), least_m, most_m);
  const bool changed = wanted_m != p.depth_max_m;
  p.depth_max_m = wanted_m;
  return changed;
}

// Draws the mark of element 1 in View, and on a mirrored image; returns true if a click on it has mirrored the image.
bool take_orientation(PanelContext& c, const ImageViewContext& view) {
  Mirrored& mirrored = c.edits.params.display.mirrored;
  const bool shown = c.view.mode == WindowMode::view || mirrored == Mirrored::on;
  if (!shown || !draw_orientation(view)) return false;
  mirrored = mirrored == Mirrored::on ? Mirrored::off : Mirrored::on;
  return true;
}

bool one_pointer(const Image& a, const Image& b) {
  if (a.acquisition == b.acquisition) return true;
  return a.acquisition != nullptr && b.acquisition != nullptr && same_probe(*a.acquisition, *b.acquisition);
}

}  // namespace

void ImageArea::begin_frame() {
  last_ = std::exchange(layout_, {});
  side_a_ = {};
}

void ImageArea::lay_out(PanelContext& c, const SceneInput& input, Rect area, Place place) {
  const bool presented = place == Place::presentation;
  traces_ = take_traces_band(c.ui, c.model.source.contents.get(), area);
  const Grid& grid = input.image.grid;
  const ColorBars bars{.a = scales_differ(input.compared, input.image, c.edits),
                       .flow = is_overlay(c.edits.params.color_flow.mode),
                       .tgc = c.view.mode == WindowMode::view && place == Place::window};
  const Mirrored mirrored = c.edits.params.display.mirrored;
  const float labels = c.edits.cine.compare ? c.ui.px(label_room(letters_of(place))) : 0;
  if (!c.edits.cine.compare || c.edits.cine.compare_look == CompareLook::wipe) {
    area.y0 += labels;
    const auto with = [&](const PanZoom& view) {
      return presented ? place_picture(area, grid, input.scale, view, mirrored)
                       : lay_out_picture(area, grid, input.scale, c.compact, view, bars, mirrored);
    };
    layout_ = with(c.edits.view.pan_zoom);
    layout_ = with(eased_.towards(c.edits.view.pan_zoom, layout_, c.ui.step_s()));
    if (eased_.moving()) c.ui.request_frame();
    return;
  }
  const SideLayouts sides = lay_out_sides({.area = area,
                                           .a = input.compared != nullptr ? input.compared->grid : grid,
                                           .b = grid,
                                           .scale = input.scale,
                                           .compact = !presented && c.compact,
                                           .view = c.edits.view.pan_zoom,
                                           .labels = labels,
                                           .bars = presented ? ColorBars{.level = false} : bars,
                                           .mirrored = mirrored});
  layout_ = sides.b;
  side_a_ = sides.a;
}

void ImageArea::draw(PanelContext& c, const SceneInput& input, const Rect& area) {
  lay_out(c, input, area, Place::window);
  ends_ = {.b = area.x1 - c.ui.px(8)};
  if (beside()) draw_side_a(c, input, area);
  const ImageViewContext view = view_of(c, input);
  draw_rulers(view);
  const bool by_mark = take_orientation(c, view);
  if (c.model.run == RunState::fault) {
    const Rect& r = layout_.image;
    c.ui.outline({r.x0 - 1, r.y0 - 1, r.x1 + 1, r.y1 + 1}, theme::kRed, 0, 2);
  }
  const bool by_ruler = take_ruler_wheel(c, view.layout);
  const bool by_curve = layout_.tgc.width() > 0 && draw_tgc_curve(view, layout_.tgc);
  if (draw_color_bars(c, input) || by_ruler || by_curve || by_mark) c.commands.send(command::ParamsChanged{});
  const FlowImage* const flow = c.model.analyses.of<FlowView>().image.get();
  if (flow != nullptr && is_overlay(c.edits.params.color_flow.mode)) {
    draw_flow_bar(c.ui, layout_, *flow, c.edits.params);
  }
  const ImageWork& next = c.model.image.work;
  const auto work = long_work(next.since_ns, next.remaining_s, now_ns());
  if (work && next.remaining_s > 0.0) ends_.b = draw_long_work(c.ui, layout_, ends_.b, *work);
  draw_over(c, input, Place::window);
  draw_doubt_badge(c, layout_.image);
  if (beside() && input.compared != nullptr) draw_caption(view_of_a(c, input), ends_.a);
  draw_caption(view_of(c, input), ends_.b);
}

void ImageArea::draw_awaited(PanelContext& c, const SceneInput& input, const Rect& area) {
  layout_ = lay_out_picture(area, input.last_image.grid, input.scale, c.compact, c.edits.view.pan_zoom, {},
                            c.edits.params.display.mirrored);
  draw_awaited_image(c, layout_, *c.model.image.awaited);
}

void ImageArea::draw_coarse(PanelContext& c, const SceneInput& input, const Rect& area) {
  const Image& coarse = input.last_image;
  layout_ = lay_out_picture(area, coarse.grid, input.scale, c.compact, c.edits.view.pan_zoom, {},
                            c.edits.params.display.mirrored);
  if (!c.model.opening.former.empty()) {  // first image of its source
    draw_return(c, layout_, layout_.image.x0, layout_.image.y0 - c.ui.px(33));
  } else {
    draw_rulers({.ui = c.ui,
                 .layout = layout_,
                 .image = coarse,
                 .display = c.edits.params,
                 .defaults = c.model.defaults,
                 .level_db = {},
                 .echo_at = {}});
  }
  const ImageWork& next = c.model.image.work;
  const auto work = long_work(next.since_ns, next.remaining_s, now_ns());
  const float right = work ? draw_long_work(c.ui, layout_, area.x1 - c.ui.px(8), *work) : area.x1 - c.ui.px(8);
  c.ui.text_fitted(
      Type::small, layout_.image.x0, right, layout_.caption_y + c.ui.px(8), c.ui.px(20), theme::kWarn,
      fmt::format("Coarse: delay and sum, {} × {} points; not measured, not saved", coarse.grid.nx, coarse.grid.nz));
}

// Returns true if a drag changed the window.
bool ImageArea::draw_color_bars(PanelContext& c, const SceneInput& input) {
  const bool each = layout_.a_bar.width() > 0;
  const bool changed = draw_color_bar(view_of(c, input), layout_.color_bar, each ? "B" : "");
  if (each && draw_color_bar(view_of_a(c, input), layout_.a_bar, "A")) c.commands.send(command::CineChanged{});
  return changed;
}

void ImageArea::draw_presented(PanelContext& c, const SceneInput& input, const Rect& area) {
  lay_out(c, input, area, Place::presentation);
  if (beside()) draw_waiting_for_a(c, input);
  if (c.model.run == RunState::fault) c.ui.outline(layout_.image.inset(-1), theme::kRed, 0, 2);
  if (layout_.mirrored == Mirrored::on && take_orientation(c, view_of(c, input))) {
    c.commands.send(command::ParamsChanged{});
  }
  draw_over(c, input, Place::presentation);
}

void ImageArea::inspect_somewhere(Edits& edits, const SceneInput& input) const {
  const Rect& seen = last_.image;
  if (edits.view.inspected || input.image.number == 0 || seen.width() <= 0) return;
  edits.view.inspected = last_.point(seen.cx(), seen.cy());
}

// Returns the layout of the image under the mouse; for a drag, of the image where it began.
const ImageLayout& ImageArea::pointed_layout() {
  if (!beside()) return layout_;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!ImGui::IsAnyMouseDown() || ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(2)) {
    pointed_ = side_a_.image.contains(mouse.x, mouse.y) ? CompareSide::a : CompareSide::b;
  }
  return pointed_ == CompareSide::a ? side_a_ : layout_;
}

ImageViewContext ImageArea::view_of(PanelContext& c, const SceneInput& input) {
  return {.ui = c.ui,
          .layout = layout_,
          .image = input.image,
          .display = c.edits.params,
          .defaults = c.model.defaults,
          .compared = beside() ? nullptr : input.compared,
          .wipe_x = echoloop::wipe_x(layout_, c.edits.cine.wipe),
          .side = input.compared != nullptr ? "B" : "",
          .matched = input.matched,
          .numbers = numbers_of(c.model.source),
          .no_sender = c.model.scanner.has_value() ? no_sender_text(*c.model.scanner, now_ns()) : std::string(),
          .analyses = &c.model.analyses,
          .map = c.model.map == nullptr ? nullptr : map_layer_.drawn(),
          .picked = c.edits.objects,
          .faults = faults_of(c.model.source.samples, input.image.stamp.source_index),
          .mode = c.view.mode,
          .level_db = input.level_db,
          .echo_at = c.queries.echo_at};
}

ImageViewContext ImageArea::view_of_a(PanelContext& c, const SceneInput& input) {
  const ComparedRecording& a = c.model.kept.a_recording;
  return {.ui = c.ui,
          .layout = side_a_,
          .image = *input.compared,
          .display = c.edits.cine.a,
          .defaults = c.model.defaults,
          .side = "A",
          .numbers = a.name.empty() ? numbers_of(c.model.source) : FrameNumbers{.count = a.frame_count},
          .faults = faults_of(a.name.empty() ? c.model.source.samples : a.samples, input.compared->stamp.source_index),
          .mode = c.view.mode,
          .level_db = input.level_db,
          .echo_at = {}};
}

void ImageArea::draw_waiting_for_a(const PanelContext& c, const SceneInput& input) const {
  if (input.compared != nullptr) return;
  const std::string& name = c.model.kept.a_recording.name;
  c.ui.text_centred(Type::body, side_a_.image, theme::kMuted, name.empty() ? "Waiting for A" : "Opening " + name);
}

// Draws the rulers of A; those of B are drawn as for a single image.
void ImageArea::draw_side_a(PanelContext& c, const SceneInput& input, const Rect& area) {
  draw_waiting_for_a(c, input);
  if (input.compared == nullptr) return;
  const ImageViewContext a = view_of_a(c, input);
  draw_rulers(a);
  const bool stacked = layout_.image.y0 > side_a_.image.y1;
  const float right = layout_.color_bar.width() > 0 ? layout_.color_bar.x0 : area.x1;  // the bar is right of both
  ends_.a = stacked ? right - c.ui.px(8) : layout_.room.x0 - c.ui.px(theme::kRulerLeft + 8);
}

void ImageArea::draw_comparison(PanelContext& c, const SceneInput& input, Place place) {
  wipe_x_ = echoloop::wipe_x(layout_, c.edits.cine.wipe);
  if (input.compared == nullptr) return;
  if (!beside()) {
    draw_wipe({c.ui, layout_, c.edits, c.commands});
    wipe_x_ = echoloop::wipe_x(layout_, c.edits.cine.wipe);
  }
  draw_compare_labels({.ui = c.ui,
                       .model = c.model,
                       .a = *input.compared,
                       .b = input.image,
                       .layout_a = beside() ? &side_a_ : nullptr,
                       .layout_b = layout_,
                       .letters = letters_of(place)});
  if (depths_overlap(input.compared->grid, input.image.grid)) return;
  const Rect& r = layout_.image;
  c.ui.text_centred(Type::body, {r.x0, r.y1 - c.ui.px(64), r.x1, r.y1 - c.ui.px(36)}, theme::kWarn, kNoCommonDepth);
}

// Draws the traces of the source's signals; while frozen, a click seeks the frame at that time.
void ImageArea::draw_signals(PanelContext& c, const SceneInput& input) {
  if (traces_.height() <= 0) return;
  const SourceInfo& source = c.model.source;
  const double rate_hz = source.acquisition->frame_rate_hz;
  const double span_s =
      source.frame_count > 1 && rate_hz > 0.0 ? static_cast<double>(source.frame_count - 1) / rate_hz : 0.0;
  const auto time_s = draw_signal_traces(
      c.ui, {.contents = *source.contents, .time_s = input.image.stamp.time_s, .span_s = span_s}, traces_);
  const std::vector<FrameStamp>& stamps = c.model.kept.stamps;
  if (!time_s || c.model.run != RunState::frozen || stamps.empty()) return;
  const auto nearest =
      std::ranges::min_element(stamps, {}, [&](const FrameStamp& stamp) { return std::abs(stamp.time_s - *time_s); });
  cine_seek(c.model, c.edits, c.commands, static_cast<std::size_t>(nearest - stamps.begin()));
}

void ImageArea::draw_masks(PanelContext& c, const SceneInput& input, Type letters) {
  const bool wiped = input.compared != nullptr && !beside();
  const Rect& b = layout_.image;
  if (input.compared != nullptr) {
    const ImageLayout& layout = beside() ? side_a_ : layout_;
    const Rect& a = layout.image;
    mask_a_.draw(c.ui, layout, *input.compared, c.edits.cine.a.display, {a.x0, wiped ? wipe_x_ : a.x1, a.y1, letters});
  }
  constexpr float kMapLegend = 78;
  const float legend_y = c.model.map == nullptr ? b.y1 : b.y1 - c.ui.px(kMapLegend);
  mask_b_.draw(c.ui, layout_, input.image, c.edits.params.display, {wiped ? wipe_x_ : b.x0, b.x1, legend_y, letters});
}

// Draws comparison, marks, scale bar and read-out.
void ImageArea::draw_over(PanelContext& c, const SceneInput& input, Place place) {
  const bool presented = place == Place::presentation;
  draw_comparison(c, input, place);
  map_layer_.draw(c.ui, layout_, c.model.map, c.edits.map, echoloop::wipe_x(layout_, c.edits.cine.wipe), input.levels);
  draw_masks(c, input, presented ? Type::medium : Type::small);
  draw_signals(c, input);
  const Type numbers = presented ? Type::medium : Type::small;
  for (const AnalysisLayer* const layer : analysis_layers()) {
    if (layer->draw != nullptr) layer->draw(c.ui, layout_, c.model.analyses, c.edits.objects, numbers);
  }
  const bool line = presented ? c.view.has_m_mode() : c.view.dock == Dock::m_mode;
  if ((line || (c.view.dock == Dock::inspector && !presented)) && c.edits.view.inspected) {
    draw_inspected(c.ui, layout_, input.image, *c.edits.view.inspected, line ? Dock::m_mode : Dock::inspector);
  }
  const bool popup = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  if (c.ui.escape() && !popup && interaction_.escape(c.edits)) c.ui.use_escape();
  draw_scale_bar(c.ui, beside() ? side_a_ : layout_, presented ? ScaleBarType::large : ScaleBarType::small);
  if (draw_marks(c, input, place) && !presented) draw_pointers(c, input);
}

// Draws the marks, those of a comparison at the peaks of each side, and handles the mouse on the image; returns true
// while the pointer is there.
bool ImageArea::draw_marks(PanelContext& c, const SceneInput& input, Place place) {
  const Type letters = place == Place::presentation ? Type::medium : Type::badge;
  const auto inspected = c.edits.view.inspected;
  const bool on_image = interaction_.use(c.ui, pointed_layout(), c.edits, letters);
  const bool wiped = input.compared != nullptr && !beside();
  const auto draw = [&](const ImageLayout& l, const Measured& measured, float x0, float x1) {
    c.ui.list().PushClipRect({x0, l.image.y0}, {x1, l.image.y1}, true);
    interaction_.draw(c.ui, l, c.edits, measured, letters);
    c.ui.list().PopClipRect();
  };
  if (beside()) draw(side_a_, c.edits.measured_a, side_a_.image.x0, side_a_.image.x1);
  if (wiped) draw(layout_, c.edits.measured_a, layout_.image.x0, wipe_x_);
  draw(layout_, c.edits.measured, wiped ? wipe_x_ : layout_.image.x0, layout_.image.x1);
  if (interaction_.take_gate_changed()) c.commands.send(command::ParamsChanged{});
  inspect_ = inspect_ || (c.edits.view.inspected != inspected && c.view.dock == Dock::none);
  if (inspect_ && !ImGui::IsMouseDown(0)) {  // not during a drag, as the image becomes smaller
    inspect_ = false;
    c.view.dock = Dock::inspector;
  }
  for (const AnalysisLayer* const layer : analysis_layers()) {
    if (layer->point == nullptr) continue;
    layer->point(c.model.analyses, c.edits.objects, interaction_.free_pointer(), interaction_.free_click());
  }
  return on_image;
}

void ImageArea::draw_pointers(PanelContext& c, const SceneInput& input) {
  const ImageLayout& pointed = pointed_layout();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const PlanePoint at = pointed.point(mouse.x, mouse.y);
  const bool on_a = &pointed == &side_a_;
  if (!beside() || input.compared == nullptr) {
    if (!on_a) ends_.b = draw_pointer(view_of(c, input), at, ends_.b);
    return;
  }
  const bool both = one_pointer(*input.compared, input.image);
  if (both || on_a) ends_.a = draw_pointer(view_of_a(c, input), at, ends_.a);
  if (both || !on_a) ends_.b = draw_pointer(view_of(c, input), at, ends_.b);
  if (both) {
    for (const ImageLayout* l : {&side_a_, &layout_}) {
      c.ui.crosshair({l->x_px(at.x_m), l->z_px(at.z_m)}, c.ui.px(3), c.ui.px(9), theme::kAccent);
    }
  } else {
    draw_chip(c.ui, on_a ? layout_.image : side_a_.image, on_a ? "Pointer: A only" : "Pointer: B only");
  }
}

namespace {

constexpr double kWheelStep = 1.25;
constexpr float kReach = 7;  // pixels at scale 1

// Returns the point under the mouse, limited to the visible image.
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

bool ImageInteraction::key(Edits& edits, Commands& commands, const KeyPress& press) {
  Marks& marks = edits.marks;
  if (press.control) return false;
  switch (press.key) {
    case Key::c:
      marks.tool = marks.tool == MarkTool::distance ? MarkTool::pointer : MarkTool::distance;
      return true;
    case Key::a:
      marks.tool = next_region(marks.tool);
      return true;
    case Key::f:
      if (edits.view.pan_zoom.fitted) commands.send(command::Hint{"The whole image is visible."});
      edits.view.pan_zoom = {};
      return true;
    case Key::remove:
      if (marks.selected == 0) commands.send(command::Hint{"No measurement is selected."});
      remove_mark(marks, marks.selected);
      return true;
    default:
      return false;
  }
}

void ImageInteraction::zoom_and_pan(const Hit& hit, const ImageLayout& layout, Edits& edits) {
  const ImGuiIO& io = ImGui::GetIO();
  if (hit.hovered && ImGui::IsMouseClicked(2)) middle_panning_ = true;
  middle_panning_ = middle_panning_ && ImGui::IsMouseDown(2);
  panning_ = panning_ && hit.held;
  if (hit.hovered && io.MouseWheel != 0) {
    edits.view.pan_zoom = zoomed_about(with_view(layout, edits.view.pan_zoom), io.MousePos.x, io.MousePos.y,
                                       std::pow(kWheelStep, static_cast<double>(io.MouseWheel)));
  } else if ((panning_ || middle_panning_) && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
    edits.view.pan_zoom = panned(layout, io.MouseDelta.x, io.MouseDelta.y);
  }
  if ((panning_ || middle_panning_) && layout.zoom() > 1.0) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
}

void ImageInteraction::use_tool(const Hit& hit, const ImageLayout& layout, Edits& edits, double reach_m, int chip) {
  Marks& marks = edits.marks;
  const PlanePoint at = point_at(layout, ImGui::GetIO().MousePos);
  if (hit.pressed && marks.tool == MarkTool::pointer && chip != 0) {
    marks.selected = chip;
  } else if (hit.pressed && !editor_.press(marks, at, reach_m) && marks.tool == MarkTool::pointer) {
    marks.selected = 0;
    panning_ = free_press_ = true;
    if (ImGui::IsMouseDoubleClicked(0)) edits.view.pan_zoom = {};
  }
  constexpr float kStill = 4;  // pixels at scale 1: tolerance for jitter of a click
  const float still = kStill * layout.scale;
  free_press_ = free_press_ && ImGui::GetIO().MouseDragMaxDistanceSqr[0] <= still * still;
  if (hit.clicked && free_press_) free_click_ = at;
  free_press_ = free_press_ && hit.held;
  if (marks.tool == MarkTool::inspect && hit.held) edits.view.inspected = at;
  if (hit.hovered || hit.held) editor_.move(marks, at, reach_m);
  if (!hit.held) editor_.release(marks);
  if (!hit.right) return;
  if (editor_.draft() != nullptr) {
    editor_ = {};
  } else if (marks.hovered != 0) {
    remove_mark(marks, marks.hovered);
  }
}

bool ImageInteraction::use(Ui& ui, const ImageLayout& layout, Edits& edits, Type letters) {
  const Hit hit = ui.hit("picture", layout.image);
  free_pointer_.reset();
  free_click_.reset();
  Marks& marks = edits.marks;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const double reach_m = static_cast<double>(kReach * ui.scale()) / layout.px_per_m;
  const MarksView before{.ui = ui, .layout = layout, .marks = marks, .letters = letters};
  int chip = 0;
  if (hit.hovered && !hit.held && editor_.draft() == nullptr) {
    chip = chip_at(before, mouse.x, mouse.y);
    const auto grip = grip_at(marks, layout.point(mouse.x, mouse.y), reach_m);
    marks.hovered = chip != 0 ? chip : grip ? grip->number : 0;
    if (marks.hovered != 0 && marks.tool == MarkTool::pointer) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  } else if (hit.pressed) {
    chip = chip_at(before, mouse.x, mouse.y);
  }
  const bool gate = editor_.draft() == nullptr && gate_.use(hit, layout, edits, reach_m);
  if (!gate) use_tool(hit, layout, edits, reach_m, chip);
  if (!gate && hit.hovered && marks.tool == MarkTool::pointer && marks.hovered == 0) {
    free_pointer_ = layout.point(mouse.x, mouse.y);
  }
  zoom_and_pan(hit, layout, edits);
  return hit.hovered;
}

void ImageInteraction::draw(Ui& ui, const ImageLayout& layout, const Edits& edits, const Measured& measured,
                            Type letters) const {
  draw_gate(ui, layout, edits.params);
  draw_marks({ui, layout, edits.marks, editor_.draft(), &measured, letters});
}

}  // namespace echoloop
