// In place of the image while a scanner is waited for: where senders connect, the lines that a sender needs, each to be
// copied, and a phantom that the program sends itself. UI thread only.
#pragma once

#include "gui/panels/panels.h"

namespace echoloop {

void draw_waiting_for_scanner(PanelContext& c, const Rect& area);

}  // namespace echoloop
