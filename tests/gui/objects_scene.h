// Image with three objects, and actions on the panel and the image, for the tests of objects.
#pragma once

#include "gui/scene.h"

namespace echoloop::testing {

inline float gray(double, double) { return -30.0F; }

// Returns labels of three boxes: 2 is the largest, then 3, then 1. Pixels of kSquare are 0.2 mm wide.
inline int boxes(double x, double z) {
  const auto in = [&](double x0, double x1, double z0, double z1) {
    return x > x0 - 0.05 && x < x1 + 0.05 && z > z0 - 0.05 && z < z1 + 0.05;
  };
  return in(5, 6, 7, 8) ? 1 : in(-6, -2, 10, 15) ? 2 : in(2, 5, 18, 20) ? 3 : 0;
}

inline void show(Scene& scene, ObjectKind mode = ObjectKind::bright) {
  scene.state.params.objects.kind = mode;
  scene.put_image(kSquare, gray);
  scene.frames(1);
  scene.put_objects(kSquare, boxes);
  scene.frames(2);
}

// Opens the panel, at any place of the column.
inline void open_panel(Scene& scene) {
  for (const char* panel : {"panel_source", "panel_formation", "panel_display", "panel_objects"}) {
    const bool open = std::string(panel) != "panel_objects";
    const char* inside = panel == std::string("panel_source")      ? "phantom/Points"
                         : panel == std::string("panel_formation") ? "recipe/Course"
                         : panel == std::string("panel_display")   ? "dynamic_range_db"
                                                                   : "structure/Off";
    if ((scene.viewer->screen().ui().rect_of(inside).width() > 0.0F) == open) scene.click(panel);
  }
}

inline void put_mouse(Scene& scene, double x_mm, double z_mm, bool left) {
  const ImageLayout& l = scene.viewer->screen().image_layout();
  InjectedInput input;
  input.mouse_x = l.x_px(x_mm * 1e-3);
  input.mouse_y = l.z_px(z_mm * 1e-3);
  input.left = left;
  scene.viewer->inject(input);
  scene.frames(2);
}

inline void click_mm(Scene& scene, double x_mm, double z_mm) {
  for (const bool left : {false, true, false}) put_mouse(scene, x_mm, z_mm, left);
  scene.frames(1);
}

}  // namespace echoloop::testing
