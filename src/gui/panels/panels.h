// The panels of the two columns, one file each. They draw UiState, edit params and stream in place and say so by a
// command. UI thread only.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gui/gl/level_reader.h"
#include "gui/state/ui_state.h"
#include "gui/toolkit/slider.h"
#include "gui/toolkit/ui.h"
#include "gui/toolkit/view_settings.h"
#include "gui/view/measuring.h"

namespace echoloop {

struct PanelContext {
  Ui& ui;
  UiState& state;
  const UiCommands& commands;
  ViewSettings& view;
  const Grid& shown_grid;     // of the image on screen; nx 0 = none
  std::uint64_t shown_frame;  // its number in the source
  LevelReader& levels;        // of that image
  Measuring& measuring;
  LevelReader* levels_a;  // of side A; null: nothing is compared
  Measuring& measuring_a;
  bool compact = false;
  bool& more_formation;  // rows that most people never need
  bool& more_display;
  bool& open_dialog;         // set to ask for it
  bool more_stream = false;  // how frames travel, and memory; a high column shows it by itself
};

// Commands that the application does not answer do nothing.
template <class... A, class... B>
void call(const std::function<void(A...)>& command, B&&... arguments) {
  if (command) command(std::forward<B>(arguments)...);
}

// A recording opened before, for menus: with its folder where another one has the same name.
struct RecentName {
  std::string name, folder;
};
std::vector<RecentName> recent_names(std::span<const std::filesystem::path> recent);

// Before a column with the timeline scrolls: Ctrl+wheel over the timeline zooms it. `column`: the visible part.
void take_timeline_wheel(PanelContext& c, const Rect& column);

// TGC: eight gains over depth, their curve, and a way back to flat. True when something changed.
bool tgc_rows(PanelContext& c, Column& column);

// In an open panel's head: a small word at the right that shows or hides further rows. Returns its width.
float more_link(Ui& ui, const char* id, const Column& column, float header_y, bool& more);

}  // namespace echoloop
