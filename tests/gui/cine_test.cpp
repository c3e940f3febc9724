// Looking back: frozen, the kept frames' images are on screen and the live ones wait; the strip below the image
// scrubs, steps, marks and plays; what has no effect says why.

#include "gui/panels/cine_actions.h"
#include "gui/scene.h"

namespace echoloop::testing::cine_test {
namespace {

Field flat(float level_db) {
  return [level_db](double, double) { return level_db; };
}

// The track lies 8 pixels inside its control, at scale 1.
float track_x(const Scene& scene, double share) {
  const Rect r = scene.rect("cine_track");
  return r.x0 + 8 + static_cast<float>(share) * (r.width() - 16);
}

float track_y(const Scene& scene) { return scene.rect("cine_track").y0 + 7; }

void hold(Scene& scene, float x, float y, bool left) {
  InjectedInput input;
  input.mouse_x = x;
  input.mouse_y = y;
  input.left = left;
  scene.inject(input);
}

TEST(Frozen, ShowsKeptFramesAndLeavesLivePicturesAlone) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, flat(-10));
  scene.frames(1);
  scene.freeze(500, 50);
  scene.put_image(kSquare, flat(-20));
  scene.frames(2);
  EXPECT_EQ(scene.viewer->shown_db().at(0), -10.0F);  // until the first past image has come
  scene.put_past(0, kSquare, flat(-30), 77);
  EXPECT_TRUE(scene.viewer->frame(scene.state));
  EXPECT_FALSE(scene.viewer->frame(scene.state));
  EXPECT_EQ(scene.viewer->shown_db().at(0), -30.0F);
  EXPECT_EQ(scene.viewer->shown_image().stamp.sequence, 77u);
  scene.state.run = RunState::live;
  EXPECT_TRUE(scene.viewer->frame(scene.state));
  EXPECT_EQ(scene.viewer->shown_db().at(0), -20.0F);
}

TEST(Frozen, WhatCameTooLateIsNotShownNextTime) {
  ECHO_SCENE(scene, 1024, 640);
  scene.put_image(kSquare, flat(-10));
  scene.put_past(0, kSquare, flat(-30));  // of an earlier freeze
  scene.frames(2);
  scene.freeze(500, 50);
  scene.frames(2);
  EXPECT_EQ(scene.viewer->shown_db().at(0), -10.0F);
}

TEST(Frozen, ForgetsEveryPicture) {
  ECHO_SCENE(scene, 1024, 640);
  scene.freeze(10, 50);
  scene.put_past(0, kSquare, flat(-30));
  scene.frames(2);
  EXPECT_GT(scene.viewer->screen().picture().width(), 0.0F);
  scene.viewer->forget_image();
  scene.frames(1);
  EXPECT_EQ(scene.viewer->screen().picture().width(), 0.0F);
  EXPECT_TRUE(scene.viewer->shown_db().empty());
}

TEST(Frozen, TimesTellWhenAPictureCame) {
  ECHO_SCENE(scene, 1024, 640);
  scene.put_image(kSquare, flat(-10));
  scene.frames(1);
  const Viewer::FrameTimes first = scene.viewer->times();
  EXPECT_GT(first.present_end, first.present_start);
  EXPECT_GE(first.present_start, first.draw_start);
  EXPECT_GE(first.draw_end, first.present_end);
  EXPECT_GE(first.shown, first.draw_end);
  EXPECT_EQ(first.present_sequence, 1u);
  EXPECT_EQ(first.device_wait_ns, 0);
  scene.frames(1);
  const Viewer::FrameTimes second = scene.viewer->times();
  EXPECT_EQ(second.present_end, second.present_start);
  EXPECT_GE(second.draw_start, first.shown);
  scene.freeze(10, 50);
  scene.put_past(0, kSquare, flat(-20), 42);
  scene.frames(1);
  EXPECT_GT(scene.viewer->times().present_end, scene.viewer->times().present_start);
  EXPECT_EQ(scene.viewer->times().present_sequence, 42u);
}

