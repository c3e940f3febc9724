// Colours and legend of a mask on the window's image, saved images, figures and videos. Any thread. No ImGui.
#pragma once

#include <cstddef>
#include <string>

#include "core/results/image.h"
#include "render/canvas.h"

namespace echoloop {

// label: from 1 to kMostLabels.
[[nodiscard]] Rgb label_color(std::size_t label);

// Returns the mask of an image that is drawn with `display`; null: none.
[[nodiscard]] inline const LabelMask* shown_mask(const Image& image, const DisplayParams& display) {
  return display.mask_opacity > 0.0 ? image.mask.get() : nullptr;
}

// Returns "vessel 12.34 mm²"; label: from 1.
[[nodiscard]] std::string label_text(const LabelMask& mask, std::size_t label);

// Draws colours, names and areas in the lower left corner of an image, if there is room. em: of the letters.
void draw_mask_legend(Canvas& canvas, const CanvasRect& image, const LabelMask& mask, double em);

}  // namespace echoloop
