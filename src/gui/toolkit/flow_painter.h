// Draws power or velocity over the image, where shows_flow() says so (shaders/flow.frag). UI thread only.
#pragma once

#include <filesystem>
#include <string>

#include "core/results/analysis_images.h"
#include "gui/gl/shader.h"
#include "gui/toolkit/painter.h"

namespace echoloop {

struct FlowJob {
  unsigned int flow_texture = 0;  // power in dB, velocity as a share of the aliasing limit
  const Grid& flow_grid;
  unsigned int picture_texture = 0;  // the B-mode image's dB
  const Grid& picture_grid;
  const ImagingParams& params;  // mode, threshold, priority
  Rect where;                   // of the image's grid, pixels from the framebuffer's top left
  Rect clip;                    // nothing is drawn outside
};

class FlowPainter {
 public:
  explicit FlowPainter(const std::filesystem::path& shader_dir);
  ~FlowPainter();
  FlowPainter(const FlowPainter&) = delete;
  FlowPainter& operator=(const FlowPainter&) = delete;

  bool reload_if_changed(std::string& report);

  // Into the current framebuffer of `width` x `height`.
  void draw(const FlowJob& job, int width, int height);

 private:
  struct Place {  // of one of the two grids in the shader
    int size = -1, box = -1, sector = -1, apex = -1;
  };
  void find();
  static void set_grid(const Place& place, const Grid& grid);

  Shader shader_;
  Place flow_place_, picture_place_;
  int clip_rect_ = -1, plane_ = -1, flow_ = -1, picture_ = -1, map_ = -1, velocity_ = -1, threshold_ = -1,
      priority_ = -1, power_range_ = -1;
  unsigned int vertices_ = 0;
  unsigned int maps_[2] = {};  // power, velocity
};

}  // namespace echoloop
