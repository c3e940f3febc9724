// The docks below the image, one row each: tool bar, keys, head of the dock, settings file and sessions read these
// rows. A new dock is one row here, one class in docks/ and its case in DockArea. Constant data; UI thread only.
#pragma once

#include <array>
#include <string_view>

#include "gui/state/keys.h"

namespace echoloop {

enum class Dock { none, inspector, m_mode, sonogram };

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
  std::string_view text = {};     // of the button's tooltip
  std::string_view closing = {};  // of the tooltip of the button that closes it
  DockPlace place = DockPlace::none;
  DockStrip strip = DockStrip::none;
};

inline constexpr auto kDocks = std::to_array<DockRow>({
    {.dock = Dock::inspector,
     .key_in_file = "inspector",
     .id = "dock/inspector",
     .name = "Inspector",
     .title = "Inspector",
     .key = Key::n,
     .key_name = "N",
     .text = "Channel data and processing of one pixel, below the image.",
     .closing = "Closes this area.",
     .place = DockPlace::of_the_image},
    {.dock = Dock::m_mode,
     .key_in_file = "m_mode",
     .id = "dock/m_mode",
     .name = "M-mode",
     .title = "M-mode",
     .key = Key::m,
     .key_name = "M",
     .text = "One image line over time, below the image.",
     .closing = "Closes this area.",
     .place = DockPlace::of_the_image,
     .strip = DockStrip::moves},
    {.dock = Dock::sonogram,
     .key_in_file = "sonogram",
     .id = "dock/sonogram",
     .name = "Doppler",
     .title = "Spectral Doppler",
     .key = Key::d,
     .key_name = "D",
     .text = "Velocity spectrum of the sample volume over time, below the image.",
     .closing = "Removes the sample volume and closes this area.",
     .strip = DockStrip::moves},
});

// That of no dock: empty.
constexpr DockRow dock_row(Dock dock) {
  for (const DockRow& row : kDocks) {
    if (row.dock == dock) return row;
  }
  return {.key_in_file = "none"};
}

}  // namespace echoloop
