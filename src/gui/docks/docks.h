// What a dock shows: one object for each row of state/dock_list.h, as long as the window is open. UI thread only.
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

// Where the viewer draws the pixels of the strips, below everything else. Empty: nowhere.
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

  // `head`: the free part of the dock's head, beside its title.
  virtual void draw(const DockScene& scene, Rect head, const Rect& body) = 0;
  // It is not on screen: releases its textures.
  virtual void close() {}
  // In the presentation, where it takes part in it.
  [[nodiscard]] virtual bool is_presented(const PanelContext& /*c*/) const { return false; }
  virtual void draw_presented(const DockScene& /*scene*/, const Rect& /*cell*/) {}
};

// The inspector's plots, one function each: a cell of the dock, and the pixel that is looked at. UI thread only.

// The raw lines of one transmit with the pixel's delay curve.
void draw_raw_map(Ui& ui, const Rect& cell, const Inspection& pixel, ChannelMap& map);
// The channels before summation, as waves about the pixel's time: what is in phase makes level stripes.
void draw_aligned_map(Ui& ui, const Rect& cell, const Inspection& pixel, ChannelMap& map);
// The beamformed line through the pixel.
void draw_level_line(Ui& ui, const Rect& cell, const Inspection& pixel, const DisplayParams& display);
// Spectra of the nearest element's line, before and after the filter, and the filter.
void draw_spectrum(Ui& ui, const Rect& cell, const Inspection& pixel);

// What the adaptive method compares: none, one or two plots side by side.
int method_plots(const MethodView& view);
// Plot number `index` of them. A drag sets how many frequencies or lags count.
void draw_method_plot(Ui& ui, const Rect& cell, const MethodView& view, int index, FormationParams& params);

// Of the frame that is inspected; before the first answer the source's.
inline const Acquisition* inspected_acquisition(const Model& model) {
  return (model.image.inspector.acquisition != nullptr ? model.image.inspector.acquisition : model.source.acquisition)
      .get();
}

// "6 of 11, +2.0°"
std::string transmit_text(const Acquisition* acquisition, int transmit);
// Below its picture, the longest first: "source x 5.0 mm", "x 5.0 mm", "1".
std::array<std::string, 3> transmit_labels(const Acquisition* acquisition, int transmit);

// Small images in rows: as large as lets all of them be seen, otherwise as lets a whole one be seen.
struct Tiles {
  int across = 1;
  float width = 0, height = 0;  // of an image
  float row = 0;                // from one row to the next: its image, its caption, the gap
};
// In pixels: `room` without what stands around the pictures; `caption` below each; none narrower than `least` unless
// that is all there is. `ratio`: height over width of what they show.
Tiles lay_out_tiles(const Rect& room, int count, float ratio, float caption, float gap, float least);

// What each transmit makes alone; a click chooses it.
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

  std::map<int, Shown> shown_;  // those in view
  float scroll_ = 0;
  int followed_ = -1;  // transmit that was in view when it was chosen
};

// The overlay that lists all keys (F1), with the scale of the interface. UI thread only.

inline constexpr const char* kKeysOverlay = "keys_overlay";

enum class ManualButton { shown, hidden };

struct OverlayRequests {
  bool tour = false;
  bool about = false;
  bool manual = false;
  std::optional<float> scale;  // of the interface; 0: the default
};

// Every frame; opened by Ui::open_popup(kKeysOverlay). `wanted_scale`: more than Ui::scale() where the window has no
// room for it.
OverlayRequests draw_keys_overlay(Ui& ui, std::span<const KeyHelp> keys, float wanted_scale, ManualButton manual);

// The same list for the manual.
std::string keys_markdown_table(std::span<const KeyHelp> keys);

// The first-start tour: callouts beside what they explain. The window stays usable under it. UI thread only.

struct TourStep {
  std::string_view title;
  std::string_view text;
  // Ids of the controls that are pointed at, together; where none is drawn the last one, and else the image.
  std::array<const char*, 2> targets;
  const char* otherwise = "";
  std::string_view lesson = {};  // a session in assets/lessons that the callout offers to open
};

std::span<const TourStep> tour_steps();

class Tour {
 public:
  void begin() { step_ = 0; }
  void end() { step_ = -1; }
  [[nodiscard]] bool running() const { return step_ >= 0; }
  void hide() { shown_ = false; }  // nothing to point at in this frame: its keys are not taken

