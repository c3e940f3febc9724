// What the window knows about objects: what was found in the image on screen, largest objects first, and which of
// them is selected. Objects are numbered from 1, the largest. UI thread only.
#pragma once

#include <string>
#include <vector>

#include "core/results/object_image.h"
#include "gui/state/rect.h"
#include "measure/label_outline.h"

namespace echoloop {

// Of the Objects panel.
struct ObjectsPanelState {
  bool explained = false;  // how it works is read
  // The table.
  float offset = 0;  // pixels that it is scrolled by
  float most = 0;    // and can be
  float wheel = 0;   // that is meant for it
  Rect area;         // of its rows; empty: they are not drawn
  int shown = 0;     // the selected object that it was scrolled to
};

struct ObjectView {
  // Filled by the window: what belongs to the image on screen; null = nothing, then all below is empty.
  const ObjectImage* image = nullptr;
  double older_s = 0.0;             // than the image on screen
  std::vector<std::size_t> ranked;  // [number - 1]: the object's place in image->objects
  std::vector<int> numbers;         // [label - 1]: the object's number
  std::vector<LabelOutline> outlines;

  int selected = 0;  // number; 0 = none; the same object from image to image, as far as it can be followed
  int hovered = 0;   // likewise: under the pointer, on the image or in the table
  int hovered_on_picture = 0;
  ObjectsPanelState panel;

  [[nodiscard]] const FoundObject& object(int number) const {
    return image->objects[ranked[static_cast<std::size_t>(number - 1)]];
  }
  [[nodiscard]] int count() const { return static_cast<int>(ranked.size()); }
};

// Fills image, ranked, numbers and outlines; `found` outlives the view.
void show_objects(ObjectView& view, const ObjectImage& found);

// The number of the object at a place; 0 = none there.
[[nodiscard]] int object_at(const ObjectView& view, PlanePoint at);

// The object that is most likely the one that was there in an earlier image: near and of like size; 0 = it is gone.
[[nodiscard]] int same_object(const ObjectView& view, const FoundObject& before);

// CSV: a row an object, the largest first, after comment lines, which begin with "# ": background and threshold.
// Columns: number, area_mm2, x_mm, z_mm, mean_db, pixels, and the box in pixels ix0, ix1, iz0, iz1. Empty without an
// image.
[[nodiscard]] std::string objects_csv(const ObjectView& view);

}  // namespace echoloop
