// The docks below the image, one row each: tool bar, keys, the dock's area, settings file and sessions read these rows.
// A new dock is one file in docks/, with a DockContent, and its name, its two functions and its row here. Constant
// data; UI thread only.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gui/state/focus.h"
#include "gui/state/marks.h"
#include "gui/state/timeline_layout.h"
#include "source/phantom_settings.h"

namespace echoloop {

// How large a figure is, and on which ground. Plain values.

enum class PageGround { white, dark };

enum class FigureSizing { factor, width, scale };
struct FigureSize {
  FigureSizing by = FigureSizing::width;
  double value = 170.0;  // pixels of a grid step; mm of the whole figure; mm of each cm of the image plane
  double dpi = 300.0;    // by factor: kScreenDpi
  std::optional<double> wipe_mm = {};  // A left of this x in the place of B, not a number: the middle; nothing: beside
};
inline constexpr double kScreenDpi = 96.0;

// What is accepted, in the window and on the command line.
struct FigureRange {
  double least, most;
  [[nodiscard]] bool holds(double value) const { return value >= least && value <= most; }
};
inline constexpr FigureRange kFigureWidth_mm{60.0, 1000.0}, kFigureScale_mm_per_cm{1.0, 200.0},
    kFigureDpi{72.0, 1200.0};

enum class Dock { none, inspector, m_mode, spectrogram };

class DockContent;
struct IconPen;

// Each in a file of its own.
std::unique_ptr<DockContent> make_inspector_dock();
std::unique_ptr<DockContent> make_m_mode_dock();
std::unique_ptr<DockContent> make_spectrogram_dock();
void inspector_icon(const IconPen& pen);
void m_mode_icon(const IconPen& pen);
void spectrogram_icon(const IconPen& pen);

enum class DockPlace { none, of_the_image };  // of_the_image: shows a point or a line that is chosen in the image
enum class DockStrip { none, moves };         // moves: its pixels change with every image

struct DockRow {
  Dock dock = Dock::none;
  std::string_view key_in_file = {};  // in settings and session files
  const char* id = "";                // of its button in the tool bar
  std::string_view name = {};         // there
  std::string_view title = {};        // in the dock's head
  Key key = Key::n;
  std::string_view key_name = {};
  std::string_view listed = {};   // in the list of keys
  std::string_view text = {};     // of the button's tooltip
  std::string_view closing = {};  // of the tooltip of the button that closes it
  DockPlace place = DockPlace::none;
  DockStrip strip = DockStrip::none;
  std::unique_ptr<DockContent> (*make)() = nullptr;
  void (*icon)(const IconPen& pen) = nullptr;  // of the button
};

inline constexpr auto kDocks = std::to_array<DockRow>({
    {.dock = Dock::inspector,
     .key_in_file = "inspector",
     .id = "dock/inspector",
     .name = "Inspector",
     .title = "Inspector",
     .key = Key::n,
     .key_name = "N",
     .listed = "inspector",
     .text = "Channel data and processing of one pixel, below the image.",
     .closing = "Closes this area.",
     .place = DockPlace::of_the_image,
     .make = make_inspector_dock,
     .icon = inspector_icon},
    {.dock = Dock::m_mode,
     .key_in_file = "m_mode",
     .id = "dock/m_mode",
     .name = "M-mode",
     .title = "M-mode",
     .key = Key::m,
     .key_name = "M",
     .listed = "M-mode",
     .text = "One image line over time, below the image.",
     .closing = "Closes this area.",
     .place = DockPlace::of_the_image,
     .strip = DockStrip::moves,
     .make = make_m_mode_dock,
     .icon = m_mode_icon},
    {.dock = Dock::spectrogram,
     .key_in_file = "sonogram",
     .id = "dock/sonogram",
     .name = "Doppler",
     .title = "Spectral Doppler",
     .key = Key::d,
     .key_name = "D",
     .listed = "spectral Doppler",
     .text = "Velocity spectrum of the sample volume over time, below the image.",
     .closing = "Removes the sample volume and closes this area.",
     .strip = DockStrip::moves,
     .make = make_spectrogram_dock,
     .icon = spectrogram_icon},
});

// That of no dock: empty.
constexpr DockRow dock_row(Dock dock) {
  for (const DockRow& row : kDocks) {
    if (row.dock == dock) return row;
  }
  return {.key_in_file = "none"};
}

// The panels of the two columns, one row each: the columns, the settings file and sessions read these rows. A new panel
// is one file in panels/ and one row. Constant data; UI thread only.

struct PanelContext;
struct Column;
struct Rect;

enum class PanelSide { left, right };                 // a narrow window has one column for all
enum class ClosedPanel { folded_to_head, left_out };  // left_out: opened from elsewhere

struct PanelRow {
  std::string_view key;  // in settings and session files
  PanelSide side = PanelSide::left;
  bool open = true;          // by default
  bool open_compact = true;  // by default, in a low or narrow window
  ClosedPanel closed = ClosedPanel::folded_to_head;
  // The head "panel_<key>" and, while `open`, the rows. A click on the head changes `open`.
  void (*draw)(PanelContext&, Column&, bool& open);
  // Before the column scrolls: takes the wheel where it is meant for a part of the panel. `column`: the visible part.
  void (*take_wheel)(PanelContext&, const Rect& column) = nullptr;
};

// From top to bottom.
std::span<const PanelRow> panels();

// How images are saved, as the save panel shows it and as the window remembers it between runs. Plain values.

enum class SaveFormat { png, svg, pdf, image_only };  // image only: a PNG of the image's own pixels
// Pixels of a grid step; or the width of the figure; or the scale of the image plane.
enum class SaveSize { x1, x2, x3, x4, width, scale };

struct SaveChoice {
  SaveFormat format = SaveFormat::png;
  SaveSize size = SaveSize::x2;
  double width_mm = 170.0;
  double mm_per_cm = 20.0;  // of the image plane
  double dpi = 300.0;       // of both
  PageGround ground = PageGround::white;
  std::string folder = {};  // empty: the user's own, by the kind of file
  std::string name = {};    // without its ending; empty: of recording, frame and time