  // Enter and Right go on, Left goes back, Escape ends; true when the key was one of them.
  bool take_key(const KeyPress& press);
  // After everything else. `picture`: where the image is; empty = there is none yet. Returns the lesson to open.
  std::string_view draw(Ui& ui, const Rect& picture);

 private:
  void go(int by);
  [[nodiscard]] Rect target_of(const Ui& ui, const Rect& picture) const;

  int step_ = -1;
  bool shown_ = false;
};

// The words of the M-mode's line and calipers, and its strip as a strip of a figure. UI thread only.

// "line at x 1.30 mm", or at an angle.
std::string line_text(const Image& image, PlanePoint at);

// A caliper in words: depth, time, and what follows from both: "4.20 mm", "310 ms", "13.5 mm/s", "3.23 Hz, 194 /min".
struct CaliperText {
  std::string lengths, rates;
};
CaliperText caliper_text(const MModeCaliper& caliper);

// `strip` is not empty. `image`: on screen.
FigureStrip figure_m_mode(const MModeStrip& strip, const Edits& edits, const Image& image, double span_s);

// The acquisition time across the strips of M-mode and spectral Doppler.

// `span_s`, 2, 4 or 8 times a power of ten, moved to the power that suits the speed of playback: 1 s in real time, 10
// ms where a second of acquisition takes more than 10 s and up to 100 s. Unchanged while frozen.
double fitted_span_s(const Model& model, const Edits& edits, double span_s);

std::string strip_span_text(double span_s);  // "4 s", "40 ms", "80 µs"

// The buttons of the three spans, at the right end of `head`, which ends before them afterwards.
void choose_span(PanelContext& c, const char* id, Rect& head, double& span_s);

// The panel that opens above the cine strip's buttons: everything that can be saved, each with what it will be, the
// film's choices, and where the last one went. UI thread only.

inline constexpr const char* kSavePanel = "save_panel";  // for Ui::open_popup

// `right`, `bottom`: the corner that it grows from.
void draw_save_panel(PanelContext& c, float right, float bottom);

// Which kept frames become a film, and how fast it plays: said in the save panel, done by the application. Pure.

struct FilmPlan {
  std::size_t first = 0, last = 0;  // kept frames, both included
  std::size_t step = 1;             // frames of the source to an image: videos play at most 60 images a second
  std::size_t pictures = 0;         // 0: there is nothing to make a video of
  double rate_hz = 0.0;
  double speed = 1.0;  // seconds of acquisition to one of the video
  [[nodiscard]] double seconds() const { return rate_hz > 0.0 ? static_cast<double>(pictures) / rate_hz : 0.0; }
};

// At the acquisition's pace, times the speed: as long as the acquisition took, whatever the stream was held back.
FilmPlan plan_film(const KeptFrames& kept, const Cine& cine, const FilmChoice& choice);

// A kept frame and the video's image, from 0, that shows it first; images between two of them hold the older one.
struct FilmFrame {
  std::size_t index = 0;
  std::uint64_t place = 0;
};
std::vector<FilmFrame> film_frames(const KeptFrames& kept, const FilmPlan& plan);

inline constexpr double kFilmFastest_hz = 60.0;

// For a source that has just been opened: real time, or so much slower that most of its frames can be seen.
[[nodiscard]] double starting_speed(double frame_rate_hz);

// Warnings of the status bar and of presentation: "Processing limits: 23 of 50 fps  playing at 0.46×", and
// "invalid 3 samples  clipped 0.42 %" with the elements in the tooltip. UI thread only.

enum class PaceWords { all, first };  // of the two; the first is the more urgent one

// 0 while the stream is as fast as it should be.
[[nodiscard]] float pace_width(const Ui& ui, const StreamPace& pace, Type type, PaceWords words);
// With its left edge at x; returns the right edge.
float draw_pace(const Ui& ui, float x, const Rect& line, const StreamPace& pace, Type type, PaceWords words);

enum class FaultWords { all, first };  // of the kinds of faults

// Of all frames since the stream started; 0: no faults.
[[nodiscard]] float sample_faults_width(const Ui& ui, const SampleFaults& since_start, FaultWords words);
// With its left edge at x, in a bar; returns the right edge. `shown`: of the frame on screen.
float draw_sample_faults(Ui& ui, float x, const Rect& bar, const SampleFaults& since_start, const SampleFaults& shown,
                         FaultWords words);

}  // namespace echoloop
