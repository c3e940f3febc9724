// Rows that the files of the flow panel share. UI thread only.
#pragma once

#include <string_view>

#include "gui/panels/panels.h"

namespace echoloop {

// The singular values with the two ends of what is kept, which can be dragged. True when something changed.
bool component_rows(PanelContext& c, Column& column, std::string_view why_not);

}  // namespace echoloop
