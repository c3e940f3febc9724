// Docks below the image, one row each: tool bar, keys, the dock's area, settings file and sessions read these rows. A
// new dock is one file in docks/, with a DockContent, and its name, its two functions and its row here. Constant data;
// UI thread only.
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

// Size and background of a figure. Plain values.

enum class PageGround { white, dark };

enum class FigureSizing { factor, width, scale };
struct FigureSize {
  FigureSizing by = FigureSizing::width;
  double value = 170.0;                // pixels per grid step; mm of the whole figure; mm per cm of the image plane
  double dpi = 300.0;                  // kScreenDpi if by factor
  std::optional<double> wipe_mm = {};  // A left of this x in the place of B; NaN: the centre; nullopt: side by side
};
inline constexpr double kScreenDpi = 96.0;

// Accepted range, in the window and on the command line.
struct FigureRange {
  double least, most;
  [[nodiscard]] bool holds(double value) const { return value >= least && value <= most; }
};
inline constexpr FigureRange kFigureWidth_mm{60.0, 1000.0}, kFigureScale_mm_per_cm{1.0, 200.0},
    kFigureDpi{72.0, 1200.0};

enum class Dock { none, inspector, m_mode, spectrogram };

class DockContent;
struct IconPen;

// Functions of the docks, each in a file of its own.
std::unique_ptr<DockContent> make_inspector_dock();
std::unique_ptr<DockContent> make_m_mode_dock();
std::unique_ptr<DockContent> make_spectrogram_dock();
void inspector_icon(const IconPen& pen);
void m_mode_icon(const IconPen& pen);
void spectrogram_icon(const IconPen& pen);

enum class DockPlace { none, of_the_image };  // of_the_image: shows a point or a line chosen in the image
enum class DockStrip { none, moves };         // moves: its pixels change with every image

struct DockRow {
  Dock dock = Dock::none;
  std::string_view key_in_file = {};  // key in settings and session files
  const char* id = "";                // id of its button in the tool bar
  std::string_view name = {};         // label of its button
  std::string_view title = {};        // title of the dock
  Key key = Key::n;
  std::string_view key_name = {};
  std::string_view listed = {};   // text in the list of keys
  std::string_view text = {};     // tooltip of its button
  std::string_view closing = {};  // tooltip of the button that closes it
  DockPlace place = DockPlace::none;
  DockStrip strip = DockStrip::none;
  std::unique_ptr<DockContent> (*make)() = nullptr;
  void (*icon)(const IconPen& pen) = nullptr;  // draws the icon of its button
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

// Returns the row of `dock`; without one, an empty row.
constexpr DockRow dock_row(Dock dock) {
  for (const DockRow& row : kDocks) {
    if (row.dock == dock) return row;
  }
  return {.key_in_file = "none"};
}

// Panels of the two columns, one row each: the columns, the settings file and sessions read these rows. A new panel is
// one file in panels/ and one row. Constant data; UI thread only.

struct PanelContext;
struct Column;
struct Rect;

// Mode of the window: view, for looking, with few controls; engineer, with all of them.
enum class WindowMode { view, engineer };
enum class PanelMode { both, view, engineer };        // modes with the panel
enum class PanelSide { left, right };                 // a narrow window has one column for all
enum class ClosedPanel { folded_to_head, left_out };  // left_out: not drawn, opened from elsewhere

struct PanelRow {
  std::string_view key;  // key in settings and session files
  PanelSide side = PanelSide::left;
  bool open = true;          // default
  bool open_compact = true;  // default in a low or narrow window
  PanelMode mode = PanelMode::both;
  bool open_view = false;  // default in the mode View
  ClosedPanel closed = ClosedPanel::folded_to_head;
  // Draws the head "panel_<key>" and, while `open`, the rows. A click on the head changes `open`.
  void (*draw)(PanelContext&, Column&, bool& open);
  // Called before the column scrolls: consumes wheel input for a part of the panel. `column`: the visible part.
  void (*take_wheel)(PanelContext&, const Rect& column) = nullptr;
  bool (*is_there)(const PanelContext&) = nullptr;  // null: always
};

// Returns the panels from top to bottom.
std::span<const PanelRow> panels();
[[nodiscard]] constexpr bool is_in(const PanelRow& panel, WindowMode mode) {
  return panel.mode == PanelMode::both || (panel.mode == PanelMode::view) == (mode == WindowMode::view);
}

// Settings for saving images, as shown in the save panel and kept between runs. Plain values.

enum class SaveFormat { png, svg, pdf, image_only, dicom };  // image_only: a PNG of the image's own pixels
[[nodiscard]] constexpr bool is_figure(SaveFormat format) { return format < SaveFormat::image_only; }
// Pixels per grid step, width of the figure, or scale of the image plane.
enum class SaveSize { x1, x2, x3, x4, width, scale };

enum class MethodSource { left_out, beside };  // of the own method of a saved image: in a file beside it

struct SaveChoice {
  SaveFormat format = SaveFormat::png;
  SaveSize size = SaveSize::x2;
  double width_mm = 170.0;
  double mm_per_cm = 20.0;  // scale of the image plane
  double dpi = 300.0;       // for width and scale
  PageGround ground = PageGround::white;
  MethodSource source = MethodSource::left_out;
  std::string folder = {};  // empty: the user's folder for the kind of file
  std::string name = {};    // without extension; empty: made from recording, frame and time

