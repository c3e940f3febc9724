// Tool bar above the image: mouse tools, zoom, the views that open below and next to it, and a menu with everything
// that has no room. UI thread only.
#pragma once

#include <array>
#include <cstddef>

#include "gui/panels/panels.h"
#include "gui/state/dock_list.h"
#include "gui/toolkit/layout.h"
#include "gui/toolkit/painter.h"

namespace echoloop {

inline constexpr float kToolBar = 36;  // height at scale 1

// Draws the bar. `layout`: that of the image in the last frame, for zooming about its centre; zoom 1 without an image.
void draw_tool_bar(PanelContext& c, const Rect& row, const ImageLayout& layout);

void draw_tool_icon(const Painter& painter, MarkTool tool, float cx, float cy, ImU32 color);
void zoom_in_icon(const IconPen& pen);
void zoom_out_icon(const IconPen& pen);
void fit_icon(const IconPen& pen);
void enlarge_icon(const IconPen& pen);
void clear_icon(const IconPen& pen);
void measure_icon(const IconPen& pen);
void save_icon(const IconPen& pen);

// Parts of the tool bar that have room, as a pure function of widths, without overlap. From wide to narrow: all tools
// side by side; tools of one kind share a button; then views move to the menu, the last one first, but never Measure
// and never an open one; then icons replace names, at last the zoom is omitted. Any thread.

inline constexpr std::size_t kBarViews = kDocks.size() + 1;  // Measure, then the docks, from left to right

struct BarSizes {
  float room = 0;                           // width of the row without its margins
  float tools_apart = 0;                    // a button for every tool, zoom and fit
  float tools_grouped = 0;                  // one button per kind, and the zoom
  float tools_least = 0;                    // one button per kind, without the zoom
  float icon = 0;                           // button of a view without its name
  std::array<float, kBarViews> named = {};  // button of each view with its name
  float gap = 0;                            // between two buttons
  float menu = 0;                           // button of the menu
  std::array<bool, kBarViews> open = {};
};

enum class BarTools { apart, grouped, least };

struct BarFit {
  BarTools tools = BarTools::apart;
  bool names = true;
  std::array<bool, kBarViews> hidden = {};  // view is in the menu
};

[[nodiscard]] float width_of(const BarFit& fit, const BarSizes& sizes);
[[nodiscard]] BarFit fit_tool_bar(const BarSizes& sizes);

}  // namespace echoloop
