// What the objects panel remembers as long as the window is open. UI thread only.
#pragma once

#include "gui/state/rect.h"

namespace echoloop {

struct ObjectsState {
  bool explained = false;  // how it works is read
  // The table.
  float offset = 0;  // pixels that it is scrolled by
  float most = 0;    // and can be
  float wheel = 0;   // that is meant for it
  Rect area;         // of its rows; empty: they are not drawn
  int shown = 0;     // the selected object that it was scrolled to
};

}  // namespace echoloop
