// What the viewer gives the screen for one frame, and the grounds that the screen asks it to draw below. UI thread
// only.
#pragma once

#include <functional>
#include <span>

#include "core/results/image.h"
#include "gui/gl/level_reader.h"
#include "gui/state/keys.h"
#include "gui/state/rect.h"
#include "gui/toolkit/fonts.h"
#include "gui/view/m_mode.h"

namespace echoloop {

struct Ground {
  Rect area;
  unsigned int hex = 0;
};

struct SceneInput {
  const Fonts& fonts;
  float scale = 1;
  float wanted_scale = 1;           // more than `scale` where the window has no room for it
  const Image& image;               // on screen; number 0 = none of the source in use
  const Image& last_image;          // likewise, or the last one of the source before
  const Image* compared = nullptr;  // A of a comparison, left of the wipe line; null = none
  std::function<float(const Image& image, int ix, int iz)> level_db;
  LevelReader& levels;  // of `image`, for what measures it
  LevelReader& compared_levels;
  bool matched = false;  // `image` is drawn with the histogram of `compared`
  std::span<const KeyPress> keys;
  const MModeStrip& strip;
};

}  // namespace echoloop
