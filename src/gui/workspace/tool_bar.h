// The row of tools above the image: what the mouse does on it, zoom, the views that open below and beside it, and a
// menu with everything that has no room. UI thread only.
#pragma once

#include <array>
#include <cstddef>

#include "gui/panels/panels.h"
#include "gui/state/dock_list.h"
#include "gui/toolkit/layout.h"
#include "gui/toolkit/painter.h"

namespace echoloop {

inline constexpr float kToolBar = 36;  // high, at scale 1

// The tool that fits the view that was opened; the pointer when it was closed.
void take_inspect_tool(Marks& marks, Dock opened);
// Opens what is closed, in the place of what was open; closes what is open. The gate is off while its spectrogram is
// not shown, so that nothing is computed unseen.
void toggle_dock(Edits& edits, Commands& commands, ViewSettings& view, Dock dock);

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

// What of the tool bar has room, as a pure function of widths: nothing ever overlaps. From wide to narrow: all tools
// side by side; tools of one kind share a button; then views leave for the menu, the last one first, but never Measure
// and never one that is open; then names give way to icons, at last the zoom. Any thread.

inline constexpr std::size_t kBarViews = kDocks.size() + 1;  // Measure, then the docks, from left to right

struct BarSizes {
  float room = 0;                           // of the whole row, without its margins
  float tools_apart = 0;                    // every tool with a button of its own, zoom and fit
  float tools_grouped = 0;                  // one button a kind, and the zoom
  float tools_least = 0;                    // likewise, without the zoom
  float icon = 0;                           // of a view's button without its name
  std::array<float, kBarViews> named = {};  // and with it
  float gap = 0;                            // between two buttons
  float menu = 0;                           // its button
  std::array<bool, kBarViews> open = {};
};

enum class BarTools { apart, grouped, least };

struct BarFit {
  BarTools tools = BarTools::apart;
  bool names = true;
  std::array<bool, kBarViews> hidden = {};  // in the menu
};

[[nodiscard]] float width_of(const BarFit& fit, const BarSizes& sizes);
[[nodiscard]] BarFit fit_tool_bar(const BarSizes& sizes);

}  // namespace echoloop
