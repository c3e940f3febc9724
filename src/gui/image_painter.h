// Draws the picture's texture through the dB shader into a rectangle of the current framebuffer. UI thread only.
#pragma once

#include <filesystem>
#include <string>

#include "core/grid.h"
#include "core/params.h"
#include "gui/painter.h"
#include "gui/shader.h"

namespace echoloop {

class ImagePainter {
 public:
  explicit ImagePainter(const std::filesystem::path& shader_dir);
  ~ImagePainter();
  ImagePainter(const ImagePainter&) = delete;
  ImagePainter& operator=(const ImagePainter&) = delete;

  bool reload_if_changed(std::string& report);

  // `where` in pixels from the top left of a framebuffer `width` x `height`; its edges are the grid's end points.
  void draw(unsigned int texture, const Grid& grid, const ImagingParams& display, const Rect& where, int width,
            int height);

 private:
  void find_uniforms();

  Shader shader_;
  unsigned int vertices_ = 0;  // an empty vertex array: the shader makes the corners
  unsigned int maps_[4] = {};
  int clip_rect_ = -1, grid_size_ = -1, image_ = -1, map_ = -1, gain_ = -1, range_ = -1, gamma_ = -1;
};

}  // namespace echoloop
