// Content of a dock: one object for each row of state/dock_list.h, for the lifetime of the window. UI thread only.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/results/image.h"
#include "core/sample_log.h"
#include "core/stream_settings.h"
#include "gui/figure/figure_strip.h"
#include "gui/panels/panels.h"
#include "gui/state/analysis_views.h"
#include "gui/state/focus.h"
#include "gui/state/ui_state.h"
#include "gui/toolkit/ui.h"
#include "gui/view/image_view.h"
#include "gui/view/m_mode.h"

namespace echoloop {

// Boxes in which the viewer draws the pixels of the strips, below all else. Empty: not drawn.
struct StripBoxes {
  Rect m_mode, spectrogram;
};

struct DockScene {
  PanelContext& c;
  const Image& image;
  const MModeStrip& strip;
  StripBoxes& boxes;
};

class DockContent {
 public:
  DockContent() = default;
  DockContent(const DockContent&) = delete;
  DockContent& operator=(const DockContent&) = delete;
  virtual ~DockContent() = default;

  // Draws the dock. `head`: the free part of its header, after the title.
  virtual void draw(const DockScene& scene, Rect head, const Rect& body) = 0;
  // Releases the textures; called when the dock is hidden.
  virtual void close() {}
  // Returns true if the presentation includes the dock, by draw_presented().
  [[nodiscard]] virtual bool is_presented(const PanelContext& /*c*/) const { return false; }
  virtual void draw_presented(const DockScene& /*scene*/, const Rect& /*cell*/) {}
};

// Plots of the inspector, one function each: a cell of the dock, and the inspected pixel. UI thread only.

// Draws the raw lines of one transmit with the pixel's delay curve.
void draw_raw_map(Ui& ui, const Rect& cell, const Inspection& pixel, ChannelMap& map);
// Draws the channels before summation, as waves around the pixel's time: channels in phase form level stripes.
void draw_aligned_map(Ui& ui, const Rect& cell, const Inspection& pixel, ChannelMap& map);
// Draws the beamformed line through the pixel.
void draw_level_line(Ui& ui, const Rect& cell, const Inspection& pixel, const DisplayParams& display);
// Draws spectra of the nearest element's line, before and after the filter, and the filter.
void draw_spectrum(Ui& ui, const Rect& cell, const Inspection& pixel);

// Returns the number of plots of the adaptive method: 0, 1 or 2.
int method_plots(const MethodView& view);
// Draws plot number `index` of them. Dragging sets the number of frequencies or lags used.
void draw_method_plot(Ui& ui, const Rect& cell, const MethodView& view, int index, FormationParams& params);

// Returns that of the inspected frame; before the first result that of the source.
inline const Acquisition* inspected_acquisition(const Model& model) {
  return (model.image.inspector.acquisition != nullptr ? model.image.inspector.acquisition : model.source.acquisition)
      .get();
}

// Returns "6 of 11, +2.0°".
std::string transmit_text(const Acquisition* acquisition, int transmit);
// Returns labels for a transmit's image, the longest first: "source x 5.0 mm", "x 5.0 mm", "1".
std::array<std::string, 3> transmit_labels(const Acquisition* acquisition, int transmit);

// Small images in rows: as large as possible with all images visible, otherwise with one complete image visible.
struct Tiles {
  int across = 1;
  float width = 0, height = 0;  // of an image
  float row = 0;                // distance between rows: image, caption, gap
};
// Returns the layout, in pixels. `room`: for images and captions; `caption`: height below each image; `least`: minimum
// width, unless `room` is smaller. `ratio`: height over width of the images' content.
Tiles lay_out_tiles(const Rect& room, int count, float ratio, float caption, float gap, float least);

// Images of single transmits; a click chooses one.
class TransmitImages {
 public:
  void draw(PanelContext& c, const Rect& cell);

 private:
  struct Shown {
    std::shared_ptr<const TransmitImage> of;
    DisplayParams display;
    ColorTexture texture;
    float height_per_width = 1;
  };
  void update(Shown& shown, const std::shared_ptr<const TransmitImage>& picture, const DisplayParams& display);
  void draw_picture(PanelContext& c, int k, const Rect& r, ImVec2 size);

  std::map<int, Shown> shown_;  // visible ones
  float scroll_ = 0;
  int followed_ = -1;  // transmit that scrolling last made visible; -1: none
};

// Overlay with a list of all keys (F1), and the scale of the interface. UI thread only.

inline constexpr const char* kKeysOverlay = "keys_overlay";

enum class ManualButton { shown, hidden };

struct OverlayRequests {
  bool tour = false;
  bool about = false;
  bool manual = false;
  std::optional<float> scale;  // of the interface; 0: the default
};

// Draws the overlay, every frame; opened by Ui::open_popup(kKeysOverlay). `wanted_scale`: exceeds Ui::scale() if the
// window is too small for it.
OverlayRequests draw_keys_overlay(Ui& ui, std::span<const KeyHelp> keys, float wanted_scale, ManualButton manual,
                                  Motion& motion);

// Returns the same list for the manual.
std::string keys_markdown_table(std::span<const KeyHelp> keys);

// First-start tour: callouts next to the explained controls. The window remains usable under it. UI thread only.

struct TourStep {
  std::string_view title;
  std::string_view text;
  // Ids of the controls to be marked, together; if none is drawn, `otherwise`, then the image.
  std::array<const char*, 2> targets;
  const char* otherwise = "";
  std::string_view lesson = {};  // session in assets/lessons that the callout offers to open
};

std::span<const TourStep> tour_steps();

class Tour {
 public:
  void begin() { step_ = 0; }
  void end() { step_ = -1; }
  [[nodiscard]] bool running() const { return step_ >= 0; }
  void hide() { shown_ = false; }  // no callout in this frame: its keys are not used

