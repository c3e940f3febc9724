// The list of what is drawn on the picture: number, kind, value, and a cross that deletes. UI thread only.
#pragma once

#include "gui/panels/panels.h"

namespace echoloop {

// Rows of the Measure panel. The pointer over a row lights the mark up; a click selects it.
void marks_list(PanelContext& c, Column& column);

}  // namespace echoloop
