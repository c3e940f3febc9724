// What the viewer draws on: a GLFW window or an offscreen framebuffer, each with an OpenGL 4.5 core context.
// Both give the same input to the same window code, so that tests and --screenshot need no display. UI thread only.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gui/state/keys.h"
#include "gui/state/window_place.h"

namespace echoloop {

// Input made by a test: applies to the next frame. Pixels from the window's top left corner.
struct InjectedInput {
  float mouse_x = -1;
  float mouse_y = -1;
  bool left = false;
  bool right = false;
  bool middle = false;
  bool control = false;
  float wheel = 0;
  std::vector<KeyPress> keys;
  std::string text;  // typed characters
  std::vector<std::filesystem::path> dropped_files = {};
};

class Surface {
 public:
  virtual ~Surface() = default;
  virtual void init_imgui() = 0;  // after the ImGui context exists, before the first frame
  virtual void shutdown_imgui() = 0;
  virtual void poll(double wait_s) = 0;        // takes events, waiting at most wait_s for one
  virtual void new_frame(double delta_s) = 0;  // size, time and input into ImGui's io
  virtual void present() = 0;
  [[nodiscard]] virtual bool should_close() const = 0;
  [[nodiscard]] virtual int width() const = 0;  // pixels
  [[nodiscard]] virtual int height() const = 0;
  [[nodiscard]] virtual float content_scale() const = 0;  // of the monitor
  [[nodiscard]] virtual unsigned int framebuffer() const = 0;
  // How many calls of present() ago that was drawn which the framebuffer holds now; 0: its content is uncertain.
  [[nodiscard]] virtual int content_age() const = 0;
  virtual void toggle_full_screen() = 0;
  virtual void inject(const InjectedInput& input) = 0;

  std::vector<KeyPress> keys;  // since the last frame; the viewer empties them
  std::vector<std::filesystem::path> dropped_files;
  WindowPlace place;    // now; width 0: it has none
  bool exposed = true;  // the display has lost what was drawn; the viewer resets it
};

struct SurfaceOptions {
  int width = 1600;
  int height = 900;
  double ui_scale = 0;  // 0 = the monitor's
  bool vsync = true;
  WindowPlace place = {};  // to open at; width 0, or nowhere on these screens: where the system likes
};

// Throw Error when there is no display, or no OpenGL 4.5.
std::unique_ptr<Surface> make_window(const SurfaceOptions& options);
std::unique_ptr<Surface> make_offscreen(const SurfaceOptions& options);

}  // namespace echoloop
