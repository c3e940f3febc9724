// Motion of the window: by the time from frame to frame, to the place chosen, and then nothing is drawn again.
#include "gui/state/motion.h"

#include "gui/scene.h"
#include "gui/toolkit/layout.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::motion_test {
namespace {

constexpr double kFrame_s = 0.02;
constexpr Rect kRoom{100, 50, 900, 650};

TEST(Motion, AWayTakes120MillisecondsOfFrames) {
  EasedValue value;
  EXPECT_EQ(value.towards(10, kFrame_s), 10) << "the first place is no way";
  EXPECT_EQ(value.towards(20, 5.0), 10) << "begins where it was, however long the pause";
  float before = 10;
  for (int frame = 1; frame < 6; ++frame) {
    const float now = value.towards(20, kFrame_s);
    EXPECT_GT(now, before) << frame;
    EXPECT_LT(now, 20) << frame;
    EXPECT_TRUE(value.moving());
    before = now;
  }
  EXPECT_EQ(value.towards(20, kFrame_s), 20);
  EXPECT_FALSE(value.moving());
}

TEST(Motion, OffIsAtOnce) {
  EasedValue value;
  value.jump(10);
  EXPECT_EQ(value.towards(20, kAtOnce_s), 20);
  EXPECT_FALSE(value.moving());
}

TEST(Motion, TargetsThatChangeEveryFrameDoNotHoldItBack) {
  EasedValue value;
  value.jump(0);
  value.towards(1, kFrame_s);
  float before = 0;
  for (int target = 2; target < 8; ++target) {
    const float now = value.towards(static_cast<float>(target), kFrame_s);
    EXPECT_GT(now, before) << target;
    before = now;
  }
}

// Zooms about the point under the pointer, which stays there in every frame.
TEST(Motion, AZoomKeepsItsPoint) {
  EasedView view;
  const ImageLayout whole = place_picture(kRoom, kSquare, 1.0F, {});
  EXPECT_EQ(view.towards({}, whole, kFrame_s), PanZoom{});
  const float x = 450, y = 300;
  const PlanePoint still = whole.point(x, y);
  const PanZoom wanted = zoomed_about(whole, x, y, 3.0);
  const ImageLayout at = place_picture(kRoom, kSquare, 1.0F, wanted);
  double zoom = 1.0;
  for (int frame = 0; frame < 6; ++frame) {
    const ImageLayout now = place_picture(kRoom, kSquare, 1.0F, view.towards(wanted, at, kFrame_s));
    EXPECT_TRUE(view.moving()) << frame;
    EXPECT_GE(now.zoom(), zoom) << frame;
    EXPECT_LT(now.zoom(), 3.0) << frame;
    if (frame > 0) {
      EXPECT_NEAR(now.x_px(still.x_m), x, 0.01F) << frame;
      EXPECT_NEAR(now.z_px(still.z_m), y, 0.01F) << frame;
    }
    zoom = now.zoom();
  }
  EXPECT_EQ(view.towards(wanted, at, kFrame_s), wanted);
  EXPECT_FALSE(view.moving());
}

TEST(Motion, APanAndAnotherImageAreAtOnce) {
  EasedView view;
  const ImageLayout whole = place_picture(kRoom, kSquare, 1.0F, {});
  view.towards({}, whole, kFrame_s);
  const PanZoom zoomed = zoomed_about(whole, 450, 300, 3.0);
  const ImageLayout near = place_picture(kRoom, kSquare, 1.0F, zoomed);
  view.towards(zoomed, near, kAtOnce_s);
  const PanZoom beside = panned(near, 40, 0);
  ASSERT_FALSE(beside == zoomed);
  EXPECT_EQ(view.towards(beside, place_picture(kRoom, kSquare, 1.0F, beside), kFrame_s), beside);
  Grid other = kSquare;
  other.z1_m = 35e-3;
  EXPECT_EQ(view.towards({}, place_picture(kRoom, other, 1.0F, {}), kFrame_s), PanZoom{});
}

Field dim() {
  return [](double, double) { return -40.0F; };
}

// Returns a place in the window some frames after a click, without motion.
template <class Place>
Rect place_without_motion(const std::string& clicked, const Place& place) {
  Scene scene(1600, 900);
  scene.put_image(kSquare, dim());
  scene.frames(2);
  scene.click(clicked);
  scene.frames(3);
  return place(scene);
}

TEST(MotionOfTheWindow, AZoomEndsWhereItWouldBeWithoutAndThenRests) {
  const auto image = [](const Scene& scene) { return scene.viewer->screen().picture(); };
  Rect wanted;
  try {
    wanted = place_without_motion("zoom/in", image);
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  ECHO_SCENE(scene, 1600, 900, 1.0, std::filesystem::path(), FirstTour::off, Motion::on);
  scene.put_image(kSquare, dim());
  scene.frames(2);
  scene.click("zoom/in");
  EXPECT_TRUE(scene.frames_until([&] { return !scene.viewer->wants_frame(); }));
  EXPECT_EQ(image(scene), wanted);
  EXPECT_NEAR(scene.viewer->screen().image_layout().zoom(), 1.5, 1e-6);
  scene.frames(2);
  EXPECT_FALSE(scene.viewer->drawn());
}

TEST(MotionOfTheWindow, APanelOpensToItsHeightAndThenRests) {
  const auto below = [](const Scene& scene) { return scene.rect("panel_flow"); };
  Rect wanted;
  try {
    wanted = place_without_motion("panel_display", below);
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  ECHO_SCENE(scene, 1600, 900, 1.0, std::filesystem::path(), FirstTour::off, Motion::on);
  scene.put_image(kSquare, dim());
  scene.frames(2);
  ASSERT_NE(below(scene), wanted);
  scene.click("panel_display");
  EXPECT_TRUE(scene.frames_until([&] { return !scene.viewer->wants_frame(); }));
  EXPECT_EQ(below(scene), wanted);
}

TEST(MotionOfTheWindow, IsSetInTheListOfKeysAndKept) {
  const TemporaryFolder folder;
  {
    ECHO_SCENE(scene, 1280, 720, 1.0, folder / "window");
    scene.frames(2);
    scene.tap(Key::f1);
    scene.click("motion");
    EXPECT_EQ(scene.viewer->settings().motion, Motion::off);
  }
  EXPECT_EQ(load_view_settings(folder / "window").motion, Motion::off);
  EXPECT_EQ(ViewSettings().motion, Motion::on);
}

}  // namespace
}  // namespace echoloop::testing::motion_test
