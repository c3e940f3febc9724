// The part of the save panel for images: name, folder, format, size and ground. UI thread only.
#pragma once

#include "gui/panels/panels.h"

namespace echoloop {

void draw_save_figure(PanelContext& c, Column& column);

}  // namespace echoloop
