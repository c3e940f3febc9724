// Marks told in metres: drawing, changing, values, and what is written about them. Where an echo is in the recording.
#include <gtest/gtest.h>

#include "app/outputs/measured_values.h"
#include "app/window/window_review.h"
#include "core/units.h"
#include "gui/overlay/mark_drawing.h"
#include "gui/state/marks.h"

namespace echoloop::mark_editor_test {
namespace {

constexpr double kReach_m = 0.5e-3;

void click(MarkEditor& editor, Marks& marks, PlanePoint at) {
  editor.move(marks, at, kReach_m);
  editor.press(marks, at, kReach_m);
  editor.release(marks);
}

void drag(MarkEditor& editor, Marks& marks, std::vector<PlanePoint> way) {
  editor.move(marks, way.front(), kReach_m);
  editor.press(marks, way.front(), kReach_m);
  for (const PlanePoint p : way) editor.move(marks, p, kReach_m);
  editor.release(marks);
}

TEST(Marks, ClicksAndDragsDrawTheSame) {
  Marks marks;
  MarkEditor editor;
  marks.tool = MarkTool::distance;
  click(editor, marks, {0, 10e-3});
  EXPECT_TRUE(marks.list.empty());
  ASSERT_NE(editor.draft(), nullptr);
  click(editor, marks, {12e-3, 26e-3});
  drag(editor, marks, {{0, 10e-3}, {5e-3, 20e-3}, {12e-3, 26e-3}});
  ASSERT_EQ(marks.list.size(), 2U);
  for (const Mark& mark : marks.list) EXPECT_EQ(mark_value(mark, 2), "20.00 mm");
  EXPECT_EQ(marks.list[1].number, 2);
  EXPECT_EQ(marks.selected, 2);
}

TEST(Marks, AnglesEllipsesAndRegions) {
  Marks marks;
  MarkEditor editor;
  marks.tool = MarkTool::angle;
  for (const PlanePoint p : {PlanePoint{5e-3, 10e-3}, {0, 10e-3}, {3e-3, 13e-3}}) click(editor, marks, p);
  marks.tool = MarkTool::ellipse;
  drag(editor, marks, {{-4e-3, 20e-3}, {4e-3, 20e-3}});
  click(editor, marks, {1e-3, 23e-3});
  marks.tool = MarkTool::rectangle;
  drag(editor, marks, {{0, 0}, {2e-3, 3e-3}});
  marks.tool = MarkTool::circle;
  drag(editor, marks, {{0, 0}, {2e-3, 0}});
  marks.tool = MarkTool::outline;
  drag(editor, marks, {{0, 0}, {4e-3, 0}, {4e-3, 4e-3}, {0, 4e-3}});
  ASSERT_EQ(marks.list.size(), 5U);
  EXPECT_EQ(mark_value(marks.list[0], 2), "45.0°");
  EXPECT_NEAR(area_m2(marks.list[1]).value(), kPi * 4e-3 * 3e-3, 1e-9);
  EXPECT_EQ(mark_value(marks.list[2], 2), "6.00 mm²");
  EXPECT_EQ(mark_value(marks.list[3], 2), "12.57 mm²");
  EXPECT_EQ(mark_value(marks.list[4], 2), "16.00 mm²");
  EXPECT_EQ(mark_label(marks.list[1]), "1 target");
  EXPECT_EQ(mark_label(marks.list[2]), "1 background");
  EXPECT_EQ(mark_label(marks.list[3]), "2 target");
  EXPECT_EQ(mark_label(marks.list[4]), "2 background");
  remove_mark(marks, marks.list[2].number);  // the next region takes the free place
  marks.tool = MarkTool::circle;
  drag(editor, marks, {{0, 0}, {2e-3, 0}});
  EXPECT_EQ(mark_label(marks.list.back()), "1 background");
}

TEST(Marks, HandlesChangeTheShapeAndLinesMoveTheWhole) {
  Marks marks;
  MarkEditor editor;
  marks.tool = MarkTool::ellipse;
  drag(editor, marks, {{-4e-3, 20e-3}, {4e-3, 20e-3}});
  click(editor, marks, {0, 22e-3});
  marks.tool = MarkTool::pointer;
  drag(editor, marks, {{4e-3, 20e-3}, {6e-3, 20e-3}});  // one end of the axis: the other half axis stays
  EXPECT_NEAR(area_m2(marks.list[0]).value(), kPi * 5e-3 * 2e-3, 1e-9);
  const Mark before = marks.list[0];
  const PlanePoint on_line = mark_line(before)[9];
  drag(editor, marks, {on_line, {on_line.x_m + 1e-3, on_line.z_m - 2e-3}});
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(marks.list[0].points[i].x_m, before.points[i].x_m + 1e-3, 1e-9);
    EXPECT_NEAR(marks.list[0].points[i].z_m, before.points[i].z_m - 2e-3, 1e-9);
  }
  EXPECT_FALSE(editor.press(marks, {30e-3, 1e-3}, kReach_m));  // beside everything: the image's to drag
}

TEST(Marks, EscapeGoesBackStepByStep) {
  Marks marks;
  MarkEditor editor;
  marks.tool = MarkTool::distance;
  drag(editor, marks, {{0, 0}, {1e-3, 0}});
  click(editor, marks, {0, 10e-3});
  EXPECT_TRUE(editor.escape(marks));
  EXPECT_EQ(editor.draft(), nullptr);
  EXPECT_EQ(marks.tool, MarkTool::distance);
  EXPECT_TRUE(editor.escape(marks));
  EXPECT_EQ(marks.tool, MarkTool::pointer);
  EXPECT_TRUE(editor.escape(marks));
  EXPECT_EQ(marks.selected, 0);
  EXPECT_FALSE(editor.escape(marks));
  EXPECT_EQ(marks.list.size(), 1U);
}

TEST(Marks, NothingIsLeftOfAClickThatWasNoDrawing) {
  Marks marks;
  MarkEditor editor;
  marks.tool = MarkTool::outline;
  click(editor, marks, {0, 0});
  marks.tool = MarkTool::distance;
  click(editor, marks, {0, 0});
  click(editor, marks, {0, 0});
  EXPECT_TRUE(marks.list.empty());
}

TEST(Marks, JsonHasMillimetres) {
  Marks marks;
  marks.list = {{.number = 3, .kind = MarkKind::distance, .points = {{0, 10e-3}, {12e-3, 26e-3}}},
                {.number = 4,
                 .kind = MarkKind::rectangle,
                 .points = {{0, 0}, {2e-3, 3e-3}},
                 .role = RegionRole::background,
                 .pair = 2}};
  const nlohmann::json json = marks_json(marks);
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0]["kind"], "distance");
  EXPECT_NEAR(json[0]["length_mm"].get<double>(), 20.0, 1e-9);
  EXPECT_NEAR(json[0]["points_mm"][1][1].get<double>(), 26.0, 1e-9);
  EXPECT_EQ(json[1]["role"], "background");
  EXPECT_EQ(json[1]["pair"], 2);
  EXPECT_NEAR(json[1]["area_mm2"].get<double>(), 6.0, 1e-9);
  EXPECT_FALSE(json[0].contains("role"));
}

