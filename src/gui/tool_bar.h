// The row of tools above the picture: what the mouse does on it, zoom, clearing, and the views that open below. UI
// thread only.
#pragma once

#include "gui/panels/panels.h"
#include "gui/picture_layout.h"

namespace echoloop {

inline constexpr float kToolBar = 36;  // high, at scale 1

// Who opens what looks at one place wants to point at places; who closes it no longer.
void take_inspect_tool(Marks& marks, Dock opened);
// Opens what is closed, in the place of what was open; closes what is open. The gate goes with its sonogram: nothing is
// computed that nobody sees.
void toggle_dock(UiState& state, const UiCommands& commands, ViewSettings& view, Dock dock);

// `layout`: the picture's of the last frame, for zooming about its middle; without a picture its zoom is 1.
void draw_tool_bar(PanelContext& c, const Rect& row, const PictureLayout& layout);

void draw_tool_icon(const Painter& painter, MarkTool tool, float cx, float cy, ImU32 color);
enum class BarIcon { zoom_in, zoom_out, fit, clear, measure, inspector, m_mode, sonogram, save };
void draw_bar_icon(const Painter& painter, BarIcon icon, float cx, float cy, ImU32 color);

}  // namespace echoloop
