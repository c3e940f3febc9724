// Measuring with the mouse: calipers between wires of the image at many zooms, sizes and scales, changing and
// deleting what is drawn, zoom and pan.
#include "gui/state/marks.h"

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "gui/scene.h"

namespace echoloop::testing::marks_test {
namespace {

constexpr PlanePoint kWireA{-6e-3, 14e-3}, kWireB{6e-3, 30e-3};  // 20.00 mm apart

Grid flat_grid() { return {.x0_m = -10e-3, .x1_m = 10e-3, .z0_m = 4e-3, .z1_m = 44e-3, .nx = 401, .nz = 801}; }
Grid sector_grid() { return polar_grid({0.0, -40 * kRadiansPerDegree, 40 * kRadiansPerDegree, 5e-3, 45e-3}, 641, 801); }

float wires(double x_mm, double z_mm) {
  const auto away = [&](PlanePoint p) { return std::hypot(x_mm - p.x_m * 1e3, z_mm - p.z_m * 1e3); };
  return static_cast<float>(-60.0 * std::min(away(kWireA), away(kWireB)));
}

struct Mouse {
  Scene& scene;
  [[nodiscard]] const ImageLayout& layout() const { return scene.viewer->screen().image_layout(); }

  void put(float x, float y, bool left = false, bool right = false, bool middle = false) const {
    InjectedInput input;
    input.mouse_x = x;
    input.mouse_y = y;
    input.left = left;
    input.right = right;
    input.middle = middle;
    scene.inject(input);
  }
  void click(float x, float y, bool right = false) const {
    put(x, y);
    put(x, y, !right, right);
    put(x, y);
  }
  void click(PlanePoint p, bool right = false) const { click(layout().x_px(p.x_m), layout().z_px(p.z_m), right); }
  void drag(PlanePoint from, PlanePoint to, bool middle = false) const {
    const float x0 = layout().x_px(from.x_m), y0 = layout().z_px(from.z_m);
    const float x1 = layout().x_px(to.x_m), y1 = layout().z_px(to.z_m);
    put(x0, y0);
    for (const float t : {0.0F, 0.5F, 1.0F}) put(x0 + t * (x1 - x0), y0 + t * (y1 - y0), !middle, false, middle);
    put(x1, y1);
  }
  void wheel(float x, float y, float by) const {
    put(x, y);
    InjectedInput input;
    input.mouse_x = x;
    input.mouse_y = y;
    input.wheel = by;
    scene.viewer->inject(input);
    scene.frames(3);
  }
  // Turns the wheel over a place until the image is `zoom` times as large as fitted.
  void zoom_at(PlanePoint p, double zoom) const {
    scene.tap(Key::f);
    for (int i = 0; i < 40 && layout().zoom() < zoom; ++i) wheel(layout().x_px(p.x_m), layout().z_px(p.z_m), 1);
  }
};

struct Spot {
  float x, y;
};

// The middle of the white around a place, in the window's pixels: what a user would aim at.
Spot white_spot(const RgbImage& p, float near_x, float near_y, float reach) {
  double sum = 0, sx = 0, sy = 0;
  for (int y = static_cast<int>(near_y - reach); y <= static_cast<int>(near_y + reach); ++y) {
    for (int x = static_cast<int>(near_x - reach); x <= static_cast<int>(near_x + reach); ++x) {
      if (x < 0 || y < 0 || x >= p.width || y >= p.height) continue;
      const std::size_t at =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(p.width) + static_cast<std::size_t>(x);
      if (p.rgb[3 * at] < 190) continue;  // the accent's red is 76
      sum += 1, sx += x + 0.5, sy += y + 0.5;
    }
  }
  EXPECT_GT(sum, 0.0);
  return {static_cast<float>(sx / sum), static_cast<float>(sy / sum)};
}

void aim_and_click(const Mouse& mouse, PlanePoint wire, double zoom) {
  mouse.zoom_at(wire, zoom);
  mouse.put(2, 2);  // the read-out goes
  const float reach = std::clamp(0.4F * static_cast<float>(mouse.layout().px_per_mm()), 10.0F, 90.0F);
  const Spot spot = white_spot(mouse.scene.shot(), mouse.layout().x_px(wire.x_m), mouse.layout().z_px(wire.z_m), reach);
  mouse.click(spot.x, spot.y);
}

struct Look {
  int width, height;
  double scale;
  bool sector;
};

class Caliper : public ::testing::TestWithParam<Look> {};

TEST_P(Caliper, BetweenTwoWiresReadsTwentyMillimetres) {
  const Look& look = GetParam();
  ECHO_SCENE(scene, look.width, look.height, look.scale);
  scene.put_image(look.sector ? sector_grid() : flat_grid(), wires);
  scene.frames(2);
  const Mouse mouse{scene};
  int drawn = 0;
  for (const double zoom : {1.0, 1.7, 4.0, 12.0, 30.0}) {
    scene.press(Key::c);
    aim_and_click(mouse, kWireA, zoom);
    aim_and_click(mouse, kWireB, zoom);
    scene.press(Key::escape);
    ASSERT_EQ(scene.state.marks.list.size(), static_cast<std::size_t>(++drawn));
    const Mark& mark = scene.state.marks.list.back();
    EXPECT_NEAR(length_m(mark).value() * 1e3, 20.0, 0.1) << "zoom " << zoom;
    EXPECT_NEAR(mark.points[0].x_m, kWireA.x_m, 0.1e-3);
    EXPECT_NEAR(mark.points[1].z_m, kWireB.z_m, 0.1e-3);
    EXPECT_GE(mouse.layout().zoom(), zoom);
    scene.state.marks.list.back().points = {{0, 40e-3}, {0, 41e-3}};  // out of the next one's way
  }
  EXPECT_EQ(scene.gl_error(), 0);
}

INSTANTIATE_TEST_SUITE_P(Windows, Caliper,
                         ::testing::Values(Look{1600, 900, 1, false}, Look{1024, 900, 1, false},
                                           Look{3200, 1800, 2, false}, Look{1600, 900, 1, true},
                                           Look{2048, 1280, 2, true}));

TEST(ImageInteraction, WheelKeepsThePlaceDragMovesItAndDoubleClickFits) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(flat_grid(), wires);
  scene.frames(2);
  const Mouse mouse{scene};
  const float x = std::floor(mouse.layout().x_px(kWireB.x_m)), y = std::floor(mouse.layout().z_px(kWireB.z_m));
  const PlanePoint still = mouse.layout().point(x, y);
  mouse.wheel(x, y, 8);
  EXPECT_NEAR(mouse.layout().x_px(still.x_m), x, 0.05F);
  EXPECT_NEAR(mouse.layout().z_px(still.z_m), y, 0.05F);
  EXPECT_NEAR(mouse.layout().zoom(), std::pow(1.25, 8), 1e-3);
  // Once with the pointer tool, once with the middle button while another tool is in use.
  for (const bool middle : {false, true}) {
    if (middle) scene.press(Key::c);
    const PlanePoint from = mouse.layout().point(900, 400), to = mouse.layout().point(870, 430);
    mouse.drag(from, to, middle);
    EXPECT_NEAR(mouse.layout().x_px(from.x_m), 870, 0.1F) << middle;
    EXPECT_NEAR(mouse.layout().z_px(from.z_m), 430, 0.1F) << middle;
  }
  EXPECT_TRUE(scene.state.marks.list.empty());
  scene.press(Key::escape);
  mouse.put(800, 300);
  for (const bool down : {true, false, true, false}) mouse.put(800, 300, down);
  EXPECT_DOUBLE_EQ(mouse.layout().zoom(), 1.0);
}

TEST(ImageInteraction, MarksAreSelectedMovedAndDeleted) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(flat_grid(), [](double, double) { return -30.0F; });
  scene.frames(2);
  const Mouse mouse{scene};
  Marks& marks = scene.state.marks;
  scene.click("tool/distance");
  mouse.drag({-5e-3, 20e-3}, {5e-3, 20e-3});
  scene.click("tool/rectangle");
  mouse.drag({-5e-3, 30e-3}, {0, 35e-3});
  mouse.drag({2e-3, 30e-3}, {7e-3, 35e-3});
  scene.press(Key::escape);
  ASSERT_EQ(marks.list.size(), 3U);
  EXPECT_EQ(mark_label(marks.list[2]), "1 background");
  mouse.drag({0, 20e-3}, {1e-3, 22e-3});  // by its line
  EXPECT_EQ(marks.selected, 1);
  EXPECT_NEAR(marks.list[0].points[0].x_m, -4e-3, 0.1e-3);
  EXPECT_NEAR(marks.list[0].points[1].z_m, 22e-3, 0.1e-3);
  mouse.drag(marks.list[0].points[1], {4e-3, 25e-3});  // by its end
  EXPECT_NEAR(marks.list[0].points[1].z_m, 25e-3, 0.1e-3);
  EXPECT_NEAR(marks.list[0].points[0].z_m, 22e-3, 0.1e-3);
  scene.press(Key::remove);
  ASSERT_EQ(marks.list.size(), 2U);
  mouse.click({-5e-3, 32e-3}, true);  // right on the edge of a rectangle
  ASSERT_EQ(marks.list.size(), 1U);
  EXPECT_EQ(marks.list[0].number, 3);
  const Rect row = scene.rect("mark/3");
  ASSERT_GT(row.width(), 50.0F);
  mouse.put(row.cx(), row.cy());
  EXPECT_EQ(marks.hovered, 3);
  scene.click("mark/3/delete");
  EXPECT_TRUE(marks.list.empty());
}

