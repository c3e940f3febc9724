// The mouse on the image: wheel zooms about the pointer, dragging pans, tools draw and change marks or choose where
// the inspector looks. UI thread only.
#pragma once

#include <optional>

#include "gui/state/keys.h"
#include "gui/state/mark_editor.h"
#include "gui/state/ui_state.h"
#include "gui/toolkit/image_layout.h"
#include "gui/toolkit/ui.h"
#include "gui/view/sample_volume_tool.h"

namespace echoloop {

class ImageInteraction {
 public:
  // Once a frame, after everything else that takes the mouse on the image. Draws the marks too. True while the
  // pointer is on the image.
  bool use(Ui& ui, const ImageLayout& layout, UiState& state);
  // What use() draws, on the image beside; the mouse is not there.
  void draw_again(Ui& ui, const ImageLayout& layout, const UiState& state) const;
  // True when the key meant something.
  bool key(UiState& state, const UiCommands& commands, const KeyPress& press);
  bool escape(UiState& state) { return editor_.escape(state.marks); }
  // Of this frame: where the pointer is and nothing else wants it (no tool, no mark), and where it clicked there,
  // without dragging.
  [[nodiscard]] std::optional<PlanePoint> free_pointer() const { return free_pointer_; }
  [[nodiscard]] std::optional<PlanePoint> free_click() const { return free_click_; }
  // True once after the mouse has changed the gate.
  bool take_gate_changed() { return gate_.take_changed(); }
  // Presses on the image end with it.
  void forget() { editor_ = {}; }

 private:
  void zoom_and_pan(const Hit& hit, const ImageLayout& layout, UiState& state);
  void use_tool(const Hit& hit, const ImageLayout& layout, UiState& state, double reach_m, int chip);

  MarkEditor editor_;
  std::optional<PlanePoint> free_pointer_, free_click_;
  bool free_press_ = false;  // took nothing: a click, unless the mouse moves
  SampleVolumeTool gate_;
  bool panning_ = false;         // with the left button
  bool middle_panning_ = false;  // with the middle one
};

}  // namespace echoloop
