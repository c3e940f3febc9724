// The edges between the parts of the window, which can be moved: by mouse, or by key once they have the focus. UI
// thread only.
#pragma once

#include "gui/toolkit/ui.h"

namespace echoloop {

// How far the keys of this frame move it to the right or up, at scale 1: 8 an arrow, 40 with Shift.
inline float splitter_by_key(const Hit& hit) {
  float by = 0;
  for (const KeyPress& press : hit.keys) {
    const float step = press.shift ? 40 : 8;
    if (press.key == Key::left || press.key == Key::down) by -= step;
    if (press.key == Key::right || press.key == Key::up) by += step;
  }
  return by;
}

// Back to the design's place: right-click or Delete.
inline bool splitter_reset(const Hit& hit) {
  bool reset = hit.right;
  for (const KeyPress& press : hit.keys) reset = reset || press.key == Key::remove;
  return reset;
}

}  // namespace echoloop
