// The row of tools above the image: what the mouse does on it, zoom, the views that open below and beside it, and a
// menu with everything that has no room. UI thread only.
#pragma once

#include "gui/panels/panels.h"
#include "gui/toolkit/icon_pen.h"
#include "gui/toolkit/image_layout.h"

namespace echoloop {

inline constexpr float kToolBar = 36;  // high, at scale 1

// The tool that fits the view that was opened; the pointer when it was closed.
void take_inspect_tool(Marks& marks, Dock opened);
// Opens what is closed, in the place of what was open; closes what is open. The gate is off while its spectrogram is
// not shown, so that nothing is computed unseen.
void toggle_dock(UiState& state, const UiCommands& commands, ViewSettings& view, Dock dock);

// `layout`: the image's of the last frame, for zooming about its centre; without an image its zoom is 1.
void draw_tool_bar(PanelContext& c, const Rect& row, const ImageLayout& layout);

void draw_tool_icon(const Painter& painter, MarkTool tool, float cx, float cy, ImU32 color);
void zoom_in_icon(const IconPen& pen);
void zoom_out_icon(const IconPen& pen);
void fit_icon(const IconPen& pen);
void enlarge_icon(const IconPen& pen);
void clear_icon(const IconPen& pen);
void measure_icon(const IconPen& pen);
void save_icon(const IconPen& pen);

}  // namespace echoloop
