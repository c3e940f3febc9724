// Inside the row of buttons below the track: its forms, from wide to narrow, and its tools, which stand at its right
// end. What a narrow window has no room for goes into a menu there, in the order in which it is missed least. UI thread
// only.
#pragma once

#include <array>

#include "gui/panels/panels.h"

namespace echoloop {

enum class Shown { button, icon, in_menu };

struct Fit {
  bool segmented;  // speeds side by side; otherwise a list
  bool shortcuts;  // on the buttons
  Shown keep, compare, picture, record;
  bool ends = true;  // the buttons of the first and the last frame
  [[nodiscard]] bool has_menu() const {
    return keep == Shown::in_menu || compare == Shown::in_menu || picture == Shown::in_menu;
  }
};

// From the widest to the narrowest.
inline constexpr std::array<Fit, 9> kFits = {
    {{true, true, Shown::button, Shown::button, Shown::button, Shown::button},
     {true, true, Shown::in_menu, Shown::button, Shown::button, Shown::button},
     {false, true, Shown::button, Shown::button, Shown::button, Shown::button},
     {false, false, Shown::in_menu, Shown::button, Shown::button, Shown::button},
     {false, false, Shown::in_menu, Shown::button, Shown::icon, Shown::button},
     {false, false, Shown::in_menu, Shown::in_menu, Shown::icon, Shown::button},
     {false, false, Shown::in_menu, Shown::in_menu, Shown::in_menu, Shown::button},
     {false, false, Shown::in_menu, Shown::in_menu, Shown::in_menu, Shown::icon},
     {false, false, Shown::in_menu, Shown::in_menu, Shown::in_menu, Shown::icon, false}}};

struct Row {
  PanelContext& c;
  float y;
  float square;
  float gap;
  Fit fit;
  [[nodiscard]] Rect at(float x, float w) const { return {x, y, x + w, y + c.ui.px(theme::kRow)}; }
  [[nodiscard]] float shortcut_width(std::string_view key) const {
    return fit.shortcuts ? c.ui.width(Type::small, key) + c.ui.px(8) : 0;
  }
};

// Of the tools and their menu, with what parts them from the buttons at their left.
[[nodiscard]] float tools_width(const Row& row);
void draw_tools(Row& row, float right);

}  // namespace echoloop