TEST(Strip, TheTimeTellsNeighboursApart) {
  const auto text = [](double frame_rate_hz) {
    KeptFrames kept;
    kept.frames = 101;
    kept.seconds = 100.0 / frame_rate_hz;
    return cine_time_text(kept, 93);
  };
  EXPECT_EQ(text(50), "\u22120.14 s");
  EXPECT_EQ(text(200), "\u22120.035 s");
  EXPECT_EQ(text(10e3), "\u22120.0007 s");
  EXPECT_EQ(text(10.05e3), "\u22120.0007 s");
}

TEST(Strip, ScrubsToTheNearestFrameInTime) {
  ECHO_SCENE(scene, 1600, 900);
  scene.freeze(101, 50);
  // A gap: the later half of the time holds a tenth of the frames.
  for (std::size_t i = 0; i < 101; ++i) {
    const double t = i < 90 ? -2.0 + static_cast<double>(i) / 90.0 : -1.0 + static_cast<double>(i - 90) / 10.0;
    scene.state.kept.times_s[i] = static_cast<float>(t);
  }
  scene.frames(2);
  hold(scene, track_x(scene, 0.25), track_y(scene), true);
  EXPECT_EQ(scene.state.cine.index, 45u);
  EXPECT_EQ(scene.cine_changed, 1);
  hold(scene, track_x(scene, 0.75), track_y(scene), true);
  EXPECT_EQ(scene.state.cine.index, 95u);
  hold(scene, track_x(scene, 2.0), track_y(scene), true);
  EXPECT_EQ(scene.state.cine.index, 100u);
  hold(scene, track_x(scene, 2.0), track_y(scene), false);
  hold(scene, track_x(scene, 0.0), track_y(scene), false);  // not held: only looks
  EXPECT_EQ(scene.state.cine.index, 100u);
  EXPECT_EQ(scene.freezes, 0);
}

// Returns the part of a picture of the window.
std::vector<std::uint8_t> part(const RgbImage& shot, const Rect& r) {
  std::vector<std::uint8_t> pixels;
  for (int y = static_cast<int>(r.y0); y < static_cast<int>(r.y1); ++y) {
    const auto from = static_cast<std::size_t>(y * shot.width + static_cast<int>(r.x0)) * 3;
    const auto to = static_cast<std::size_t>(y * shot.width + static_cast<int>(r.x1)) * 3;
    pixels.insert(pixels.end(), shot.rgb.begin() + static_cast<std::ptrdiff_t>(from),
                  shot.rgb.begin() + static_cast<std::ptrdiff_t>(to));
  }
  return pixels;
}

// Ticks at missing frames, the mean level above the track, the number of the frame under the pointer.
TEST(Strip, ShowsMissingFramesLevelsAndTheFrameUnderThePointer) {
  ECHO_SCENE(scene, 1600, 900);
  scene.freeze(101, 50);
  KeptFrames& kept = scene.state.kept;
  for (std::size_t i = 0; i < 101; ++i) kept.stamps.push_back({.sequence = 1000 + i, .source_index = i});
  kept.levels_db.assign(101, 40.0F);
  scene.frames(2);
  const Rect track = scene.rect("cine_track");
  const Rect above{track.x0, track.y0 - 14, track.x1, track.y0 - 2};
  const float half = track_x(scene, 0.505);
  const Rect left{track.x0 + 20, track.y0, half - 4, track.y1 - 20}, at{half - 4, track.y0 - 1, half + 4, track.y0 + 2};
  const RgbImage plain = scene.shot();
  for (std::size_t i = 51; i < 101; ++i) kept.stamps[i].sequence += 3;
  scene.frames(2);
  const RgbImage ticked = scene.shot();
  EXPECT_NE(part(ticked, at), part(plain, at)) << "three frames are missing before the 52nd";
  EXPECT_EQ(part(ticked, left), part(plain, left)) << "and none elsewhere";
  for (std::size_t i = 0; i < 101; ++i) kept.levels_db[i] = 40.0F + 0.1F * static_cast<float>(i);
  scene.frames(2);
  EXPECT_NE(part(scene.shot(), above), part(ticked, above)) << "the level rises";
  kept.levels_db.clear();
  scene.frames(2);
  const RgbImage away = scene.shot();
  hold(scene, track_x(scene, 0.2), track_y(scene), false);
  const Rect below{track.x0, track.y0 + 16, track.x1, track.y1};
  EXPECT_NE(part(scene.shot(), below), part(away, below)) << "its number";
}

