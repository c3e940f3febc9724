// Displayed image at any number of pixels: levels interpolated between its pixels, with window, colour map and TGC, and
// flow over it. Black outside a sector. One thread at a time. No ImGui. Reason for a class: it computes the table of
// colours, and the positions of pixels in a sector, only once.
#pragma once

#include <algorithm>
#include <vector>

#include "core/results/analysis_images.h"
#include "core/results/image.h"
#include "gui/overlay/analysis_overlays.h"
#include "gui/overlay/flow_overlay.h"
#include "gui/overlay/transfer_function.h"

namespace echoloop {

// Position of the grid's end points in an area: its edges, or the centres of its first and last pixels.
enum class EndsAt { edges, centres };

class ImageSampler {
 public:
  explicit ImageSampler(const ImagingParams& params, EndsAt ends = EndsAt::edges);

  // Draws the whole image in `area` of the picture, mirrored if the display is; with flow, map and mask. The low-rank
  // image replaces the image.
  void draw(RgbImage& picture, const PixelArea& area, const Image& image, const ImageOverlays& over);
  // Sets the levels, dB, of a sector at [height][width] pixels of its box; outside: kNoEcho_db.
  void sample(std::vector<float>& db, int width, int height, const Image& image);
  // Draws the mask of an image, if it has one; before mirroring.
  void draw_mask(RgbImage& picture, const PixelArea& area, const Image& image);

 private:
  struct Place {
    float column, row;
  };
  // Returns the position of pixel i of n, 0 to 1 from end to end.
  [[nodiscard]] double share(int i, int n) const {
    return ends_ == EndsAt::edges ? (i + 0.5) / n : i / std::max(n - 1.0, 1.0);
  }
  void find_places(const Grid& grid, int width, int height);
  [[nodiscard]] Rgb color_of(float level_db) const;
  [[nodiscard]] static float level_db(const Place& place, const Image& image);
  void draw_levels(RgbImage& picture, const PixelArea& area, const Image& image);
  void draw_sector(RgbImage& picture, const PixelArea& area, const Image& image);
  void draw_flow(RgbImage& picture, const PixelArea& area, const Image& image, const FlowImage& flow) const;

  ImagingParams params_;
  EndsAt ends_;
  float first_db_ = 0.0F, per_db_ = 0.0F;
  Rgb below_;                // colour below first_db_
  std::vector<Rgb> levels_;  // colours from first_db_ up, per_db_ of them each dB
  std::vector<float> row_;
  std::vector<Place> places_;  // grid positions of a sector's pixels; outside: column -1
  Grid places_grid_;
  int places_width_ = 0, places_height_ = 0;
};

}  // namespace echoloop
