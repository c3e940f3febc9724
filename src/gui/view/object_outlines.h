// Objects over the picture: their outlines, and the numbers of the largest. UI thread only.
#pragma once

#include <optional>

#include "gui/state/structure_view.h"
#include "gui/toolkit/image_layout.h"
#include "gui/toolkit/ui.h"

namespace echoloop {

struct ObjectsView {
  Ui& ui;
  const ImageLayout& layout;
  const StructureView& structure;
};

void draw_objects(const ObjectsView& view);

// What the pointer is on lights up with the next frame, in the table too; a click selects it, or nothing.
void point_at_objects(StructureView& structure, std::optional<PlanePoint> pointer, std::optional<PlanePoint> click);

}  // namespace echoloop