TEST(Strip, ADragWhileLiveFreezesAndThenSeeks) {
  ECHO_SCENE(scene, 1600, 900);
  scene.freeze(1000, 50);
  scene.state.run = RunState::live;
  scene.frames(2);
  const std::size_t before = scene.state.cine.index;
  hold(scene, track_x(scene, 0.5), track_y(scene), false);
  hold(scene, track_x(scene, 0.5), track_y(scene), true);
  EXPECT_EQ(scene.freezes, 1);
  EXPECT_EQ(scene.state.cine.index, before);
  hold(scene, track_x(scene, 0.5), track_y(scene), false);  // released before the application froze
  scene.state.run = RunState::frozen;
  scene.frames(1);
  EXPECT_NEAR(static_cast<double>(scene.state.cine.index), 499.5, 2.0);
  EXPECT_EQ(scene.cine_changed, 1);
  EXPECT_EQ(scene.freezes, 1);
}

TEST(Strip, KeysAndButtonsStep) {
  ECHO_SCENE(scene, 1600, 900);
  scene.freeze(100, 50);
  scene.frames(2);
  scene.press(Key::left);
  EXPECT_EQ(scene.state.cine.index, 98u);
  scene.press(Key::right);
  scene.press(Key::right);
  EXPECT_EQ(scene.state.cine.index, 99u);
  EXPECT_EQ(scene.cine_changed, 2);  // the last one changed nothing
  scene.press(Key::home);
  EXPECT_EQ(scene.state.cine.index, 0u);
  scene.press(Key::left);
  EXPECT_EQ(scene.state.cine.index, 0u);
  scene.press(Key::end);
  EXPECT_EQ(scene.state.cine.index, 99u);
  scene.click("first");
  EXPECT_EQ(scene.state.cine.index, 0u);
  scene.click("forward");
  EXPECT_EQ(scene.state.cine.index, 1u);
  scene.click("last");
  scene.click("back");
  EXPECT_EQ(scene.state.cine.index, 98u);
  scene.press(Key::p);
  EXPECT_TRUE(scene.state.cine.playing);
  EXPECT_TRUE(scene.viewer->wants_frame());
  scene.press(Key::left);  // a step ends playing
  EXPECT_FALSE(scene.state.cine.playing);
  scene.click("play");
  EXPECT_TRUE(scene.state.cine.playing);
  scene.click("speed/0.25×");
  EXPECT_DOUBLE_EQ(scene.state.cine.speed, 0.25);
  scene.click("freeze");
  EXPECT_EQ(scene.freezes, 1);
  EXPECT_TRUE(scene.state.cine.keep_acquiring);
  scene.click("cine_more");
  scene.click("cine_more/0");
  EXPECT_FALSE(scene.state.cine.keep_acquiring);
}

TEST(Strip, MarksAreSetDraggedAndReset) {
  ECHO_SCENE(scene, 1600, 900);
  scene.freeze(101, 50);
  scene.frames(2);
  Cine& cine = scene.state.cine;
  cine.index = 30;
  scene.press(Key::i);
  EXPECT_EQ(cine.mark_in, 30u);
  cine.index = 60;
  scene.press(Key::o);
  EXPECT_EQ(cine.mark_out, 60u);
  scene.frames(1);
  const Rect in = scene.rect("mark_in");
  EXPECT_NEAR(in.cx(), track_x(scene, 0.3), 1.5F);
  hold(scene, in.cx(), in.cy(), false);
  hold(scene, in.cx(), in.cy(), true);
  hold(scene, track_x(scene, 0.5), in.cy(), true);
  EXPECT_EQ(cine.mark_in, 50u);
  hold(scene, track_x(scene, 0.9), in.cy(), true);  // not past the other one
  EXPECT_EQ(cine.mark_in, 59u);
  hold(scene, track_x(scene, 0.9), in.cy(), false);
  EXPECT_EQ(cine.index, 60u);  // the playhead stays where it was
  scene.click("mark_in", true);
  EXPECT_EQ(cine.mark_in, 0u);
  scene.click("mark_out", true);
  EXPECT_EQ(cine.mark_out, 100u);
  scene.press(Key::o, true);  // with Ctrl it opens a file
  EXPECT_EQ(cine.mark_out, 100u);
}

