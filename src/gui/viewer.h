// Window of the program: reads the newest image, draws it with the panels around it, and turns input into Edits and
// commands. It is the reader of the mailboxes. UI thread only; never waits for the pipeline.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/results/live_images.h"
#include "gui/figure/figure_strip.h"
#include "gui/gl/surface.h"
#include "gui/state/ui_state.h"
#include "gui/toolkit/view_settings.h"

namespace echoloop {

class Screen;

enum class SurfaceKind { window, offscreen };
enum class Interop { try_it, off };
enum class FirstTour { show, off };
enum class Closing { by_user, never };  // never: neither a key nor the window's close button ends it

struct ViewerOptions {
  int width = 1600;  // offscreen: pixels; window: at scale 1
  int height = 900;
  SurfaceKind surface = SurfaceKind::window;
  Interop interop = Interop::try_it;
  std::filesystem::path shader_dir = {};
  std::filesystem::path settings_file = {};      // stores layout and last folder; empty = not stored
  bool remembered_place = false;                 // opens at the last run's place; otherwise width and height apply
  FirstTour first_tour = FirstTour::off;         // tour of the window, once; needs writable settings
  WindowMode first_mode = WindowMode::engineer;  // without a settings file
  double ui_scale = 0;                           // 0 = that of the last run, or of the monitor
  Motion motion = Motion::off;                   // on: as set in the window
  Closing closing = Closing::by_user;
  bool vsync = true;
  Queries queries = {};
};

class Viewer {
 public:
  // Throws Error without a display, OpenGL 4.5 or shaders. `past`: source of the images of history frames, and their
  // flow, while the state is frozen; null = no cine review.
  Viewer(const ViewerOptions& options, Commands& commands, LiveImages& live, PastImages* past = nullptr);
  ~Viewer();
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;

  [[nodiscard]] bool should_close() const;

  // Runs one window frame: events, newest image, panels, drawing. Returns true if a new image arrived.
  bool frame(WindowState& state);
  // Returns true if the last frame was drawn. An unchanged frame is not, and not presented.
  [[nodiscard]] bool drawn() const;

  // Returns on input, at the latest after `timeout_s`: for times without new images.
  void wait_events(double timeout_s);
  // Returns true while something in the window is moving or was just touched: then draw at the full rate.
  [[nodiscard]] bool wants_frame() const;

  [[nodiscard]] bool needs_host_image() const;              // changes to true when interop fails
  [[nodiscard]] const std::string& interop_status() const;  // one line
  [[nodiscard]] std::string gl_renderer() const;
  // Times of the last frame, on the clock of now_ns(). The time of a copy on the device is known one frame later; it
  // then belongs to the frame `present_sequence`, which may no longer be on screen.
  struct FrameTimes {
    std::int64_t present_start = 0, present_end = 0;  // device (or host) to texture; equal: no new image
    std::uint64_t present_sequence = 0;               // frame of the copy
    std::int64_t draw_start = 0, draw_end = 0;        // all work of the UI thread, without the wait for the display
    std::int64_t shown = 0;                           // vertical sync of the display has passed
    std::int64_t texture_ns = 0;                      // transfer of a new image to its texture, part of that; 0: none
    std::int64_t device_wait_ns = 0;                  // time spent in calls that may wait for the device
  };
  [[nodiscard]] const FrameTimes& times() const;

  // Returns the whole window of the last frame, RGB, top row first.
  [[nodiscard]] RgbImage screenshot() const;
  [[nodiscard]] const Image& shown_image() const;  // number 0 = none of the current source yet
  [[nodiscard]] const Image& drawn_image() const;  // same, or the image drawn in its place

  // Returns the dB of shown_image(), [nz][nx]; from the texture if there is no host copy. Empty without an image.
  [[nodiscard]] std::vector<float> shown_db() const;
  // Returns A of a comparison with shown_image(); null: none.
  [[nodiscard]] const Image* compared_image() const;
  [[nodiscard]] std::vector<float> compared_db() const;
  // Returns M-mode and spectral Doppler as currently on screen, for a figure.
  [[nodiscard]] std::vector<FigureStrip> strips_on_screen(const WindowState& state) const;

  [[nodiscard]] const ViewSettings& settings() const;
  void apply_layout(const LayoutText& layout);  // of a session
  // Set columns, panels, docks and scale to their initial state, or to `settings`.
  void reset_view();
  void restore_view(const ViewSettings& settings, KeptSettings keeping = KeptSettings::of_the_user);
  [[nodiscard]] double idle_s() const;  // time since the last input of any kind

  // Releases the image on screen; call before Mailbox::reset().
  void forget_image();

  // Sends input; for tests.
  void inject(const InjectedInput& input);
  [[nodiscard]] Screen& screen() const;  // as drawn in the last frame

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace echoloop