TEST(ImageInteraction, EscapeEndsTheDrawingThenTheTool) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(flat_grid(), [](double, double) { return -30.0F; });
  scene.frames(2);
  const Mouse mouse{scene};
  scene.press(Key::a);
  EXPECT_EQ(scene.state.marks.tool, MarkTool::rectangle);
  mouse.click({-5e-3, 20e-3});
  scene.press(Key::escape);
  EXPECT_EQ(scene.state.marks.tool, MarkTool::rectangle);
  mouse.click({-5e-3, 20e-3});
  mouse.click({5e-3, 25e-3});
  EXPECT_EQ(scene.state.marks.list.size(), 1U);
  scene.press(Key::escape);
  EXPECT_EQ(scene.state.marks.tool, MarkTool::pointer);
}

// The same metres in windows of other sizes, on what lies there in the image.
TEST(ImageInteraction, MarksStayOnThePicture) {
  for (const Look& look : {Look{1024, 640, 1, false}, {1600, 900, 1, true}, {3840, 2160, 2, false}}) {
    ECHO_SCENE(scene, look.width, look.height, look.scale);
    scene.put_image(look.sector ? sector_grid() : flat_grid(), [](double, double) { return -200.0F; });
    scene.state.marks.list = {{.number = 1, .kind = MarkKind::profile, .points = {{-5e-3, 25e-3}, {5e-3, 25e-3}}}};
    scene.frames(2);
    const Mouse mouse{scene};
    for (const double zoom : {1.0, 5.0}) {
      mouse.zoom_at({0, 25e-3}, zoom);
      mouse.put(2, 2);
      const RgbImage shot = scene.shot();
      const int x = static_cast<int>(mouse.layout().x_px(-1e-3));
      const float y = mouse.layout().z_px(25e-3);
      double sum = 0, at = 0;
      for (int row = static_cast<int>(y) - 12; row <= static_cast<int>(y) + 12; ++row) {
        const std::size_t pixel =
            static_cast<std::size_t>(row) * static_cast<std::size_t>(shot.width) + static_cast<std::size_t>(x);
        sum += shot.rgb[3 * pixel + 2];
        at += shot.rgb[3 * pixel + 2] * (row + 0.5);
      }
      ASSERT_GT(sum, 100.0) << look.width;
      EXPECT_NEAR(at / sum, static_cast<double>(y), 1.0) << look.width << " zoom " << zoom;
    }
  }
}

