// The docks below the image, one row each: tool bar, keys, the dock's area, settings file and sessions read these rows.
// A new dock is one file in docks/, with a DockContent, and its name, its two functions and its row here. Constant
// data; UI thread only.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "gui/state/keys.h"

namespace echoloop {

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

}  // namespace echoloop
