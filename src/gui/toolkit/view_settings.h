// What the window remembers between runs: its place, column widths, folded panels, recordings, the last preset. A small
// key = value file; anything missing or unreadable in it is the default. UI thread only.
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

namespace echoloop {

// Column widths at scale 1, as the user left them; 0 = the design's.
struct ColumnWidths {
  float left = 0;
  float right = 0;
};

using OpenPanels = std::map<std::string, bool, std::less<>>;  // by PanelRow::key
// As they are at first.
OpenPanels open_panels();
OpenPanels open_compact_panels();

inline constexpr std::size_t kMostRecent = 8;

struct ViewSettings {
  ColumnWidths widths;
  OpenPanels open = open_panels();
  OpenPanels open_compact = open_compact_panels();
  std::filesystem::path last_folder;
  Latency plotted = Latency::ready;  // which latency the stream panel draws
  int timeline_frames = 5;
  Dock dock = Dock::none;
  float scale = 0;         // of the interface; 0 = the monitor's
  float dock_height = 0;   // at scale 1, as the user left it; 0 = the design's
  bool histogram = false;  // shown in the measure panel
  WindowPlace place;
  std::vector<std::filesystem::path> recent;  // recordings, the newest first
  std::string last_preset;                    // in force when the window was closed; empty = none
  bool toured = false;                        // the tour was shown
  SaveChoice saving;
  TransientView transient;

  [[nodiscard]] bool has_m_mode() const {
    return dock == Dock::m_mode || (dock == Dock::spectrogram && transient.m_mode_beside);
  }
  [[nodiscard]] bool& is_open(std::string_view panel, bool compact) {
    return (compact ? open_compact : open).find(panel)->second;
  }
  friend bool operator==(const ViewSettings& a, const ViewSettings& b) {
    return a.widths.left == b.widths.left && a.widths.right == b.widths.right && a.open == b.open &&
           a.open_compact == b.open_compact && a.last_folder == b.last_folder && a.plotted == b.plotted &&
           a.timeline_frames == b.timeline_frames && a.dock == b.dock && a.histogram == b.histogram &&
           a.dock_height == b.dock_height && a.scale == b.scale && a.place == b.place && a.recent == b.recent &&
           a.last_preset == b.last_preset && a.toured == b.toured && a.saving == b.saving;
  }
};

// Panels, columns and docks by their keys in the file, for sessions: not the window's place or what was opened.
using LayoutText = std::map<std::string, std::string>;
LayoutText layout_text(const ViewSettings& settings);
void apply_layout(ViewSettings& settings, const LayoutText& layout);

ViewSettings load_view_settings(const std::filesystem::path& file);
// Best effort: a layout that cannot be saved is no reason to trouble anyone. False when it was not.
bool save_view_settings(const std::filesystem::path& file, const ViewSettings& settings);

}  // namespace echoloop
