// Draws a window frame with OpenGL: backgrounds, image, ImGui's draw data. If the framebuffer keeps its content (in
// software rendering a copy of it does) most frames draw the image only; the columns follow ten times a second, and at
// once while in use. UI thread only.
#pragma once

#include <filesystem>
#include <string>

#include "core/results/image.h"
#include "gui/gl/level_reader.h"
#include "gui/gl/shader.h"
#include "gui/gl/surface.h"
#include "gui/screen.h"
#include "gui/toolkit/image_painter.h"
#include "gui/view/m_mode.h"

namespace echoloop {

// Contents of one window frame: the surface, the screen's areas, the images and their display. UI thread only.

struct WindowFrame {
  Surface& surface;
  const Screen& screen;
  unsigned int texture = 0;
  const Image& shown;  // image in the texture; number 0 = none
  unsigned int compared_texture = 0;
  const Image* compared = nullptr;      // left of the wipe line; null = no comparison
  const FlowTexture& flow;              // over the image
  const MModeStrip& strip;              // drawn in its box of the screen
  const SpectrogramStrip& spectrogram;  // drawn in its box of the screen
  const ImagingParams& display;         // window, gamma and colour map
  const DisplayParams& display_a;       // display of `compared`
  const MatchedLevels& matched;         // level map of `shown`, in a comparison
  bool touched = false;                 // recent input, or a moving item
  bool stands_in = false;               // `shown` is coarse, or the last image of the previous source
  bool fresh = false;                   // a new image arrived
};

enum class Extent { as_needed, all };

// Framebuffer size in pixels, and pixels per unit of the window.
struct RenderTarget {
  float ratio = 1;
  int width = 0, height = 0;
  [[nodiscard]] Rect pixels(const Rect& r) const { return {r.x0 * ratio, r.y0 * ratio, r.x1 * ratio, r.y1 * ratio}; }
};

class WindowRenderer {
 public:
  explicit WindowRenderer(const std::filesystem::path& shader_dir);

  bool reload_if_changed(std::string& report) {
    return painter_.reload_if_changed(report) || flow_painter_.reload_if_changed(report);
  }

  // Draws after ImGui's render. Extent::all: updates every part.
  void draw(const WindowFrame& frame, Extent extent);
  // Returns true if the window already shows this frame: the last one drawn is identical.
  [[nodiscard]] bool is_drawn(const WindowFrame& frame) const;

 private:
  bool must_draw_all(const WindowFrame& frame);
  static void clear_grounds(const WindowFrame& frame, const Rect& area, const RenderTarget& to);
  void paint(const RenderTarget& to, PaintJob job);  // with positions in the window's units
  void draw_pictures(const WindowFrame& frame, const RenderTarget& to);
  void draw_side_a(const WindowFrame& frame, const ImageLayout& layout, const Rect& seen, const RenderTarget& to);
  void draw_flow(const WindowFrame& frame, const RenderTarget& to);
  void draw_strips(const WindowFrame& frame, const RenderTarget& to);

  ImagePainter painter_;
  FlowPainter flow_painter_;
  bool software_;             // OpenGL runs on the CPU
  CachedFramebuffer canvas_;  // used in this case, for a surface without kept content
  bool in_canvas_ = false;    // the last frame was drawn there
  Rect drawn_live_area_;
  std::int64_t all_drawn_ns_ = 0;
  int drawn_since_all_ = 0;       // number of frames, including that of all parts
  std::uint64_t drawn_look_ = 0;  // 0: unknown
  ImagingParams drawn_display_;
  DisplayParams drawn_display_a_;
};

}  // namespace echoloop
