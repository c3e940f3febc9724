// The comparison by wipe line: A left of the line, B right of it, both at the same millimetre scale. Here are the line,
// its handle and the badges; the pixels are WindowRenderer's. UI thread only.
#pragma once

#include "core/results/image.h"
#include "gui/panels/panels.h"
#include "gui/toolkit/picture_layout.h"
#include "gui/workspace/compare_badges.h"

namespace echoloop {

struct WipeContext {
  Ui& ui;
  const PictureLayout& layout;
  const Image& a;
  const Image& b;
  UiState& state;
  const UiCommands& commands;
  BadgeLetters letters = BadgeLetters::small;
};

float wipe_x(const PictureLayout& layout, float share);  // whole pixels

// Line, handle and badges, before anything that takes the mouse on the picture.
void draw_wipe(const WipeContext& c);

}  // namespace echoloop