  // Handles Enter and Right (next), Left (back), Escape (end); returns true for one of these keys.
  bool take_key(const KeyPress& press);
  // Draws the callout, after all else. `picture`: box of the image; empty = none yet. Returns the lesson to open.
  std::string_view draw(Ui& ui, const Rect& picture);

 private:
  void go(int by);
  [[nodiscard]] Rect target_of(const Ui& ui, const Rect& picture) const;

  int step_ = -1;
  bool shown_ = false;
};

// Text of the M-mode's line and calipers, and its strip as a strip of a figure. UI thread only.

// Returns "line at x 1.30 mm", or with an angle.
std::string line_text(const Image& image, PlanePoint at);

// Text of a caliper: depth, time, and derived values: "4.20 mm", "310 ms", "13.5 mm/s", "3.23 Hz, 194 /min".
struct CaliperText {
  std::string lengths, rates;
};
CaliperText caliper_text(const MModeCaliper& caliper);

// Returns the strip of a figure; `strip` is not empty. `image`: the displayed one.
FigureStrip figure_m_mode(const MModeStrip& strip, const Edits& edits, const Image& image, double span_s);

// Acquisition time across the strips of M-mode and spectral Doppler.

// Returns `span_s`, 2, 4 or 8 times a power of ten, scaled to the power for the speed of playback: 1 s in real time,
// 100 ms if a second of acquisition takes 10 s or more, but less than 100 s. Unchanged while frozen.
double fitted_span_s(const Model& model, const Edits& edits, double span_s);

std::string strip_span_text(double span_s);  // "4 s", "40 ms", "80 µs"

// Draws the buttons of the three spans at the right end of `head`, and removes their width from `head`.
void choose_span(PanelContext& c, const char* id, Rect& head, double& span_s);

// Panel above the cine strip's buttons: all data that can be saved, each with its format, the video's settings, and the
// path of the last file. UI thread only.

inline constexpr const char* kSavePanel = "save_panel";  // for Ui::open_popup

// Draws the panel; `right`, `bottom`: its lower right corner.
void draw_save_panel(PanelContext& c, float right, float bottom);

// Kept frames of a video, and its frame rate: shown in the save panel, used by the application. Pure.

struct FilmPlan {
  std::size_t first = 0, last = 0;  // kept frames, both included
  std::size_t step = 1;             // frames of the source per image: videos have at most 60 images per second
  std::size_t pictures = 0;         // 0: no video possible
  double rate_hz = 0.0;
  double speed = 1.0;  // seconds of acquisition per second of video
  [[nodiscard]] double seconds() const { return rate_hz > 0.0 ? static_cast<double>(pictures) / rate_hz : 0.0; }
};

// Plans a video at the frame rate of the acquisition, times the speed, independent of the rate of the stream.
FilmPlan plan_film(const KeptFrames& kept, const Cine& cine, const FilmChoice& choice);

// Kept frame and the first image of the video that shows it, from 0; images without a frame repeat the previous one.
struct FilmFrame {
  std::size_t index = 0;
  std::uint64_t place = 0;
};
std::vector<FilmFrame> film_frames(const KeptFrames& kept, const FilmPlan& plan);

inline constexpr double kFilmFastest_hz = 60.0;

// Returns the speed for a newly opened source: real time, or slower so that most frames can be shown.
[[nodiscard]] double starting_speed(double frame_rate_hz);

// Warnings of the status bar and of presentation: "Processing limits: 23 of 50 fps  playing at 0.46×", and
// "invalid 3 samples  clipped 0.42 %" with the elements in the tooltip. UI thread only.

enum class PaceWords { all, first };  // of the two; the first is the more urgent one

// Returns the width; 0 if the stream runs at full rate.
[[nodiscard]] float pace_width(const Ui& ui, const StreamPace& pace, Type type, PaceWords words);
// Draws the warning with its left edge at x; returns the right edge.
float draw_pace(const Ui& ui, float x, const Rect& line, const StreamPace& pace, Type type, PaceWords words);

// "late 12 of 50 fps": frames without an answer in time of the method in another program. Returns the width; 0: none.
[[nodiscard]] float late_width(const PanelContext& c);
// Draws it with the left edge at x, in a bar; returns the right edge.
float draw_late(PanelContext& c, float x, const Rect& bar);

enum class FaultWords { all, first };  // of the kinds of faults

// Returns the width for all frames since the stream started; 0: no faults.
[[nodiscard]] float sample_faults_width(const Ui& ui, const SampleFaults& since_start, FaultWords words);
// Draws the faults with the left edge at x, in a bar; returns the right edge. `shown`: of the displayed frame.
float draw_sample_faults(Ui& ui, float x, const Rect& bar, const SampleFaults& since_start, const SampleFaults& shown,
                         FaultWords words);

}  // namespace echoloop
