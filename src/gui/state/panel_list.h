// The panels of the two columns, one row each: the columns, the settings file and sessions read these rows. A new panel
// is one file in panels/ and one row. Constant data; UI thread only.
#pragma once

#include <span>
#include <string_view>

namespace echoloop {

struct PanelContext;
struct Column;
struct Rect;

enum class PanelSide { left, right };                 // a narrow window has one column for all
enum class ClosedPanel { folded_to_head, left_out };  // left_out: opened from elsewhere

struct PanelRow {
  std::string_view key;  // in settings and session files
  PanelSide side = PanelSide::left;
  bool open = true;          // by default
  bool open_compact = true;  // by default, in a low or narrow window
  ClosedPanel closed = ClosedPanel::folded_to_head;
  // The head "panel_<key>" and, while `open`, the rows. A click on the head changes `open`.
  void (*draw)(PanelContext&, Column&, bool& open);
  // Before the column scrolls: takes the wheel where it is meant for a part of the panel. `column`: the visible part.
  void (*take_wheel)(PanelContext&, const Rect& column) = nullptr;
};

// From top to bottom.
std::span<const PanelRow> panels();

}  // namespace echoloop
