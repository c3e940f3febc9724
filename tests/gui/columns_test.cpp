// The faults' panel, and how much of both columns is in view.
#include <cmath>
#include <utility>

#include "core/stream_settings.h"
#include "gui/bare_screen.h"
#include "gui/stream_scene.h"
#include "gui/toolkit/theme.h"

namespace echoloop::testing::columns_test {
namespace {

// With as many lanes as there can be.
TEST(RightColumnHeight, TheWholeTimelineIsInViewWithoutScrolling) {
  for (const auto& [width, height] : {std::pair{1600, 900}, std::pair{1920, 1080}}) {
    ECHO_SCENE(scene, width, height);
    fill_stream(scene.state);
    scene.state.stream.lanes = kMaxLanes;
    scene.state.numbers.spans = script_spans({.lanes = kMaxLanes});
    scene.frames(2);
    const float bottom = static_cast<float>(height) - theme::kMessageLine;
    for (const char* id : {"count/Errors", "waited", "latency_shown", "latency", "frame_total", "timeline",
                           "timeline_row/8", "save_trace", "time_overlap", "time_period"}) {
      const Rect r = scene.rect(id);
      EXPECT_GT(r.width(), 0.0F) << id;
      EXPECT_LE(r.y1, bottom) << id << " at " << width;
    }
    const float verdict = 32;  // two lines below the numbers
    EXPECT_LE(scene.rect("time_period").y1 + verdict, bottom) << width;
    // What forms and shows the image is in view, its filters in the higher window; the rest is reached by scrolling.
    const char* lowest = height < 1000 ? "map/gray" : "smooth_lateral_m";
    EXPECT_GT(scene.rect(lowest).width(), 0.0F) << width;
    EXPECT_LE(scene.rect(lowest).y1, bottom) << width;
  }
}

// What a low column leaves out is a click away, and a high one shows it by itself.
TEST(RightColumnHeight, RareRowsOfTheStreamAreShownWhereThereIsRoom) {
  for (const auto& [height, shown] : {std::pair{900, false}, std::pair{1080, true}}) {
    ECHO_SCENE(scene, 1920, height);
    scene.frames(2);
    for (const bool now : {shown, !shown, shown}) {
      for (const char* id : {"host_memory", "streams/Serial", "lanes/2", "pace_ms", "memory_device", "memory_host"}) {
        EXPECT_EQ(scene.rect(id).width() > 0, now) << id << " at " << height;
      }
      scene.click("more_stream");
      scene.frames(1);
    }
  }
}

// At the lower end of a short column nothing would seem to happen.
TEST(Columns, APanelThatIsOpenedComesIntoView) {
  ECHO_SCENE(scene, 1024, 640);
  scene.frames(2);
  reveal(scene, "panel_faults");
  const float before = scene.rect("panel_faults").y0;
  scene.click("panel_faults");
  scene.frames(2);
  const Rect head = scene.rect("panel_faults"), first = scene.rect("load_ms");
  ASSERT_GT(first.width(), 0.0F);
  EXPECT_LT(head.y0, before - 40);
  EXPECT_GT(head.y0, 40.0F) << "its head is still seen";
  EXPECT_LT(first.y1, 640.0F - theme::kMessageLine);
  scene.click("panel_faults");  // folding moves nothing that need not move
  scene.frames(2);
  EXPECT_GT(scene.rect("panel_faults").width(), 0.0F);
}

// Whatever opens it: here the tool bar, with the column scrolled to its end.
TEST(Columns, APanelThatTheToolBarOpensComesIntoView) {
  for (const auto& [width, height] : {std::pair{1024, 640}, std::pair{1600, 700}}) {
    WindowState state = plausible_state();
    fill_stream(state);
    BareScreen window({.width = width, .height = height}, std::move(state), test_image());
    for (int i = 0; i < 3; ++i) window.frame();
    const auto click = [&](const char* id) { window.click(window.rect_of(id).cx(), window.rect_of(id).cy()); };
    if (window.rect_of("timeline").width() == 0) click("panel_timeline");
    for (int i = 0; i < 20; ++i) window.frame();
    const Rect column = window.rect_of("panel_stream");
    window.wheel(column.cx(), 300, -60);
    ASSERT_LT(window.rect_of("panel_stream").y0, theme::kStatusBar - 20) << "scrolled away";
    click("dock/measure");
    for (int i = 0; i < 3; ++i) window.frame();
    EXPECT_GE(window.rect_of("close_measure").y0, theme::kStatusBar) << width;
    click("close_measure");
    window.frame();
    window.wheel(column.cx(), 300, -60);
    const float scrolled = window.rect_of("panel_stream").y0;
    for (int i = 0; i < 3; ++i) window.frame();
    EXPECT_EQ(window.rect_of("panel_stream").y0, scrolled) << "what is open already moves nothing";
  }
}

TEST(Columns, TheTimelineIsInViewAsAWholeOnceItIsOpened) {
  WindowState state = plausible_state();
  fill_stream(state);
  BareScreen window({.width = 1280, .height = 800}, std::move(state), test_image());
  for (int i = 0; i < 3; ++i) window.frame();
  ASSERT_EQ(window.rect_of("timeline").width(), 0.0F);
  const Rect head = window.rect_of("panel_timeline");
  window.click(head.cx(), head.cy());
  for (int i = 0; i < 3; ++i) window.frame();
  EXPECT_GE(window.rect_of("panel_timeline").y0, theme::kStatusBar);
  EXPECT_LE(window.rect_of("time_period").y1, 800.0F - theme::kMessageLine);
}

TEST(Columns, TheWheelScrollsThemAndZoomsTheTimelineWithControl) {
  WindowState state = plausible_state();
  fill_stream(state);
  BareScreen window({.width = 1440, .height = 700}, std::move(state), test_image());
  for (int i = 0; i < 3; ++i) window.frame();
  const Rect stream = window.rect_of("panel_stream");
  window.wheel(stream.cx(), 400, -60);
  const Rect lanes = window.rect_of("timeline");
  ASSERT_GT(lanes.width(), 0.0F);
  window.wheel(lanes.cx(), lanes.cy(), 2, Held::control);
  EXPECT_FALSE(window.screen->settings().transient.timeline.zoom.fit);
  EXPECT_EQ(window.rect_of("timeline").y0, lanes.y0) << "zooming does not scroll";
  const TimelineZoom zoomed = window.screen->settings().transient.timeline.zoom;
  window.wheel(lanes.cx(), lanes.cy(), 2);
  EXPECT_EQ(window.screen->settings().transient.timeline.zoom, zoomed);
  EXPECT_GT(window.rect_of("timeline").y0, lanes.y0 + 40) << "scrolling does not zoom";
}

TEST(Faults, EveryRowOfTheTableHasAControl) {
  ECHO_SCENE(scene, 1600, 900);
  scene.frames(2);
  EXPECT_EQ(scene.rect("load_ms").width(), 0.0F);  // folded at first
  reveal(scene, "panel_faults");
  scene.click("panel_faults");
  const Injection none;
  scene.state.stream.inject.stall_ms = 1.0;  // or "Stall every" has nothing to do
  for (const InjectionSpec& spec : injection_specs()) {
    const std::string id(spec.key);
    const double before = scene.state.stream.inject.*spec.member;
    const int changes = scene.stream_changed;
    reveal(scene, id);
    scene.drag(id, 0.1F, 0.7F);
    const double dragged = scene.state.stream.inject.*spec.member;
    EXPECT_GT(dragged, before) << id;
    EXPECT_LE(dragged, spec.max) << id;
    EXPECT_NEAR(dragged / spec.step, std::round(dragged / spec.step), 1e-6) << id;
    EXPECT_GT(scene.stream_changed, changes) << id;
    EXPECT_EQ(parse_injection(to_text(scene.state.stream.inject)), scene.state.stream.inject) << id;
    scene.click(id, true);
    EXPECT_EQ(scene.state.stream.inject.*spec.member, none.*spec.member) << id;
    if (spec.member == &Injection::stall_ms) scene.state.stream.inject.stall_ms = 1.0;
  }
}

TEST(Faults, BigNumbersAreTypedAndAllGoOff) {
  ECHO_SCENE(scene, 1600, 900);
  scene.frames(2);
  reveal(scene, "panel_faults");
  scene.click("panel_faults");
  reveal(scene, "lost_at");
  scene.click("faults_off");  // nothing is on
  EXPECT_EQ(scene.stream_changed, 0);
  scene.click("error_at", false, true);
  scene.type("1234567.4");
  scene.click("load_ms", true);  // leaving the field accepts
  EXPECT_DOUBLE_EQ(scene.state.stream.inject.error_at, 1'234'567.0);
  const double stall_every = scene.state.stream.inject.stall_every_s;
  scene.drag("stall_every_s", 0.1F, 0.9F);
  EXPECT_EQ(scene.state.stream.inject.stall_every_s, stall_every);  // stalls are off
  const int changes = scene.stream_changed;
  scene.click("faults_off");
  EXPECT_EQ(scene.state.stream.inject, Injection());
  EXPECT_EQ(scene.stream_changed, changes + 1);
}

class RightColumn : public ::testing::TestWithParam<WindowSize> {};

TEST_P(RightColumn, EverythingOpenDrawsAndScrolls) {
  const WindowSize size = GetParam();
  ECHO_SCENE(scene, size.width, size.height, size.scale);
  fill_stream(scene.state);
  scene.state.numbers.counts.produced = 123'456'789;
  scene.state.stream.inject.error_at = 1e12;
  scene.frames(2);
  if (scene.rect("memory_host").width() == 0.0F) scene.click("more_stream");
  scene.frames(2);
  for (const auto& [panel, inside] : {std::pair{"panel_timings", "frame_total"}, std::pair{"panel_faults", "lost_at"},
                                      std::pair{"panel_timeline", "timeline"}}) {
    if (scene.rect(inside).width() > 0.0F) continue;
    reveal(scene, panel);
    scene.click(panel);
  }
  const Rect column = scene.rect("panel_timings");  // a header over the whole width
  for (const char* id :
       {"occupancy", "count/Produced", "data_rate", "waited", "memory_device", "memory_host", "latency",
        "latency_ready", "latency_shown", "timeline", "save_csv", "save_trace", "time_period"}) {
    const Rect r = scene.rect(id);
    EXPECT_GT(r.width(), 0.0F) << id;
    EXPECT_GE(r.x0, column.x0 - 0.5F) << id;
    EXPECT_LE(r.x1, column.x1 + 0.5F) << id;
  }
  const Rect left = scene.rect("panel_faults");
  for (const char* id : {"load_ms", "lost_at"}) {
    const Rect r = scene.rect(id);
    EXPECT_GT(r.width(), 0.0F) << id;
    EXPECT_GE(r.x0, left.x0 - 0.5F) << id;
    EXPECT_LE(r.x1, left.x1 + 0.5F) << id;
  }
  reveal(scene, "time_period");
  EXPECT_LT(scene.rect("time_period").y1, static_cast<float>(size.height));  // the end can be reached
  EXPECT_EQ(scene.gl_error(), 0);
  EXPECT_EQ(scene.shot().width, size.width);
}

INSTANTIATE_TEST_SUITE_P(Sizes, RightColumn,
                         ::testing::Values(WindowSize{1024, 640, 1.0}, WindowSize{1600, 900, 1.0},
                                           WindowSize{3840, 2160, 2.0}));

}  // namespace
}  // namespace echoloop::testing::columns_test
