// What the window remembers between runs: column widths, folded panels, the last folder. A small key = value file;
// anything missing or unreadable in it is the default. UI thread only.
#pragma once

#include <array>
#include <filesystem>

#include "gui/layout.h"

namespace echoloop {

enum class Panel { source, formation, display, stream, timings };
inline constexpr int kPanelCount = 5;

struct ViewSettings {
  ColumnWidths widths;
  std::array<bool, kPanelCount> open = {true, true, true, true, true};
  std::array<bool, kPanelCount> open_compact = {false, true, true, true, false};
  std::filesystem::path last_folder;

  [[nodiscard]] bool& is_open(Panel panel, bool compact) {
    return (compact ? open_compact : open)[static_cast<std::size_t>(panel)];
  }
  friend bool operator==(const ViewSettings& a, const ViewSettings& b) {
    return a.widths.left == b.widths.left && a.widths.right == b.widths.right && a.open == b.open &&
           a.open_compact == b.open_compact && a.last_folder == b.last_folder;
  }
};

ViewSettings load_view_settings(const std::filesystem::path& file);
// Best effort: a layout that cannot be saved is no reason to trouble anyone. False when it was not.
bool save_view_settings(const std::filesystem::path& file, const ViewSettings& settings);

}  // namespace echoloop
