// The presentation with its strips and the strip for fingers.
#include <algorithm>

#include "gui/cine/cine_strip.h"
#include "gui/scene.h"

namespace echoloop::testing::presentation_test {
namespace {

constexpr float kTarget = 76;

float dim(double, double) { return -45.0F; }

void put_all(Scene& scene) {
  for (std::uint64_t frame = 100; frame < 130; ++frame) {
    scene.put_image(kSquare, dim, frame);
    scene.frames(1);
  }
  scene.put_spectrogram(500, [](double, double v) { return v > 0.1 && v < 0.2 ? -20.0F : -90.0F; });
  scene.frames(2);
}

// With the M-mode, and the spectrogram opened after it.
void present_both(Scene& scene) {
  scene.state.view.inspected = PlanePoint{2e-3, 15e-3};
  scene.put_image(kSquare, dim, 99);
  scene.frames(2);
  scene.press(Key::m);
  scene.tap(Key::d);
  scene.viewer->screen().present();
  put_all(scene);
}

bool inside(const Rect& r, float width, float height) {
  return r.width() > 0 && r.height() > 0 && r.x0 >= 0 && r.y0 >= 0 && r.x1 <= width && r.y1 <= height;
}

class Presented : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(Presented, StripsAndTargetsHaveTheirPlaces) {
  const auto [width, height] = GetParam();
  ECHO_SCENE(scene, width, height);
  present_both(scene);
  const auto w = static_cast<float>(width), h = static_cast<float>(height);
  const Rect image = scene.viewer->screen().picture();
  ASSERT_TRUE(inside(image, w, h));
  EXPECT_TRUE(scene.state.view.m_mode.wanted) << "goes on beside the sonogram";
  const bool both = width >= 1200;
  const Rect m_mode = scene.viewer->screen().strips().m_mode, spectrogram = scene.viewer->screen().strips().spectrogram;
  EXPECT_TRUE(inside(m_mode, w, h));
  EXPECT_EQ(inside(spectrogram, w, h), both);
  EXPECT_FALSE(m_mode.overlaps(image));
  if (both) {
    EXPECT_FALSE(spectrogram.overlaps(image));
    EXPECT_LT(m_mode.y1, spectrogram.y0) << "below each other";
    EXPECT_GT(m_mode.width(), 0.25F * w);
  } else {
    scene.click("touch/sonogram");
    EXPECT_TRUE(inside(scene.viewer->screen().strips().spectrogram, w, h));
    EXPECT_EQ(scene.viewer->screen().strips().m_mode.width(), 0.0F) << "one of them";
  }
  std::vector<Rect> targets;
  for (const char* id : {"touch/freeze", "touch/back", "touch/forward", "touch/speed_0.1", "touch/speed_0.25",
                         "touch/speed_0.5", "touch/live", "touch/track", "touch/reset"}) {
    const Rect r = scene.rect(id);
    EXPECT_TRUE(inside(r, w, h)) << id;
    EXPECT_GE(r.width(), kTarget - 0.5F) << id;
    EXPECT_GE(r.height(), kTarget - 0.5F) << id;
    for (const Rect& other : targets) EXPECT_FALSE(r.overlaps(other)) << id;
    EXPECT_FALSE(r.overlaps(image)) << id;
    targets.push_back(r);
  }
  EXPECT_EQ(scene.gl_error(), 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Presented,
                         ::testing::Values(std::pair{1024, 640}, std::pair{1280, 720}, std::pair{1600, 900},
                                           std::pair{1920, 1080}));

TEST(TouchStripOfThePresentation, HidesTenSecondsAfterTheLastTouch) {
  TouchStrip strip;
  constexpr std::int64_t kSecond = 1'000'000'000;
  strip.touch(5 * kSecond);
  EXPECT_TRUE(strip.shown(5 * kSecond));
  EXPECT_TRUE(strip.shown(14 * kSecond));
  EXPECT_FALSE(strip.ending(12 * kSecond));
  EXPECT_TRUE(strip.ending(15 * kSecond)) << "one more frame is drawn";
  EXPECT_FALSE(strip.shown(15 * kSecond));
  strip.touch(60 * kSecond);
  EXPECT_TRUE(strip.shown(61 * kSecond)) << "any touch brings it back";
}

TEST(TouchStripOfThePresentation, SlowMotionReplaysTheLastSecondsAndOneIsLive) {
  ECHO_SCENE(scene, 1280, 720);
  scene.put_image(kSquare, dim);
  scene.state.kept.frames = 500;
  scene.state.kept.seconds = 9.98;
  scene.viewer->screen().present();
  scene.frames(2);
  scene.click("touch/speed_0.25");
  EXPECT_EQ(scene.freezes, 1) << "live: freezes first";
  EXPECT_FALSE(scene.state.cine.playing);
  scene.freeze(500, 50.0);
  scene.frames(2);
  const Cine& cine = scene.state.cine;
  EXPECT_TRUE(cine.playing);
  EXPECT_EQ(cine.speed, 0.25);
  EXPECT_EQ(cine.mark_out, 499U);
  EXPECT_NEAR(static_cast<double>(cine.mark_in), 499.0 - 150.0, 2.0) << "the last 3 s";
  scene.click("touch/speed_0.1");
  EXPECT_EQ(cine.speed, 0.1);
  EXPECT_EQ(scene.freezes, 1);
  scene.click("touch/live");
  EXPECT_EQ(scene.freezes, 2) << "live again";
}

// At the largest scale of a small window some speeds leave.
TEST(TouchStripOfThePresentation, TargetsStayApartInALowNarrowWindow) {
  ECHO_SCENE(scene, 1024, 640, 1.4);
  scene.put_image(kSquare, dim);
  scene.viewer->screen().present();
  scene.frames(2);
  std::vector<Rect> targets;
  for (const char* id : {"touch/freeze", "touch/back", "touch/forward", "touch/speed_0.25", "touch/live", "touch/track",
                         "touch/reset"}) {
    const Rect r = scene.rect(id);
    EXPECT_TRUE(inside(r, 1024, 640)) << id;
    for (const Rect& other : targets) EXPECT_FALSE(r.overlaps(other)) << id;
    targets.push_back(r);
  }
}

// Of a finger: 44 logical pixels.
TEST(TouchStripOfThePresentation, TargetsFitAFingerAtEveryScale) {
  for (const auto& [width, height, scale] : {std::tuple{1024, 640, 1.0},
                                             {1280, 720, 1.0},
                                             {1280, 960, 1.5},
                                             {1920, 1080, 1.5},
                                             {1920, 1080, 2.0},
                                             {3840, 2160, 1.0},
                                             {3840, 2160, 2.0}}) {
    SCOPED_TRACE(::testing::Message() << width << " x " << height << " at " << scale);
    ECHO_SCENE(scene, width, height, scale);
    present_both(scene);
    const float least = 44.0F * scene.viewer->screen().ui().scale() - 0.5F;
    int targets = 0;
    for (const FocusStop& stop : scene.viewer->screen().ui().focus().stops()) {
      if (!stop.id.starts_with("touch/")) continue;
      ++targets;
      EXPECT_GE(stop.rect.width(), least) << stop.id;
      EXPECT_GE(stop.rect.height(), least) << stop.id;
    }
    EXPECT_GE(targets, 7);
  }
}

// Without room for a track there is none.
TEST(TouchStripOfThePresentation, TargetsStayApartInATinyWindow) {
  ECHO_SCENE(scene, 640, 400);
  scene.put_image(kSquare, dim);
  scene.viewer->screen().present();
  scene.frames(2);
  EXPECT_EQ(scene.rect("touch/track").width(), 0.0F);
  EXPECT_FALSE(scene.rect("touch/live").overlaps(scene.rect("touch/reset")));
}

TEST(TouchStripOfThePresentation, ResetsByTouchAndEveryTargetIsAFocusStop) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, dim);
  scene.viewer->screen().present();
  scene.frames(2);
  scene.click("touch/reset");
  EXPECT_EQ(scene.resets, 1);
  scene.frames(1);
  for (const char* id :
       {"touch/freeze", "touch/back", "touch/forward", "touch/speed_0.1", "touch/live", "touch/track", "touch/reset"}) {
    const auto& stops = scene.viewer->screen().ui().focus().stops();
    EXPECT_TRUE(std::any_of(stops.begin(), stops.end(), [&](const FocusStop& s) { return s.id == id; })) << id;
  }
}

TEST(TouchStripOfThePresentation, StepsAndFreezes) {
  ECHO_SCENE(scene, 1280, 720);
  scene.put_image(kSquare, dim);
  scene.viewer->screen().present();
  scene.frames(2);
  scene.click("touch/back");
  EXPECT_EQ(scene.cine_changed, 0) << "live: nothing to step through";
  scene.click("touch/freeze");
  EXPECT_EQ(scene.freezes, 1);
  scene.freeze(500, 50.0);
  scene.frames(2);
  scene.click("touch/back");
  EXPECT_EQ(scene.state.cine.index, 498U);
  scene.drag("touch/track", 0.9F, 0.5F);
  EXPECT_NEAR(static_cast<double>(scene.state.cine.index), 250.0, 12.0);
  scene.click("touch/freeze");
  EXPECT_EQ(scene.freezes, 2) << "resumes";
}

}  // namespace
}  // namespace echoloop::testing::presentation_test
