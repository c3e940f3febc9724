// The parts of the objects panel. UI thread only.
#pragma once

#include "gui/panels/panels.h"

namespace echoloop {

// How often each level occurs, with the background's Gaussian, the threshold and what the display shows.
void background_plot(PanelContext& c, Column& column, const ObjectImage& found);

// All objects, the largest first; the pointer on one lights it up in the image, a click selects it.
void objects_table(PanelContext& c, Column& column);
std::string_view empty_table_text(const ObjectView& view);  // of a table without objects

}  // namespace echoloop
