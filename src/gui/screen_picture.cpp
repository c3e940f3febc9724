// What lies over the picture, and what the mouse does there.
#include "gui/object_outlines.h"
#include "gui/scale_bar.h"
#include "gui/screen.h"
#include "gui/wipe.h"

namespace echoloop {

ImageViewContext Screen::view_of(UiState& state, const SceneInput& input) {
  return {.ui = ui_,
          .layout = layout_,
          .image = input.image,
          .display = state.params,
          .defaults = state.defaults,
          .compared = beside() ? nullptr : input.compared,
          .wipe_x = echoloop::wipe_x(layout_, state.cine.wipe),
          .side = input.compared != nullptr ? "B" : "",
          .flow = state.flow.image,
          .flow_age_s = state.flow.age_s,
          .structure = state.structure,
          .faults = faults_of(state.source.samples, input.image.stamp.source_index),
          .level_db = input.level_db,
          .echo_at = commands_.echo_at};
}

// Comparison, marks, scale bar and read-out, and what the mouse does there.
void Screen::draw_over_picture(UiState& state, const SceneInput& input) {
  draw_comparison(state, input);
  draw_objects({ui_, layout_, state.structure});
  const bool line = presentation_ ? view_.has_m_mode() : view_.dock == Dock::m_mode;
  if ((line || (view_.dock == Dock::inspector && !presentation_)) && state.inspected) {
    draw_inspected(ui_, layout_, input.image, *state.inspected, line ? Dock::m_mode : Dock::inspector);
  }
  const bool popup = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  if (ui_.escape() && !popup && hand_.escape(state)) ui_.use_escape();
  draw_scale_bar(ui_, beside() ? side_a_ : layout_, presentation_ ? ScaleBarType::large : ScaleBarType::small);
  const auto inspected = state.inspected;
  const PictureLayout& pointed = pointed_layout();
  const bool on_picture = hand_.use(ui_, pointed, state);
  if (beside()) hand_.draw_again(ui_, &pointed == &side_a_ ? layout_ : side_a_, state);
  if (hand_.take_gate_changed()) call(commands_.params_changed);
  inspect_ = inspect_ || (state.inspected != inspected && view_.dock == Dock::none);
  if (inspect_ && !ImGui::IsMouseDown(0)) {  // not while the hand still moves: the picture makes room for it
    inspect_ = false;
    view_.dock = Dock::inspector;
  }
  point_at_objects(state.structure, hand_.free_pointer(), hand_.free_click());
  if (on_picture && !presentation_) draw_pointers(state, input);
}

}  // namespace echoloop
