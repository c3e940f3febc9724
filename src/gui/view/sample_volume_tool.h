// The Doppler gate on the image: the beam through it, its two ends, the line of the flow's angle; and the mouse that
// places, moves and stretches it. UI thread only.
#pragma once

#include <utility>

#include "gui/overlay/guide_lines.h"
#include "gui/state/ui_state.h"
#include "gui/toolkit/image_layout.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

class SampleVolumeTool {
 public:
  // With the gate tool a press places the gate, with any tool the gate itself can be dragged, and its ends. True: the
  // press was the gate's. Before everything else that takes the mouse on the image.
  bool use(const Hit& hit, const ImageLayout& layout, UiState& state, double reach_m);
  // True once after the parameters have changed.
  bool take_changed() { return std::exchange(changed_, false); }

 private:
  enum class Grip { none, whole, shallow_end, deep_end };
  [[nodiscard]] static Grip grip_at(const ImageLayout& layout, const ImagingParams& p, PlanePoint at, double reach_m);

  Grip held_ = Grip::none;
  PlanePoint offset_{0.0, 0.0};  // from the pointer to the gate's middle
  bool changed_ = false;
};

void draw_guide(const Ui& ui, const ImageLayout& layout, const GuideLine& line);
void draw_gate(const Ui& ui, const ImageLayout& layout, const ImagingParams& params);

}  // namespace echoloop