  [[nodiscard]] FigureSize figure_size() const {
    if (size == SaveSize::width) return {.by = FigureSizing::width, .value = width_mm, .dpi = dpi};
    if (size == SaveSize::scale) return {.by = FigureSizing::scale, .value = mm_per_cm, .dpi = dpi};
    return {.by = FigureSizing::factor, .value = 1.0 + static_cast<double>(size), .dpi = kScreenDpi};
  }
  friend bool operator==(const SaveChoice&, const SaveChoice&) = default;
};

// Where the next image goes; filled by the application.
struct SavePlace {
  std::string folder;        // in full
  std::string name;          // in use unless the user chooses one
  std::string problem = {};  // why the folder cannot be used; empty: it can
  std::string offer = {};    // a folder that can
  std::string exists = {};   // the file of that name that is kept; empty: there is none
};

// Where the window was, so that it opens there again. Any thread.

// In the window system's units, without frame and title; width 0 = not known.
struct WindowPlace {
  int x = 0, y = 0, width = 0, height = 0;
  bool full_screen = false;
  friend bool operator==(const WindowPlace&, const WindowPlace&) = default;
};

struct ScreenArea {
  int x = 0, y = 0, width = 0, height = 0;
};

// A place that shows enough of itself on `screen` to be found and moved.
[[nodiscard]] constexpr bool can_be_seen(const WindowPlace& p, const ScreenArea& screen) {
  constexpr int kGrip = 100;
  return p.x + p.width >= screen.x + kGrip && p.x + kGrip <= screen.x + screen.width && p.y >= screen.y - 1 &&
         p.y + kGrip <= screen.y + screen.height;
}

// Of a larger screen that has gone: the window has the size of `screen`, which is all screens together.
[[nodiscard]] constexpr WindowPlace fitted(WindowPlace p, const ScreenArea& screen) {
  if (p.width > screen.width) {
    p.x = screen.x;
    p.width = screen.width;
  }
  if (p.height > screen.height) {
    p.y = screen.y;
    p.height = screen.height;
  }
  return p;
}

// What the view keeps as long as the window is open: neither written nor compared. UI thread only.

// The settings of a phantom while they are edited in the Source panel.
struct PhantomEdit {
  bool open = false;
  std::optional<PhantomSettings> held = {};  // edited; shown until that phantom is open, or refused
  bool asked = false;                        // it was released, and the phantom is being opened
};

inline constexpr int kToolKinds = 3;  // of drawing tools: lines, regions, places

// Of spectral Doppler.
struct StripLook {
  double span_s = 4.0;  // acquisition time across the strip
  bool curves = true;   // drawn over it
};

struct TransientView {
  bool latency_since_start = false;  // instead of the last 10 s
  bool lecture = false;              // Timeline and Stream fill the window
  bool m_mode_beside = false;        // the M-mode goes on beside spectral Doppler, for the presentation
  double m_mode_span_s = 4.0;        // acquisition time across the strip
  StripLook doppler;
  bool tgc_open = false;  // its sliders are visible
  // The tool of each kind that was used last.
  std::array<MarkTool, kToolKinds> tool_of_kind = {MarkTool::distance, MarkTool::circle, MarkTool::point};
  TimelineState timeline;
  PhantomEdit phantom;
};

}  // namespace echoloop
