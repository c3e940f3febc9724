// An image in any number of pixels, as it is displayed: the levels interpolated between its pixels, through window, map
// and TGC, and flow over it. Outside a sector black. One thread at a time. No ImGui.
// Why a class: the table of colours, and where each pixel lies in a sector, are found once.
#pragma once

#include <vector>

#include "core/results/analysis_images.h"
#include "core/results/image.h"
#include "gui/overlay/flow_overlay.h"
#include "gui/overlay/transfer_function.h"

namespace echoloop {

class ImageSampler {
 public:
  explicit ImageSampler(const ImagingParams& params);

  // All of the image in `area` of the picture, whose edges are the grid's end points; with the flow that belongs to it,
  // or null. The low-rank image takes the image's place.
  void draw(RgbImage& picture, const PixelArea& area, const Image& image, const FlowImage* flow);

 private:
  struct Place {
    float column, row;
  };
  void find_places(const Grid& grid, int width, int height);
  [[nodiscard]] Rgb color_of(float level_db) const;
  void draw_levels(RgbImage& picture, const PixelArea& area, const Image& image);
  void draw_sector(RgbImage& picture, const PixelArea& area, const Image& image);
  void draw_flow(RgbImage& picture, const PixelArea& area, const Image& image, const FlowImage& flow) const;

  ImagingParams params_;
  std::vector<Rgb> levels_;  // colours over the window, from its lower end
  std::vector<float> row_;
  std::vector<Place> places_;  // of a sector's pixels; outside: no column
  Grid places_grid_;
  PixelArea places_area_;
};

}  // namespace echoloop
