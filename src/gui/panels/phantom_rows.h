// The phantoms in the Source panel, and the settings of the one that runs: probe, transmit angles and the rows of
// phantom_table(). The phantom is opened again when a slider is released. UI thread only.
#pragma once

namespace echoloop {

struct PanelContext;
struct Column;

// Which phantom runs: one of phantoms().
void phantom_choice(PanelContext& c, Column& column);

// The settings of the one that runs.
void phantom_rows(PanelContext& c, Column& column);

}  // namespace echoloop
