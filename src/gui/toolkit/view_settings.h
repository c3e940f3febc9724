// Window settings kept between runs: its place, column widths, folded panels, recordings, the last preset. A small key
// = value file; missing or unreadable values are defaults. UI thread only.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/timing_trace.h"
#include "gui/state/dock_list.h"
#include "gui/state/marks.h"
#include "gui/state/motion.h"

namespace echoloop {

// Widths of the columns, and of a dock beside the image, at scale 1, as set by the user; 0 = default.
struct ColumnWidths {
  float left = 0;
  float right = 0;
  float dock = 0;
  friend bool operator==(const ColumnWidths&, const ColumnWidths&) = default;
};

using OpenPanels = std::map<std::string, bool, std::less<>>;  // by PanelRow::key
// Return the initial states.
OpenPanels open_panels();
OpenPanels open_compact_panels();
OpenPanels open_view_panels();

inline constexpr std::size_t kMostRecent = 8;

struct RecentFiles {  // newest first
  std::vector<std::filesystem::path> recordings, methods;
  friend bool operator==(const RecentFiles&, const RecentFiles&) = default;
};

struct ViewSettings {
  ColumnWidths widths;
  OpenPanels open = open_panels();
  OpenPanels open_compact = open_compact_panels();
  OpenPanels open_view = open_view_panels();  // in the mode View
  WindowMode mode = WindowMode::engineer;
  bool try_closed = false;  // the card with first keys was closed by the user
  std::filesystem::path last_folder;
  Latency plotted = Latency::ready;  // latency shown in the stream panel
  int timeline_frames = 5;
  Dock dock = Dock::none;
  float scale = 0;  // scale of the interface; 0 = that of the monitor
  Motion motion = Motion::on;
  float dock_height = 0;   // at scale 1, as set by the user; 0 = default
  bool histogram = false;  // shown in the measure panel
  WindowPlace place;
  RecentFiles recent;
  std::string last_preset;  // in use when the window was closed; empty = none
  bool toured = false;      // the tour was shown
  SaveChoice saving;
  TransientView transient;

  [[nodiscard]] bool has_m_mode() const {
    return dock == Dock::m_mode || (dock == Dock::spectrogram && transient.m_mode_beside);
  }
  [[nodiscard]] bool& is_open(std::string_view panel, bool compact) {
    return (mode == WindowMode::view ? open_view : compact ? open_compact : open).find(panel)->second;
  }
  friend bool operator==(const ViewSettings& a, const ViewSettings& b) {
    return a.widths == b.widths && a.open == b.open && a.open_compact == b.open_compact && a.open_view == b.open_view &&
           a.mode == b.mode && a.try_closed == b.try_closed && a.last_folder == b.last_folder &&
           a.plotted == b.plotted && a.timeline_frames == b.timeline_frames && a.dock == b.dock &&
           a.histogram == b.histogram && a.dock_height == b.dock_height && a.scale == b.scale && a.motion == b.motion &&
           a.place == b.place && a.recent == b.recent && a.last_preset == b.last_preset && a.toured == b.toured &&
           a.saving == b.saving;
  }
};

// Settings that a reset leaves as they are: folders, recent files, what was shown or closed for good, motion, saving;
// or the place of the window alone, for the next visitor of a kiosk.
enum class KeptSettings { of_the_user, place };

[[nodiscard]] inline ViewSettings initial_view(WindowMode mode) {
  ViewSettings view;
  view.mode = mode;
  return view;
}

// Panels, columns and docks by their keys in the file, for sessions: without the window's place and opened files.
using LayoutText = std::map<std::string, std::string>;
LayoutText layout_text(const ViewSettings& settings);
void apply_layout(ViewSettings& settings, const LayoutText& layout);

// Returns the settings; `first`: the mode without a file. Settings of a version without modes are of Engineer.
ViewSettings load_view_settings(const std::filesystem::path& file, WindowMode first = WindowMode::engineer);
// Returns false if it was not saved, without an error: the layout is optional.
bool save_view_settings(const std::filesystem::path& file, const ViewSettings& settings);

}  // namespace echoloop