TEST(ImageInteraction, InspectingFollowsThePointer) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(flat_grid(), [](double, double) { return -30.0F; });
  scene.frames(2);
  const Mouse mouse{scene};
  scene.click("tool/inspect");
  mouse.drag({0, 20e-3}, {3e-3, 25e-3});
  ASSERT_TRUE(scene.state.view.inspected.has_value());
  EXPECT_NEAR(scene.state.view.inspected->x_m, 3e-3, 0.1e-3);
  EXPECT_NEAR(scene.state.view.inspected->z_m, 25e-3, 0.1e-3);
  EXPECT_TRUE(scene.state.marks.list.empty());
}

// Side by side where there is room, otherwise in the menu of their kind.
TEST(ToolBar, EveryToolCanBeChosen) {
  for (const auto& [width, height, scale] : {std::tuple{1024, 640, 1.0}, {1600, 900, 1.0}, {2048, 1280, 2.0}}) {
    ECHO_SCENE(scene, width, height, scale);
    scene.put_image(flat_grid(), [](double, double) { return -30.0F; });
    scene.frames(2);
    const auto there = [&](const std::string& id) { return scene.rect(id).width() > 0.0F; };
    const std::pair<const char*, const char*> tools[] = {{"", "tool/pointer"},
                                                         {"tools/lines", "tool/distance"},
                                                         {"tools/lines", "tool/angle"},
                                                         {"tools/regions", "tool/ellipse"},
                                                         {"tools/regions", "tool/rectangle"},
                                                         {"tools/regions", "tool/circle"},
                                                         {"tools/regions", "tool/outline"},
                                                         {"tools/lines", "tool/profile"},
                                                         {"tools/places", "tool/point"},
                                                         {"tools/places", "tool/inspect"},
                                                         {"", "tool/gate"}};
    int tool = 0;
    for (const auto& [kind, id] : tools) {
      if (!there(id)) {
        scene.click(kind);
        scene.click(std::string(kind) + "/" + id);
        EXPECT_TRUE(there(id)) << id << ": the tool in use is the one that is shown";
      }
      scene.click(id);
      EXPECT_EQ(scene.state.marks.tool, static_cast<MarkTool>(tool++)) << id << " at " << width;
    }
    scene.click("zoom/in");
    scene.click("zoom/in");
    EXPECT_NEAR(scene.viewer->screen().image_layout().zoom(), 2.25, 1e-6);
    scene.click("zoom/out");
    EXPECT_NEAR(scene.viewer->screen().image_layout().zoom(), 1.5, 1e-6);
    scene.click("tools/more");
    scene.click("menu/fit");
    EXPECT_DOUBLE_EQ(scene.viewer->screen().image_layout().zoom(), 1.0);
    scene.state.marks.list = {{.number = 1, .kind = MarkKind::point, .points = {{0, 20e-3}}}};
    scene.frames(1);
    scene.click("tools/more");
    scene.click("marks/clear");
    EXPECT_TRUE(scene.state.marks.list.empty());
    for (const auto& [id, dock] : {std::pair{"dock/inspector", Dock::inspector}, std::pair{"dock/m_mode", Dock::m_mode},
                                   std::pair{"dock/sonogram", Dock::spectrogram}}) {
      if (!there(id)) scene.click("tools/more");
      scene.click(id);
      EXPECT_EQ(scene.viewer->settings().dock, dock) << id << " at " << width;
      EXPECT_TRUE(there(id)) << "what is open stands outside the menu";
    }
  }
}

}  // namespace
}  // namespace echoloop::testing::marks_test
