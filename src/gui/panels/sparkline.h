// The latency of the last ten seconds as a small curve. UI thread only.
#pragma once

#include "gui/panels/panels.h"

namespace echoloop {

void sparkline_rows(PanelContext& c, Column& column);

}  // namespace echoloop
