// Objects over the picture: their outlines, and the numbers of the largest. UI thread only.
#pragma once

#include "gui/picture_layout.h"
#include "gui/structure_view.h"
#include "gui/ui.h"

namespace echoloop {

struct ObjectsView {
  Ui& ui;
  const PictureLayout& layout;
  const StructureView& structure;
};

void draw_objects(const ObjectsView& view);

}  // namespace echoloop
