// Objects over the image: their outlines on the pixels' edges at any zoom, which image they belong to, the table
// and the image pointing at each other.
#include <cmath>

#include "gui/objects_scene.h"
#include "gui/stream_scene.h"
#include "support/picture_pixels.h"

namespace echoloop::testing::objects_test {
namespace {

// How many of the pixels around a place have the accent's colour.
int accents(Scene& scene, const RgbImage& shot, double x_mm, double z_mm, int reach) {
  const ImageLayout& l = scene.viewer->screen().image_layout();
  int n = 0;
  for (int dy = -reach; dy <= reach; ++dy) {
    for (int dx = -reach; dx <= reach; ++dx) {
      const Rgb c =
          pixel(shot, l.x_px(x_mm * 1e-3) + static_cast<float>(dx), l.z_px(z_mm * 1e-3) + static_cast<float>(dy));
      n += c.b > c.r + 50 && c.g > c.r + 40 ? 1 : 0;
    }
  }
  return n;
}

TEST(Objects, OutlinesLieOnTheEdgesOfPixelsAtAnyZoomAndScale) {
  for (const double scale : {1.0, 2.0}) {
    ECHO_SCENE(scene, static_cast<int>(1600 * scale), static_cast<int>(900 * scale), scale);
    for (const double logical_px_per_m : {0.0, 60e3, 400e3}) {
      if (logical_px_per_m > 0.0) {
        scene.state.view.pan_zoom = {.fitted = false, .centre = {-6.1e-3, 12e-3}, .logical_px_per_m = logical_px_per_m};
      }
      show(scene);
      const RgbImage shot = scene.shot();
      const double off_mm = 7e3 * scale / scene.viewer->screen().image_layout().px_per_m;
      for (const double z : {11.5, 12.0, 12.5}) {  // in sight at every zoom, beside no number
        EXPECT_GE(accents(scene, shot, -6.1, z, 1), 3) << z << " at " << logical_px_per_m;
        EXPECT_EQ(accents(scene, shot, -6.1 - off_mm, z, 2), 0) << z << " at " << logical_px_per_m;
        EXPECT_EQ(accents(scene, shot, -6.1 + off_mm, z, 2), 0) << z << " at " << logical_px_per_m;
      }
    }
    EXPECT_EQ(scene.gl_error(), 0);
  }
}

TEST(Objects, LieInPlaceOverASector) {
  ECHO_SCENE(scene, 1600, 900);
  const Grid fan =
      polar_grid({.apex_z_m = -5e-3, .angle0_rad = -0.5, .angle1_rad = 0.5, .r0_m = 8e-3, .r1_m = 35e-3}, 401, 401);
  scene.state.params.objects.kind = ObjectKind::dark;
  scene.put_image(fan, gray);
  scene.frames(1);
  scene.put_objects(fan, [](double x, double z) { return std::hypot(x - 3.0, z - 18.0) < 4.0 ? 1 : 0; });
  scene.frames(2);
  const RgbImage shot = scene.shot();
  for (double angle = 0.3; angle < 6.2; angle += 0.5) {
    const auto at = [&](double r) {
      return accents(scene, shot, 3.0 + r * std::cos(angle), 18.0 + r * std::sin(angle), 2);
    };
    EXPECT_GT(at(4.0), 2) << angle;
    EXPECT_EQ(at(3.4), 0) << angle;
    EXPECT_EQ(at(4.6), 0) << angle;
  }
}

TEST(Objects, BelongToThePictureOnScreen) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  ASSERT_NE(scene.state.analyses.of<ObjectView>().image, nullptr);
  EXPECT_EQ(scene.state.analyses.of<ObjectView>().count(), 3);
  scene.state.params.objects.kind = ObjectKind::dark;  // those of before are not what is looked for now
  scene.frames(1);
  EXPECT_EQ(scene.state.analyses.of<ObjectView>().image, nullptr);
  show(scene, ObjectKind::dark);
  EXPECT_NE(scene.state.analyses.of<ObjectView>().image, nullptr);
  Grid other = kSquare;
  other.nx = 51;
  scene.put_image(other, gray);  // other pixels
  scene.frames(1);
  EXPECT_EQ(scene.state.analyses.of<ObjectView>().image, nullptr);
  show(scene, ObjectKind::dark);
  scene.state.params.objects.kind = ObjectKind::off;
  scene.frames(1);
  EXPECT_EQ(scene.state.analyses.of<ObjectView>().image, nullptr);
  EXPECT_TRUE(scene.state.analyses.of<ObjectView>().outlines.empty());
  EXPECT_EQ(accents(scene, scene.shot(), -6.1, 12.0, 2), 0);
}

TEST(Objects, OfAKeptFrameAreItsOwnOrNone) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  scene.freeze(20, 50.0);
  scene.put_past(0, kSquare, gray, 100);
  scene.frames(2);
  EXPECT_EQ(scene.state.analyses.of<ObjectView>().image, nullptr) << "the live ones are another frame's";
  scene.put_objects(kSquare, boxes, 99);
  scene.frames(2);
  EXPECT_EQ(scene.state.analyses.of<ObjectView>().image, nullptr);
  scene.state.params.objects.sigmas += 1.0;  // not yet what the image was asked for with
  scene.put_objects(kSquare, boxes, 100);
  scene.frames(2);
  EXPECT_EQ(scene.state.analyses.of<ObjectView>().image, nullptr);
  scene.put_past(0, kSquare, gray, 100);
  scene.frames(2);
  EXPECT_NE(scene.state.analyses.of<ObjectView>().image, nullptr);
  scene.state.params.display.gain_db += 3.0;  // acts on the screen only
  scene.frames(1);
  EXPECT_NE(scene.state.analyses.of<ObjectView>().image, nullptr);
  scene.put_objects(kSquare, boxes, 101);  // a live one behind the frozen image
  scene.frames(2);
  ASSERT_NE(scene.state.analyses.of<ObjectView>().image, nullptr);
  EXPECT_EQ(scene.state.analyses.of<ObjectView>().image->stamp.sequence, 100u);
  scene.state.cine.compare = true;
  scene.frames(2);
  EXPECT_EQ(scene.state.analyses.of<ObjectView>().image, nullptr) << "two pictures are on screen";
  EXPECT_EQ(accents(scene, scene.shot(), -6.1, 12.0, 2), 0);
}

