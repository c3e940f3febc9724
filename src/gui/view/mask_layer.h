// Mask of a method over the image in the window, with its legend. UI thread only.
#pragma once

#include <cstdint>
#include <vector>

#include "core/results/image.h"
#include "gui/gl/shader.h"
#include "gui/overlay/mask_overlay.h"
#include "gui/toolkit/layout.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

class MaskLayer {
 public:
  struct Place {
    float x0, x1;    // limits of the image
    float legend_y;  // lower limit of the legend, which is on the right
    Type letters;
  };
  void draw(Ui& ui, const ImageLayout& layout, const Image& image, const DisplayParams& display, const Place& place);

 private:
  void color(const LabelMask& mask, double opacity);

  LabelMaskPtr of_;
  double opacity_ = 0.0;
  ColorTexture texture_;
  std::vector<std::uint32_t> colors_;  // [height][width]
  Grid sector_;                        // of `places_`
  std::vector<std::int32_t> places_;   // indices of these in the mask; -1: outside
};

}  // namespace echoloop
