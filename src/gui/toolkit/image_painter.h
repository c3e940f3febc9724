// Draws the image's texture through the dB shader into a rectangle of the current framebuffer. UI thread only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/grid.h"
#include "core/params.h"
#include "gui/gl/matched_levels.h"
#include "gui/gl/shader.h"
#include "gui/toolkit/painter.h"

namespace echoloop {

struct PaintJob {
  unsigned int texture = 0;
  const Grid& grid;
  const DisplayParams& display;
  Rect where;  // pixels from the framebuffer's top left; the edges are the grid's end points
  Rect clip;   // nothing is drawn outside
  const MatchedLevels* matched = nullptr;  // null: levels as they are
};

class ImagePainter {
 public:
  explicit ImagePainter(const std::filesystem::path& shader_dir);
  ~ImagePainter();
  ImagePainter(const ImagePainter&) = delete;
  ImagePainter& operator=(const ImagePainter&) = delete;

  // True when the files of the shader were read again; `report` then has one line about all variants.
  bool reload_if_changed(std::string& report);

  // Into the current framebuffer of `width` x `height`.
  void draw(const PaintJob& job, int width, int height);

 private:
  // The shader's variants: any display parameters, or gray at gamma 1 without TGC and reject, which software rendering
  // draws much faster; both also for sectors.
  struct Variant {
    Variant(const std::filesystem::path& folder, const std::string& define) : shader(folder, "image", define) {
      find();
    }
    void find();
    Shader shader;
    int clip_rect = -1, part = -1, grid_size = -1, image = -1, map = -1, gain = -1, range = -1, gamma = -1, ramp = -1;
    int box = -1, sector = -1, tgc = -1, reject = -1, level_map = -1, level_nodes = -1;
  };
  void set_levels(const Variant& variant, const MatchedLevels* matched);
  static void set_grid(const Variant& variant, const Grid& grid);

  Variant general_, plain_, general_polar_, plain_polar_;
  unsigned int vertices_ = 0;  // an empty vertex array: the shader makes the corners
  unsigned int maps_[4] = {};
  unsigned int level_map_ = 0;
  std::uint64_t in_level_map_ = 0;  // number of the map that it holds
};

}  // namespace echoloop
