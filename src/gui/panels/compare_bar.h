// The bar of a comparison, between tool bar and image: wipe or side by side, which recording or settings A and B are
// of, their exchange. UI thread only.
#pragma once

#include <optional>

#include "gui/panels/panels.h"

namespace echoloop {

inline constexpr float kCompareBar = 36;  // high, at scale 1

// The side that a recording is to be chosen for, by the dialog.
std::optional<CompareSide> draw_compare_bar(PanelContext& c, const Rect& bar);

// The letter of a side on its colour, 22 wide and 20 high at scale 1; (x, y): its upper left corner.
void draw_side_letter(const Painter& painter, CompareSide side, float x, float y);

}  // namespace echoloop
