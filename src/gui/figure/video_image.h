// A film's picture: the image as it is displayed, aspect true, with rulers in millimetres, the colour bar in dB, and
// below it which source, frame and time it is and what formed it. Drawn on the CPU, so that films need no OpenGL and
// never wait for the window. One thread at a time, any thread.
#pragma once

#include "gui/overlay/flow_overlay.h"
#include "gui/overlay/image_sampler.h"
#include "gui/overlay/transfer_function.h"
#include "gui/state/film_look.h"
#include "render/text_rasterizer.h"

namespace echoloop {

class FilmPainter {
 public:
  explicit FilmPainter(FilmLook look);

  [[nodiscard]] int width() const { return width_; }  // both even; at most 1920 x 1080
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] const PixelArea& area() const { return area_; }  // where the last image is; its edges: end points
  [[nodiscard]] bool has_words() const { return rasterizer_.any(); }

  // An image with a host copy; one of another grid is fitted into the same film. With the flow that belongs to it;
  // null: none.
  const RgbImage& paint(const Image& image, const FlowImage* flow = nullptr);

 private:
  void draw_ground(const Grid& grid);

  FilmLook look_;
  int width_ = 0, height_ = 0;
  int right_ = 0;  // of the image: colour bars
  PixelArea area_;
  Grid ground_grid_;
  ImageSampler sampler_;
  TextRasterizer rasterizer_;
  RgbImage ground_, picture_;
};

}  // namespace echoloop