// The line is where its metres are, in the accent; far from it nothing changes.
TEST(Marks, AreDrawnIntoThePicture) {
  const Grid grid{.x0_m = -10e-3, .x1_m = 10e-3, .z0_m = 0, .z1_m = 40e-3, .nx = 201, .nz = 401};
  for (const int ground : {0, 255}) {
    const auto byte = static_cast<std::uint8_t>(ground);
    RgbImage picture{.width = 201, .height = 401, .rgb = std::vector<std::uint8_t>(201 * 401 * 3, byte)};
    Marks marks;
    marks.list = {{.number = 1, .kind = MarkKind::profile, .points = {{-5e-3, 10e-3}, {5e-3, 10e-3}}}};
    draw_marks_in(picture, grid, marks);
    const int times = picture.width / 201;  // enlarged
    ASSERT_EQ(picture.height, 401 * times);
    const auto at = [&](int x, int y, int below = 0) {
      const int row = y * times + times / 2 + below;
      return &picture.rgb[3 * static_cast<std::size_t>(row * picture.width + x * times)];
    };
    EXPECT_GT(at(100, 100)[2], 120);
    EXPECT_GT(at(100, 100)[2], at(100, 100)[0] + 60);
    EXPECT_LT(at(100, 100, 1)[0], 140);  // the halo
    EXPECT_EQ(at(100, 60)[0], ground);
    EXPECT_EQ(at(20, 100)[0], ground);
  }
}

TEST(EchoPlace, SampleOfTheNearestElement) {
  Acquisition a;
  a.probe = make_linear_probe("test probe", 128, 0.3e-3);
  for (int i = 0; i < 5; ++i) {
    Transmit t;
    t.angle_rad = 0.1 * (i - 2);
    t.t0_s = 1e-6;
    a.transmits.push_back(t);
  }
  a.n_samples = 2048;
  a.sampling_hz = 40e6;
  const Element& e = a.probe.elements[40];
  const auto echo = nearest_echo(a, 1500.0, {e.x_m + 0.02e-3, 15e-3});
  ASSERT_TRUE(echo.has_value());
  EXPECT_EQ(echo->transmit, 3);
  EXPECT_EQ(echo->element, 41);
  EXPECT_NEAR(echo->sample, (2 * 15e-3 / 1500.0 - 1e-6) * 40e6, 0.6);
  EXPECT_FALSE(nearest_echo(a, 1500.0, {0, 60e-3}).has_value());   // the recording has ended
  EXPECT_FALSE(nearest_echo(a, 1500.0, {0, 0.1e-3}).has_value());  // it has not begun
}

}  // namespace
}  // namespace echoloop::mark_editor_test
