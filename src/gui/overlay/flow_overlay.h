// Flow in saved images: drawn on the CPU as by shaders/flow.frag in the window (a test compares them). Any thread. No
// ImGui.
#pragma once

#include <cstdint>
#include <vector>

#include "core/results/analysis_images.h"
#include "core/results/image.h"
#include "gui/overlay/image_scales.h"
#include "gui/overlay/transfer_function.h"

namespace echoloop {

// Exchanges left and right within the area.
void mirror(RgbImage& picture, const PixelArea& area);

// Power or velocity over an image.
class FlowOverlay {
 public:
  // Keeps references to both. `display`: mode, threshold, priority.
  FlowOverlay(const FlowImage& flow, const ImagingParams& display);

  // Draws flow over `rgb`, the image's pixel at a point where its tissue level is `tissue_db`. Returns the opacity.
  float blend(std::uint8_t* rgb, PlanePoint at, float tissue_db) const;

 private:
  struct Sum {
    float power, re, im, mask_db;
  };
  const FlowImage& flow_;
  const ImagingParams& display_;
  std::vector<Sum> sums_;  // [nz][nx], power and phasor of the pixels' autocorrelation, and the mask
};

// Levels of the image for the priority of tissue: averages in dB of 3 x 3 pixels, two apart.
class TissueLevels {
 public:
  explicit TissueLevels(const Image& image);
  // Returns the level at a point, linear between pixel centres, clamped to the edges of the image.
  [[nodiscard]] float at(PlanePoint point) const;

 private:
  Grid grid_;
  std::vector<float> db_;  // [nz][nx]
};

// Draws power or velocity over `picture`, which is render_rgb() of `image`.
void draw_flow_in(RgbImage& picture, const Image& image, const FlowImage& flow, const ImagingParams& display);

// Returns the low-rank image, which refers to the pixels of `flow`.
Image low_rank_image(const Image& image, const FlowImage& flow);

// Extends an image to the right and draws the colour bar there. A small image is enlarged by an integer factor.
void add_flow_scale(RgbImage& picture, const FlowImage& flow, const ImagingParams& display);

}  // namespace echoloop