TEST(Strip, IndexAndMarksStayWithinTheKeptFrames) {
  ECHO_SCENE(scene, 1024, 640);
  scene.freeze(100, 50);
  scene.frames(1);
  scene.state.cine.index = 400;
  scene.state.cine.mark_out = 400;
  scene.frames(1);
  EXPECT_EQ(scene.state.cine.index, 99u);
  EXPECT_EQ(scene.state.cine.mark_out, 99u);
  EXPECT_EQ(scene.cine_changed, 1);
}

TEST(Strip, NothingHappensWhereItSaysWhyNot) {
  ECHO_SCENE(scene, 1600, 900);
  scene.freeze(100, 50);
  const auto try_everything = [&] {
    scene.frames(2);
    for (const Key key : {Key::left, Key::home, Key::p, Key::i}) scene.press(key);
    for (const char* id : {"first", "back", "play", "speed/2×"}) scene.click(id);
    EXPECT_EQ(scene.cine_changed, 0);
    EXPECT_EQ(scene.state.cine.index, 99u);
    EXPECT_FALSE(scene.state.cine.compare);
  };
  scene.state.run = RunState::live;
  EXPECT_EQ(why_no_past(scene.state), "Freeze first (Space).");
  try_everything();
  scene.state.run = RunState::frozen;
  scene.state.kept.why_not = "Too little memory.";
  EXPECT_EQ(why_no_past(scene.state), "Too little memory.");
  EXPECT_EQ(why_no_comparison(scene.state), "Too little memory.");
  scene.press(Key::x);
  scene.click("compare");
  try_everything();
  scene.click("cine_track");
  EXPECT_EQ(scene.cine_changed, 0);
  scene.state.run = RunState::fault;
  scene.state.kept.why_not.clear();
  EXPECT_EQ(why_no_past(scene.state), "The stream has stopped.");
  try_everything();
  EXPECT_GT(scene.rect("cine_track").width(), 0.0F);  // it stays visible
  scene.click("freeze");
  scene.press(Key::space);
  EXPECT_EQ(scene.freezes, 0);
}

TEST(Strip, FitsEverySizeWithoutOpenGlErrors) {
  struct Size {
    int width, height;
    double scale;
  };
  for (const Size& size : {Size{1024, 640, 1}, Size{1600, 900, 1}, Size{3840, 2160, 2}, Size{800, 480, 1}}) {
    ECHO_SCENE(scene, size.width, size.height, size.scale);
    scene.freeze(1000, 50);
    scene.put_past(0, kSquare, flat(-30));
    scene.frames(2);
    scene.press(Key::x);
    scene.put_past(1, kSquare, flat(-10));
    scene.frames(2);
    EXPECT_TRUE(scene.state.cine.compare);
    const Rect track = scene.rect("cine_track");
    float right = 0;
    for (const char* id : {"first", "back", "freeze", "forward", "last", "play", "speed", "speed/0.1×",
                           "keep_acquiring", "compare", "picture_button", "save_menu", "record", "cine_more"}) {
      const Rect r = scene.rect(id);
      if (r.width() < 1) continue;  // in the menu, or the other form of the speeds
      EXPECT_GE(r.x0, right) << id << " at " << size.width;
      EXPECT_LE(r.x1, track.x1) << id << " at " << size.width;
      right = r.x1;
    }
    scene.tap(Key::f5);
    EXPECT_EQ(scene.gl_error(), 0);
  }
}

}  // namespace
}  // namespace echoloop::testing::cine_test
