// The parts of the objects panel. UI thread only.
#pragma once

#include "gui/panels/panels.h"

namespace echoloop {

// How often each level occurs, with the background's Gaussian, the threshold and what the display shows.
void background_plot(PanelContext& c, Column& column, const StructureImage& found);

// All objects, the largest first; the pointer on one lights it up in the picture, a click selects it.
void objects_table(PanelContext& c, Column& column);

// How it works, in words; and the small word in the panel's head that shows or hides them.
void objects_lesson(Ui& ui, Column& column);
void lesson_link(PanelContext& c, const Column& column, float header_y);

}  // namespace echoloop
