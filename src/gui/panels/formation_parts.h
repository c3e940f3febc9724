// Rows of the image formation panel whose range or note depends on the recording. True when a value has changed. UI
// thread only.
#pragma once

#include "gui/panels/param_rows.h"

namespace echoloop {

// With the button of its search, and the search below it.
bool sound_speed_row(PanelContext& c, Column& column);

}  // namespace echoloop
