// Rows that the files of the flow panel share. UI thread only.
#pragma once

#include <string_view>

#include "gui/panels/panels.h"

namespace echoloop {

// The singular values with the two ends of what is kept, which can be dragged. True when something changed.
bool component_rows(PanelContext& c, Column& column, std::string_view why_not);

// The Doppler gate and its sonogram. True when something changed.
bool gate_rows(PanelContext& c, Column& column);

// Of a component that the user chooses, the spectrum, and its map over the picture; the first that is kept, unless
// another one is chosen. True when what is kept changed.
bool spectrum_rows(PanelContext& c, Column& column, const FlowImage& flow, int first_kept, std::string_view why_not);

}  // namespace echoloop
