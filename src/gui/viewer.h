// The window of the program: takes the newest image, draws it with the panels around it, and turns input into
// Edits and commands. It is the reader of the mailboxes. UI thread only; never waits for the pipeline.
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
enum class Closing { by_user, never };  // never: neither a key nor the window's own button ends it

struct ViewerOptions {
  int width = 1600;  // offscreen: pixels; window: at scale 1
  int height = 900;
  SurfaceKind surface = SurfaceKind::window;
  Interop interop = Interop::try_it;
  std::filesystem::path shader_dir = {};
  std::filesystem::path settings_file = {};  // layout and last folder are remembered here; empty = not at all
  bool remembered_place = false;             // the window opens where it was; otherwise width and height count
  FirstTour first_tour = FirstTour::off;     // the tour of the window, once; needs settings that can be written
  double ui_scale = 0;                       // 0 = the last run's, or the monitor's
  Closing closing = Closing::by_user;
  bool vsync = true;
  Queries queries = {};
};

class Viewer {
 public:
  // Throws Error when there is no display, no OpenGL 4.5, or no shaders.
  // `past`: where images of kept frames, and their flow, come from while the state is frozen; null = looking back is
  // not possible.
  Viewer(const ViewerOptions& options, Commands& commands, LiveImages& live, PastImages* past = nullptr);
  ~Viewer();
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;

  [[nodiscard]] bool should_close() const;

  // One window frame: events, newest image, panels, drawing. True when an image came that was not shown before.
  bool frame(WindowState& state);
  // Whether the last frame was drawn. One that would look like the frame before it is not: then nothing is presented.
  [[nodiscard]] bool drawn() const;

  // Returns when there is input, at the latest after `timeout_s`: for times when no new image is expected.
  void wait_events(double timeout_s);
  // True while something on the window moves by itself or was touched just now: then draw at the full rate.
  [[nodiscard]] bool wants_frame() const;

  [[nodiscard]] bool needs_host_image() const;              // changes to true when interop fails
  [[nodiscard]] const std::string& interop_status() const;  // one line
  [[nodiscard]] std::string gl_renderer() const;
  // Times of the last frame, on the clock of now_ns(). Of a copy on the device the time is known one frame later; it
  // then belongs to the frame `present_sequence`, which need not be on screen any more.
  struct FrameTimes {
    std::int64_t present_start = 0, present_end = 0;  // device (or host) to texture; equal: no new image
    std::uint64_t present_sequence = 0;               // of which frame
    std::int64_t draw_start = 0, draw_end = 0;        // all of the UI thread's work, without the wait for the display
    std::int64_t shown = 0;                           // the display's vertical sync has passed
    std::int64_t texture_ns = 0;                      // of that, handing a new image to its texture; 0: none came
    std::int64_t device_wait_ns = 0;                  // time spent in calls that may wait for the device
  };
  [[nodiscard]] const FrameTimes& times() const;

  // The last frame's whole window, RGB, top row first.
  [[nodiscard]] RgbImage screenshot() const;
  [[nodiscard]] const Image& shown_image() const;  // number 0 = none of the source in use yet
  [[nodiscard]] const Image& drawn_image() const;  // likewise, or what is drawn in its place

  // Its dB values, [nz][nx]; read from the texture where the image never came to the host. Empty without a picture.
  [[nodiscard]] std::vector<float> shown_db() const;
  // A of a comparison, beside shown_image(); null: there is none.
  [[nodiscard]] const Image* compared_image() const;
  [[nodiscard]] std::vector<float> compared_db() const;
  // M-mode and spectral Doppler as they are on screen now, for a figure.
  [[nodiscard]] std::vector<FigureStrip> strips_on_screen(const WindowState& state) const;

  [[nodiscard]] const ViewSettings& settings() const;
  void apply_layout(const LayoutText& layout);  // of a session
  // Columns, panels, docks and scale as they are before anything was set; and as `settings` has them.
  void reset_view();
  void restore_view(const ViewSettings& settings);
  [[nodiscard]] double idle_s() const;  // since the last input of any kind

  // Forgets the image on screen; call before Mailbox::reset().
  void forget_image();

  // For tests.
  void inject(const InjectedInput& input);
  [[nodiscard]] Screen& screen() const;  // as the last frame drew it

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace echoloop
