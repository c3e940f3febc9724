// The comparison by wipe line: A left of the line, B right of it, both at the same millimetre scale. Here are the line,
// its handle, the badges with the parameters that differ and the button that swaps them; the pixels are
// WindowRenderer's. UI thread only.
#pragma once

#include <string>
#include <vector>

#include "core/image.h"
#include "gui/panels/panels.h"
#include "gui/param_difference.h"
#include "gui/picture_layout.h"

namespace echoloop {

// The projector's is larger and has no button.
enum class WipeLook { controls, presentation };

struct WipeContext {
  Ui& ui;
  const PictureLayout& layout;
  const Image& a;
  const Image& b;
  UiState& state;
  const UiCommands& commands;
  WipeLook look = WipeLook::controls;
};

float wipe_x(const PictureLayout& layout, float share);  // whole pixels

// Line, handle and swap button, before anything that takes the mouse on the picture.
void draw_wipe(const WipeContext& c);

}  // namespace echoloop