  [[nodiscard]] FigureSize figure_size() const {
    if (size == SaveSize::width) return {.by = FigureSizing::width, .value = width_mm, .dpi = dpi};
    if (size == SaveSize::scale) return {.by = FigureSizing::scale, .value = mm_per_cm, .dpi = dpi};
    return {.by = FigureSizing::factor, .value = 1.0 + static_cast<double>(size), .dpi = kScreenDpi};
  }
  friend bool operator==(const SaveChoice&, const SaveChoice&) = default;
};

// Location of the next saved image; filled by the application.
struct SavePlace {
  std::string folder;        // full path
  std::string name;          // name used unless the user chooses one
  std::string problem = {};  // reason why the folder cannot be used; empty: it can
  std::string offer = {};    // folder that can be used
  std::string exists = {};   // existing file of that name, which is kept; empty: none
};

// Position of the window, kept between runs. Any thread.

// Position and size in the window system's units, without frame and title; width 0 = unknown.
struct WindowPlace {
  int x = 0, y = 0, width = 0, height = 0;
  bool full_screen = false;
  friend bool operator==(const WindowPlace&, const WindowPlace&) = default;
};

struct ScreenArea {
  int x = 0, y = 0, width = 0, height = 0;
};

// Returns true if enough of the window is on `screen` for it to be found and moved.
[[nodiscard]] constexpr bool can_be_seen(const WindowPlace& p, const ScreenArea& screen) {
  constexpr int kGrip = 100;
  return p.x + p.width >= screen.x + kGrip && p.x + kGrip <= screen.x + screen.width && p.y >= screen.y - 1 &&
         p.y + kGrip <= screen.y + screen.height;
}

// Limits the size of a window from a larger screen to `screen`, the bounding box of all screens.
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

// View state that is kept while the window is open, neither written nor compared. UI thread only.

// Settings of a phantom while they are edited in the Source panel.
struct PhantomEdit {
  bool open = false;
  std::optional<PhantomSettings> held = {};  // edited values; shown until that phantom is open, or refused
  bool asked = false;                        // editing has ended, and the phantom is being opened
};

inline constexpr int kToolKinds = 3;  // kinds of drawing tools: lines, regions, points

// Display of spectral Doppler.
struct StripLook {
  double span_s = 4.0;  // acquisition time across the strip
  bool curves = true;   // curves drawn over the strip
};

struct TransientView {
  bool latency_since_start = false;  // instead of the last 10 s
  bool lecture = false;              // Timeline and Stream fill the window
  bool outputs = false;              // its panel is there although all outputs are off
  bool m_mode_beside = false;        // the M-mode continues alongside spectral Doppler, for the presentation
  double m_mode_span_s = 4.0;        // acquisition time across the strip
  StripLook doppler;
  bool tgc_open = false;  // the TGC sliders are visible
  // Last used tool of each kind.
  std::array<MarkTool, kToolKinds> tool_of_kind = {MarkTool::distance, MarkTool::circle, MarkTool::point};
  TimelineState timeline;
  PhantomEdit phantom;
  struct HeldProperty {
    std::string name = {};
    double shown = 0.0;  // in its unit on screen
  };
  std::optional<HeldProperty> property;  // its slider is being moved
};

}  // namespace echoloop
