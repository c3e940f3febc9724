// What of the tool bar has room, as a pure function of widths: nothing ever overlaps. From wide to narrow: all tools
// side by side; tools of one kind share a button; then views leave for the menu, the last one first, but never Measure
// and never one that is open; then names give way to icons, at last the zoom. Any thread.
#pragma once

#include <array>
#include <cstddef>

#include "gui/state/dock_list.h"

namespace echoloop {

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
