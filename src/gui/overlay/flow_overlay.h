// Flow in images that are saved: drawn on the CPU as shaders/flow.frag draws it in the window (a test compares them).
// Any thread. No ImGui.
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
  // Both outlive it. `display`: mode, threshold, priority.
  FlowOverlay(const FlowImage& flow, const ImagingParams& display);

  // Over a point where the picture has `picture_db`; nothing: none.
  [[nodiscard]] std::optional<Rgb> color(PlanePoint at, float picture_db) const;

 private:
  struct Sum {
    float power, re, im;
  };
  const FlowImage& flow_;
  const ImagingParams& display_;
  std::vector<Sum> sums_;  // [nz][nx], what the pixels' autocorrelation is made of
};

// The image's dB at a point, linear between pixel centres, clamped to its edges.
float picture_db_at(const Image& image, PlanePoint at);

// Paints power or velocity over `picture`, which is render_rgb() of `image`.
void draw_flow_in(RgbImage& picture, const Image& image, const FlowImage& flow, const ImagingParams& display);

// The image that the low-rank picture is; it borrows the flow picture's pixels.
Image low_rank_image(const Image& image, const FlowImage& flow);

// Room for the bar at the right of an image, and the bar. A small image becomes a whole number of times as large.
void add_flow_scale(RgbImage& picture, const FlowImage& flow, const ImagingParams& display);

}  // namespace echoloop
