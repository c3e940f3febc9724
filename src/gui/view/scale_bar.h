// A bar of 1, 2 or 5 x 10^k mm, about a fifth of the picture's width. UI thread only.
#pragma once

#include "gui/toolkit/painter.h"
#include "gui/toolkit/picture_layout.h"

namespace echoloop {

enum class ScaleBarType { small, large };

void draw_scale_bar(const Painter& painter, const PictureLayout& layout, ScaleBarType type);

// Its length in mm.
[[nodiscard]] double scale_bar_mm(const PictureLayout& layout);

}  // namespace echoloop
