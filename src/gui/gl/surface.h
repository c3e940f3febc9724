// Drawing surface of the viewer: a GLFW window or an offscreen framebuffer, each with an OpenGL 4.5 core context. Both
// give the same input to the same window code, so that tests and --screenshot need no display. UI thread only.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/params.h"
#include "core/results/analysis_images.h"
#include "gui/state/dock_list.h"
#include "gui/state/focus.h"

namespace echoloop {

// Input made by a test: applied to the next frame. Pixels from the window's top left corner.
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
  virtual void poll(double wait_s) = 0;        // handles events, waiting at most wait_s for one
  virtual void new_frame(double delta_s) = 0;  // sets size, time and input in ImGui's io
  virtual void present() = 0;
  [[nodiscard]] virtual bool should_close() const = 0;
  [[nodiscard]] virtual int width() const = 0;  // pixels
  [[nodiscard]] virtual int height() const = 0;
  [[nodiscard]] virtual float content_scale() const = 0;  // scale of the monitor
  [[nodiscard]] virtual unsigned int framebuffer() const = 0;
  // Returns the number of present() calls since the content of the framebuffer was drawn; 0: unknown.
  [[nodiscard]] virtual int content_age() const = 0;
  virtual void toggle_full_screen() = 0;
  virtual void inject(const InjectedInput& input) = 0;

  std::vector<KeyPress> keys;  // since the last frame; cleared by the viewer
  std::vector<std::filesystem::path> dropped_files;
  WindowPlace place;    // current place; width 0: none
  bool exposed = true;  // the display has lost its content; reset by the viewer
};

struct SurfaceOptions {
  int width = 1600;
  int height = 900;
  double ui_scale = 0;  // 0 = that of the monitor
  bool vsync = true;
  WindowPlace place = {};  // initial place; width 0, or outside all screens: chosen by the system
};

// Make a surface. Throw Error without a display or OpenGL 4.5.
std::unique_ptr<Surface> make_window(const SurfaceOptions& options);
std::unique_ptr<Surface> make_offscreen(const SurfaceOptions& options);

// Display range of an image, with two ends that can be dragged: on the colour bar and on the histogram; and set from an
// image's background, only on request, never automatically from image to image, which would make brightness
// meaningless. Pure functions. Any thread.

struct DisplayWindow {
  double top_db, bottom_db;
};
inline DisplayWindow display_window(const ImagingParams& p) {
  return {-p.display.gain_db, -p.display.gain_db - p.display.dynamic_range_db};
}

enum class WindowGrip { none, top, middle, bottom };

// Moves an end of `start`, or all of it, by whole decibels: sets dynamic range and gain within their limits.
void drag_display_window(ImagingParams& p, WindowGrip grip, const DisplayWindow& start, double moved_db);

// Handles Up and Down: gain, 1 dB; Right and Left: dynamic range, 1 dB; with Shift 5 dB; Delete: as in `defaults`.
void key_display_window(ImagingParams& p, const ImagingParams& defaults, const KeyPress& press);
void reset_display_window(ImagingParams& p, const ImagingParams& defaults);

// Reject threshold in sigma above the mean. For noise or speckle with Rayleigh amplitudes that is 8.6 dB over the mean
// power (the levels' sigma is 5.57 dB, their mean 2.5 dB below it), and exp(-7.3), one pixel in 1500, remains; after
// clipping, which makes sigma a little smaller, about one in a thousand.
inline constexpr double kRejectSigmas = 2.0;

// Rejects the background: sets `reject_db` in whole decibels, within its limits.
void reject_background(ImagingParams& p, const Background& background);

// Sets the display window, in whole decibels, up to the brightest level of the histogram. Its lower end hides the
// background: for bright targets 1 sigma below the median, so that little brightness is used for the background;
// otherwise 4 sigma below, so that tissue keeps its gray and only darker parts are black.
void fit_window(ImagingParams& p, const Background& background, const LevelHistogram& histogram);

// Returns the upper edge of the highest bin with a pixel, for the image's levels; the lowest edge if all are empty.
[[nodiscard]] double brightest_db(const LevelHistogram& histogram);

// Loss of the X server connection (the server ends, the network or the session is gone), or a request that the server
// refuses: Xlib would end the program at once, in any state, with recordings unfinished. UI thread.

enum class DisplayLoss { connection, request };  // request: the server refused one (an X protocol error)

// Sets `finish`, called on a loss before the program ends with status 1. It must not use the window, whose calls would
// fail or wait; empty: no action. No effect if the window is not X11's (Wayland closes the window).
void finish_on_display_loss(std::function<void(DisplayLoss)> finish);

}  // namespace echoloop