TEST(Objects, AreNotShownOverTheLowRankPicture) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  scene.state.params.color_flow.mode = FlowMode::low_rank;
  scene.frames(2);
  EXPECT_NE(scene.state.analyses.of<ObjectView>().image, nullptr) << "it is not on screen yet";
  scene.put_flow(kSquare, gray, [](double, double) { return 0.0F; });
  scene.frames(2);
  EXPECT_EQ(scene.state.analyses.of<ObjectView>().image, nullptr);
}

TEST(Objects, TableAndPicturePointAtEachOther) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  open_panel(scene);
  const ObjectView& s = scene.state.analyses.of<ObjectView>();
  EXPECT_NEAR(s.object(1).centroid.x_m, -4e-3, 1e-6);
  EXPECT_NEAR(s.object(2).centroid.z_m, 19e-3, 1e-6);
  EXPECT_GT(s.object(2).area_m2, s.object(3).area_m2);
  reveal(scene, "object/2");
  scene.click("object/2");
  EXPECT_EQ(scene.state.objects.selected, 2);
  EXPECT_EQ(scene.state.objects.hovered, 2) << "the pointer is still there";
  const int before = accents(scene, scene.shot(), 1.9, 19.0, 3);
  click_mm(scene, -4.0, 12.0);
  EXPECT_EQ(scene.state.objects.selected, 1);
  EXPECT_EQ(scene.state.objects.hovered, 1);
  EXPECT_LT(accents(scene, scene.shot(), 1.9, 19.0, 3), before) << "the selected one is stronger";
  put_mouse(scene, 5.5, 7.5, false);
  EXPECT_EQ(scene.state.objects.hovered, 3);
  click_mm(scene, 9.0, 24.0);  // beside all
  EXPECT_EQ(scene.state.objects.selected, 0);
  for (const bool left : {false, true}) put_mouse(scene, -4.0, 12.0, left);  // a drag selects nothing
  put_mouse(scene, -2.5, 14.0, true);
  put_mouse(scene, -2.5, 14.0, false);
  EXPECT_EQ(scene.state.objects.selected, 0);
  reveal(scene, "object/3");
  scene.click("object/3");
  scene.click("object/3");
  EXPECT_EQ(scene.state.objects.selected, 0) << "a second click lets it go";
  EXPECT_EQ(scene.gl_error(), 0);
}

TEST(Objects, TheSelectedOneIsFollowed) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene);
  click_mm(scene, 3.5, 19.0);
  ASSERT_EQ(scene.state.objects.selected, 2);
  // It moves by a pixel and is the largest now.
  scene.put_objects(kSquare, [](double x, double z) {
    const int l = boxes(x - 0.2, z);
    return l == 2 && x < -2.6 ? 0 : l;
  });
  scene.frames(2);
  EXPECT_EQ(scene.state.objects.selected, 1);
  scene.put_objects(kSquare, [](double x, double z) { return boxes(x, z) == 2 ? 1 : 0; });
  scene.frames(2);
  EXPECT_EQ(scene.state.objects.selected, 0) << "it is gone";
  scene.put_objects(kSquare, boxes);
  scene.frames(2);
  EXPECT_EQ(scene.state.objects.selected, 2) << "and back";
}

}  // namespace
}  // namespace echoloop::testing::objects_test
