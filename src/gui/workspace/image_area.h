// The image, or both images of a comparison, with all that lies over and beside them: rulers, colour bars, captions,
// marks, outlines, pointer; and the mouse there. The pixels are drawn by the viewer, below. UI thread only.
#pragma once

#include "gui/panels/panels.h"
#include "gui/state/compare_state.h"
#include "gui/toolkit/image_layout.h"
#include "gui/view/image_view.h"
#include "gui/view/scene_input.h"
#include "gui/workspace/image_interaction.h"

namespace echoloop {

class ImageArea {
 public:
  void begin_frame();
  // In the window, with rulers, bars and captions.
  void draw(PanelContext& c, const SceneInput& input, const Rect& area);
  // The last image of the source before: dimmed, with neither of these, as long as the first one is awaited.
  void draw_awaited(PanelContext& c, const SceneInput& input, const Rect& area);
  // In the presentation, without these.
  void draw_presented(PanelContext& c, const SceneInput& input, const Rect& area);
  // Where `inspected` is nowhere yet: in the middle of the visible part.
  void inspect_somewhere(UiState& state, const SceneInput& input) const;
  // Not in the presentation: true when the key has an effect here.
  bool key(UiState& state, const UiCommands& commands, const KeyPress& press) {
    return interaction_.key(state, commands, press);
  }
  void forget() { interaction_.forget(); }
  void place_flow_bar(const Rect& bar) { layout_.flow_bar = bar; }

  [[nodiscard]] const ImageLayout& layout() const { return layout_; }     // empty image: none was drawn
  [[nodiscard]] const ImageLayout& last_layout() const { return last_; }  // of the frame before
  [[nodiscard]] const ImageLayout& side_a() const { return side_a_; }     // empty image: not side by side
  [[nodiscard]] float wipe_x() const { return wipe_x_; }                  // where A ends and B begins

 private:
  enum class Place { window, presentation };

  void lay_out(PanelContext& c, const SceneInput& input, const Rect& area, Place place);
  [[nodiscard]] bool beside() const { return side_a_.image.width() > 0; }
  [[nodiscard]] const ImageLayout& pointed_layout();
  [[nodiscard]] ImageViewContext view_of(PanelContext& c, const SceneInput& input);
  [[nodiscard]] ImageViewContext view_of_a(PanelContext& c, const SceneInput& input);
  bool draw_color_bars(PanelContext& c, const SceneInput& input);
  void draw_waiting_for_a(const PanelContext& c, const SceneInput& input) const;
  void draw_side_a(PanelContext& c, const SceneInput& input, const Rect& area);
  void draw_comparison(PanelContext& c, const SceneInput& input, Place place);
  void draw_over(PanelContext& c, const SceneInput& input, Place place);
  bool draw_marks(PanelContext& c);
  void draw_pointers(PanelContext& c, const SceneInput& input);

  ImageLayout layout_, last_;
  ImageLayout side_a_;                    // of A beside B, whose is layout_
  CompareSide pointed_ = CompareSide::b;  // where the mouse is, or was when its button went down
  ImageInteraction interaction_;
  bool inspect_ = false;  // the inspector opens as soon as the mouse button is up
  float wipe_x_ = 0;
};

}  // namespace echoloop
