// Draws the image's texture through the dB shader into a rectangle of the current framebuffer. UI thread only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/grid.h"
#include "core/params.h"
#include "core/results/analysis_images.h"
#include "core/results/image.h"
#include "core/results/live_images.h"
#include "gui/gl/level_reader.h"
#include "gui/gl/shader.h"
#include "gui/state/ui_state.h"
#include "gui/toolkit/painter.h"

namespace echoloop {

struct PaintJob {
  unsigned int texture = 0;
  const Grid& grid;
  const DisplayParams& display;
  Rect where;  // pixels from the framebuffer's top left; the edges are the grid's end points
  Rect clip;   // nothing is drawn outside
  const MatchedLevels* matched = nullptr;  // null: unchanged levels
  Mirrored mirrored = Mirrored::off;
};

class ImagePainter {
 public:
  explicit ImagePainter(const std::filesystem::path& shader_dir);
  ~ImagePainter();
  ImagePainter(const ImagePainter&) = delete;
  ImagePainter& operator=(const ImagePainter&) = delete;

  // Returns true if the shader's files were reloaded; `report` then has one line about all variants.
  bool reload_if_changed(std::string& report);

  // Draws on the current framebuffer of `width` x `height`.
  void draw(const PaintJob& job, int width, int height);

 private:
  // Variants of the shader: any display parameters, or gray with a straight transfer without TGC, which is much faster
  // in software rendering; both also for sectors.
  struct Variant {
    Variant(const std::filesystem::path& folder, const std::string& define) : shader(folder, "image", define) {
      find();
    }
    void find();
    Shader shader;
    int clip_rect = -1, part = -1, grid_size = -1, image = -1, map = -1, window = -1, curve = -1, ramp = -1;
    int box = -1, sector = -1, tgc = -1, level_map = -1, level_nodes = -1;
  };
  void fit_curve(const DisplayParams& display);
  void set_levels(const Variant& variant, const MatchedLevels* matched);
  static void set_grid(const Variant& variant, const Grid& grid);

  Variant general_, plain_, general_polar_, plain_polar_;
  unsigned int vertices_ = 0;  // an empty vertex array: the shader makes the corners
  unsigned int maps_[4] = {};
  unsigned int level_map_ = 0;
  std::uint64_t in_level_map_ = 0;  // number of the map in level_map_
  unsigned int curve_texture_ = 0;
  std::optional<DisplayParams> curve_of_;
  TransferCurve curve_;
};

// Draws power or velocity over the image if shows_flow() is true (shaders/flow.frag). UI thread only.

struct FlowJob {
  unsigned int flow_texture = 0;  // power in dB, velocity as a share of the aliasing limit
  const Grid& flow_grid;
  unsigned int picture_texture = 0;  // dB values of the B-mode image
  const Grid& picture_grid;
  const ImagingParams& params;  // mode, threshold, priority
  Rect where;                   // rectangle of the image's grid, pixels from the framebuffer's top left
  Rect clip;                    // nothing is drawn outside
  Mirrored mirrored = Mirrored::off;
};

class FlowPainter {
 public:
  explicit FlowPainter(const std::filesystem::path& shader_dir);
  ~FlowPainter();
  FlowPainter(const FlowPainter&) = delete;
  FlowPainter& operator=(const FlowPainter&) = delete;

  bool reload_if_changed(std::string& report);

  // Draws on the current framebuffer of `width` x `height`.
  void draw(const FlowJob& job, int width, int height);

 private:
  struct Place {  // uniforms of one of the two grids
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

// Flow image on screen and its texture: reader of the flow images' mailboxes. The texture exists only while flow is
// shown. A history frame has the flow of the ensemble that ends with it, or, during playback, of one that ends a little
// earlier. UI thread only.

class FlowTexture {
 public:
  // `live`: of the live stream. `past`: of history frames, or null.
  FlowTexture(Mailbox<FlowImage>& live, PastImages* past)
      : live_{.box = &live}, past_{.box = past != nullptr ? &past->flow : nullptr} {}
  ~FlowTexture() { release(); }
  FlowTexture(const FlowTexture&) = delete;
  FlowTexture& operator=(const FlowTexture&) = delete;

  // Reads the newest one, and sets in `model` the one that belongs to `shown`.
  void take(Model& model, const Edits& edits, const Image& shown);

  [[nodiscard]] const FlowImage* shown() const { return shown_.get(); }  // null = none
  // Returns power in dB and velocity as a share of the aliasing limit, two channels; one, dB, for the low-rank image.
  [[nodiscard]] unsigned int texture() const { return texture_; }

 private:
  struct Box {
    Mailbox<FlowImage>* box = nullptr;
    std::int64_t from_ns = 0;  // earlier flow images are obsolete
  };
  [[nodiscard]] static bool belongs(const FlowImage& flow, const Model& model, const Edits& edits, const Image& shown);
  void upload(const FlowImage& flow);
  void release();

  Box live_, past_;
  std::shared_ptr<const FlowImage> shown_, uploaded_;
  std::vector<float> values_;
  unsigned int texture_ = 0;
  int channels_ = 0, width_ = 0, height_ = 0;
};

}  // namespace echoloop
