// Image as on screen, without rulers, bars and marks, for other programs and files: square pixels, the first and the
// last pixel centre on the grid's ends, black outside a sector. One thread at a time. Reason for a class: tables of the
// colours, and positions of the pixels in a sector, are computed once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/results/analysis_images.h"
#include "core/results/image.h"
#include "gui/overlay/image_sampler.h"

namespace echoloop {

struct ScreenImage {
  int width = 0, height = 0;
  int channels = 1;  // 1: gray; 3: RGB, for a colour map, weights, or flow over the image
  // Centre of the first pixel, and distance of the pixels: x to the right, z down; both distances are equal if square.
  double x0_m = 0.0, z0_m = 0.0, step_m = 0.0, step_z_m = 0.0;
  std::vector<std::uint8_t> values;  // [height][width][channels], top row first
};

// of_grid: those of the image, for a sector square.
enum class ScreenPixels { square, of_grid };

// Returns size and geometry of such an image, without values. Square: steps near the finer one of the grid's two, in a
// sector of the radius, for which the box has a whole number of steps in both directions (within 0.1 step).
ScreenImage screen_of(const Grid& grid, ScreenPixels pixels = ScreenPixels::square);

class ScreenPainter {
 public:
  // Draws an image with a host copy, with the display of its parameters, never mirrored. `flow`: drawn over it, or in
  // its place, if it was made with the same mode; null: none. The channels depend on the parameters only.
  void paint(const Image& image, const FlowImage* flow, ScreenImage& into, ScreenPixels pixels = ScreenPixels::square);
  // Sets the levels, dB, of an image of a sector at [height][width] such pixels; outside: kNoEcho_db.
  void sample(const Image& image, const ScreenImage& at, std::vector<float>& db);

 private:
  ImageSampler& sampler_of(const ImagingParams& params);

  ImagingParams params_;  // of sampler_
  std::optional<ImageSampler> sampler_;
  RgbImage rgb_;
};

}  // namespace echoloop
