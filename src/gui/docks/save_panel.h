// The panel that opens above the cine strip's buttons: everything that can be saved, each with what it will be, the
// film's choices, and where the last one went. UI thread only.
#pragma once

#include "gui/panels/panels.h"

namespace echoloop {

inline constexpr const char* kSavePanel = "save_panel";  // for Ui::open_popup

// `right`, `bottom`: the corner that it grows from.
void draw_save_panel(PanelContext& c, float right, float bottom);

}  // namespace echoloop
