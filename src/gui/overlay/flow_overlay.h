// Flow in saved images: drawn on the CPU as by shaders/flow.frag in the window (a test compares them). Any thread. No
// ImGui.
#pragma once

#include <optional>
#include <vector>

#include "core/results/analysis_images.h"
#include "core/results/image.h"
#include "gui/overlay/transfer_function.h"

namespace echoloop {

struct PixelArea {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  friend bool operator==(const PixelArea&, const PixelArea&) = default;
};

// Power or velocity over an image.
class FlowOverlay {
 public:
  // Keeps references to both. `display`: mode, threshold, priority.
  FlowOverlay(const FlowImage& flow, const ImagingParams& display);

  // Returns the colour at a point where the image has `picture_db`; nullopt: none.
  [[nodiscard]] std::optional<Rgb> color(PlanePoint at, float picture_db) const;

 private:
  struct Sum {
    float power, re, im;
  };
  const FlowImage& flow_;
  const ImagingParams& display_;
  std::vector<Sum> sums_;  // [nz][nx], power and phasor of the pixels' autocorrelation
};

// Returns the image's dB at a point, linear between pixel centres, clamped to its edges.
float picture_db_at(const Image& image, PlanePoint at);

// Draws power or velocity over `picture`, which is render_rgb() of `image`.
void draw_flow_in(RgbImage& picture, const Image& image, const FlowImage& flow, const ImagingParams& display);

// Returns the low-rank image, which refers to the pixels of `flow`.
Image low_rank_image(const Image& image, const FlowImage& flow);

// Extends an image to the right and draws the colour bar there. A small image is enlarged by an integer factor.
void add_flow_scale(RgbImage& picture, const FlowImage& flow, const ImagingParams& display);

}  // namespace echoloop
