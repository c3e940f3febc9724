// The timeline in its panel: zoom, drag, hover, pause, buttons; the bars that say which prediction is met.
#include <cmath>

#include "gui/panels/panels.h"
#include "gui/stream_scene.h"
#include "gui/toolkit/theme.h"
#include "gui/toolkit/view_settings.h"

namespace echoloop::testing::timeline_test {
namespace {

// Pixels of a row's blocks, by colour.
int inked(const RgbImage& p, const Rect& area, std::size_t row, Stage stage) {
  const ImU32 color = theme::kStageColors[static_cast<std::size_t>(stage)];
  const int y = static_cast<int>(area.y0) + static_cast<int>(row) * 16 + 7;
  int count = 0;
  for (int x = static_cast<int>(area.x0); x < static_cast<int>(area.x1); ++x) {
    const auto at = static_cast<std::size_t>((y * p.width + x) * 3);
    count += std::abs(p.rgb[at] - static_cast<int>(color & 0xFF)) < 4 &&
                     std::abs(p.rgb[at + 1] - static_cast<int>((color >> 8) & 0xFF)) < 4
                 ? 1
                 : 0;
  }
  return count;
}

TEST(TimelinePanel, AsksForSpansOnlyWhileTheyAreSeen) {
  ECHO_SCENE(scene, 1600, 900);
  fill_stream(scene.state);
  scene.frames(2);
  EXPECT_TRUE(scene.state.timeline_wanted);
  reveal(scene, "panel_timeline");
  scene.click("timeline_pause");
  EXPECT_FALSE(scene.state.timeline_wanted);
  scene.click("timeline_pause");
  EXPECT_TRUE(scene.state.timeline_wanted);
  scene.click("panel_timeline");
  EXPECT_FALSE(scene.state.timeline_wanted);
}

TEST(TimelinePanel, AsksForNothingBehindThePresentation) {
  ECHO_SCENE(scene, 1600, 900);
  scene.frames(2);
  EXPECT_TRUE(scene.state.timeline_wanted);
  scene.press(Key::f5);
  EXPECT_FALSE(scene.state.timeline_wanted);
  scene.press(Key::f5);
  EXPECT_TRUE(scene.state.timeline_wanted);
}

TEST(TimelinePanel, AsksForNothingWhereItHasNoRoom) {
  ECHO_SCENE(scene, 800, 480);
  scene.state.timeline_wanted = true;
  scene.frames(2);
  EXPECT_FALSE(scene.state.timeline_wanted);
}

TEST(TimelinePanel, PauseKeepsWhatIsOnScreen) {
  ECHO_SCENE(scene, 1600, 900);
  fill_stream(scene.state);
  scene.frames(2);
  reveal(scene, "timeline");
  const auto copies = [&] {
    scene.frames(1);
    return inked(scene.shot(), scene.rect("timeline"), 1, Stage::upload);
  };
  const int before = copies();
  EXPECT_GT(before, 30);
  scene.click("timeline_pause");
  scene.state.numbers.spans = script_spans({.copy_ms = 0.8, .kernels_ms = 0.1});
  EXPECT_EQ(copies(), before);
  scene.click("timeline_pause");
  EXPECT_GT(copies(), 2 * before);
  scene.state.numbers.spans.clear();
  EXPECT_EQ(copies(), 0);
  scene.click("timeline_pause");  // nothing to keep
  EXPECT_TRUE(scene.state.timeline_wanted);
}

TEST(TimelinePanel, ControlWheelZoomsDragMovesDoubleClickFits) {
  ECHO_SCENE(scene, 1600, 900);
  fill_stream(scene.state);
  scene.frames(2);
  reveal(scene, "timeline");
  const Rect area = scene.rect("timeline");
  const auto copies = [&] { return inked(scene.shot(), area, 1, Stage::upload); };
  const int fit = copies();
  const float x = area.x0 + 4;  // in the first frame's copy
  InjectedInput input;
  input.mouse_x = x;
  input.mouse_y = area.cy();
  input.control = true;
  scene.inject(input);
  input.wheel = 10;
  scene.inject(input);  // the second shows the new zoom
  input.control = false;
  input.wheel = 0;
  EXPECT_EQ(scene.rect("timeline"), area);  // the column did not scroll
  const int zoomed = copies();
  EXPECT_GT(zoomed, fit + 10);
  ASSERT_GT(scene.rect("timeline_fit").width(), 0.0F);
  scene.drag("timeline", 0.9F, 0.05F);
  EXPECT_LT(copies(), zoomed / 2);  // the copy has moved out to the left
  scene.drag("timeline", 0.05F, 0.9F);
  EXPECT_NEAR(copies(), zoomed, 2);
  for (const bool down : {false, true, false, true, false}) {
    input.left = down;
    scene.viewer->inject(input);
    scene.frames(1);
  }
  scene.frames(2);
  EXPECT_EQ(scene.rect("timeline_fit").width(), 0.0F);
  EXPECT_EQ(copies(), fit);
}

TEST(TimelinePanel, HoverTellsTheTimes) {
  ECHO_SCENE(scene, 1600, 900);
  fill_stream(scene.state);
  scene.frames(2);
  reveal(scene, "timeline");
  const Rect area = scene.rect("timeline");
  scene.move(area.x0 + 6, area.y0 + 16 + 7);  // the first frame's copy
  const RgbImage before = scene.shot();
  const auto tip_pixels = [&] {
    const RgbImage after = scene.shot();
    int tip = 0;
    for (std::size_t i = 0; i < after.rgb.size(); i += 3) {
      tip += after.rgb[i] == 0x2A && after.rgb[i + 1] == 0x30 && after.rgb[i + 2] == 0x36 ? 1 : 0;
      tip -= before.rgb[i] == 0x2A && before.rgb[i + 1] == 0x30 && before.rgb[i + 2] == 0x36 ? 1 : 0;
    }
    return tip;
  };
  EXPECT_TRUE(scene.frames_until([&] { return tip_pixels() > 5000; }));
  EXPECT_EQ(exact_ms(0.24), "0.240");
  EXPECT_EQ(exact_ms(17.306), "17.31");
  EXPECT_EQ(exact_ms(1234.4), "1\u202F234");
}

TEST(TimelinePanel, ButtonsSaveAndChooseHowMany) {
  const auto settings = std::filesystem::temp_directory_path() / "echoloop_timeline_test_settings";
  std::filesystem::remove(settings);
  {
    ECHO_SCENE(scene, 1600, 900, 1.0, settings);
    scene.frames(2);
    reveal(scene, "save_csv");
    scene.click("save_csv");
    EXPECT_TRUE(scene.saved_timings.empty());  // nothing has been timed
    fill_stream(scene.state);
    scene.frames(2);
    scene.click("save_csv");
    scene.click("save_trace");
    EXPECT_EQ(scene.saved_timings, (std::vector<TimingFile>{TimingFile::csv, TimingFile::chrome_trace}));
    const Rect area = scene.rect("timeline");
    const int five = inked(scene.shot(), area, 1, Stage::upload);
    scene.click("timeline_frames/2");
    EXPECT_NEAR(inked(scene.shot(), area, 1, Stage::upload), five, 0.25 * five);  // fewer, wider
    scene.click("timeline_frames/20");
    scene.click("latency_shown");
    EXPECT_EQ(scene.gl_error(), 0);
  }
  const ViewSettings remembered = load_view_settings(settings);
  EXPECT_EQ(remembered.timeline_frames, 20);
  std::filesystem::remove(settings);
}

TEST(TimelinePanel, PeriodMeetsItsPrediction) {
  ECHO_SCENE(scene, 1600, 900);
  SpanScript script;
  script.period_ms = 0.74;
  fill_stream(scene.state, script);
  scene.frames(2);
  reveal(scene, "time_period");
  const auto bar_end = [&](const char* id) {  // the right end of what is drawn in the row's bar
    const Rect r = scene.rect(id);
    const RgbImage p = scene.shot();
    int end = 0;
    for (int x = static_cast<int>(r.x0) + 152; x < static_cast<int>(r.x1) - 52; ++x) {
      const auto at = static_cast<std::size_t>((static_cast<int>(r.cy() + 2) * p.width + x) * 3);
      if (p.rgb[at + 2] > 0x80) end = x;
    }
    return end;
  };
  EXPECT_NEAR(bar_end("time_period"), bar_end("time_serial"), 2);
  scene.state.numbers.timing.period_ms = 0.5;
  scene.frames(1);
  EXPECT_NEAR(bar_end("time_period"), bar_end("time_overlap"), 2);
  EXPECT_LT(bar_end("time_period"), bar_end("time_serial") - 20);
}

}  // namespace
}  // namespace echoloop::testing::timeline_test
