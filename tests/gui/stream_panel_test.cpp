// The stream panel: every control changes what it should, and numbers and gauges show the state.
#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/panels/cine_actions.h"
#include "gui/stream_scene.h"
#include "gui/toolkit/theme.h"

namespace echoloop::testing::stream_panel_test {
namespace {

constexpr int kFlat = 6;   // how far off the colour of a filled area may be
constexpr int kThin = 70;  // that of letters and thin lines, which cover pixels in part

// How many pixels of r have about this colour.
int count_color(const RgbImage& p, const Rect& r, ImU32 color, int tolerance) {
  const int want[3] = {static_cast<int>(color & 0xFF), static_cast<int>((color >> 8) & 0xFF),
                       static_cast<int>((color >> 16) & 0xFF)};
  int count = 0;
  for (int y = std::max(0, static_cast<int>(r.y0)); y < std::min(p.height, static_cast<int>(r.y1)); ++y) {
    for (int x = std::max(0, static_cast<int>(r.x0)); x < std::min(p.width, static_cast<int>(r.x1)); ++x) {
      const auto at = static_cast<std::size_t>((y * p.width + x) * 3);
      bool same = true;
      for (std::size_t i = 0; i < 3; ++i) same = same && std::abs(p.rgb[at + i] - want[i]) <= tolerance;
      count += same ? 1 : 0;
    }
  }
  return count;
}

TEST(StreamPanel, EveryPolicyCanBeChosen) {
  ECHO_SCENE(scene, 1600, 900);
  scene.frames(2);
  for (const auto& [id, policy] :
       {std::pair{"policy/Stop", RingPolicy::error}, std::pair{"policy/Drop newest", RingPolicy::drop_newest},
        std::pair{"policy/Drop oldest", RingPolicy::drop_oldest}, std::pair{"policy/Block", RingPolicy::block}}) {
    scene.click(id);
    EXPECT_EQ(scene.state.stream.policy, policy) << id;
  }
  EXPECT_EQ(scene.stream_changed, 4);
}

TEST(StreamPanel, SlotsMemoryAndLanes) {
  ECHO_SCENE(scene, 1600, 900);
  fill_stream(scene.state);
  scene.frames(2);
  scene.click("more_stream");
  scene.frames(1);
  scene.click("slots");
  scene.click("slots/6");
  EXPECT_EQ(scene.state.stream.slots, 64);
  scene.click("host_memory");
  scene.click("host_memory/3");
  EXPECT_EQ(scene.state.stream.host_memory, HostMemory::mapped);
  scene.click("streams/Serial");
  EXPECT_EQ(scene.state.stream.streams, StreamMode::serial);
  scene.click("lanes/4");
  EXPECT_EQ(scene.state.stream.lanes, 4);
  EXPECT_EQ(scene.stream_changed, 4);
}

TEST(StreamPanel, FrameWaitIsOfAScanner) {
  ECHO_SCENE(scene, 1600, 900);
  scene.frames(2);
  scene.click("more_stream");
  scene.frames(1);
  EXPECT_EQ(scene.rect("frame_wait/Spin").width(), 0.0F);
  scene.state.scanner = LiveStatus{};
  scene.frames(2);
  scene.click("frame_wait/Spin");
  EXPECT_EQ(scene.state.stream.frame_wait, FrameWait::spin);
  EXPECT_EQ(scene.stream_changed, 1);
}

TEST(StreamPanel, ControlsWithoutEffectStay) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.no_effect = {.host_memory = "Why.", .streams = "Why.", .lanes = "Why.", .reference = {}};
  scene.frames(2);
  scene.click("more_stream");
  scene.frames(1);
  const StreamSettings before = scene.state.stream;
  scene.click("host_memory");
  EXPECT_EQ(scene.rect("host_memory/0").width(), 0.0F);  // no list
  scene.click("streams/Serial");
  scene.click("lanes/4");
  EXPECT_EQ(scene.state.stream, before);
  EXPECT_EQ(scene.stream_changed, 0);
  scene.state.no_effect = {};
  scene.state.device.backend = "CPU";  // the reasons come from the application alone
  scene.frames(2);
  scene.click("lanes/4");
  EXPECT_EQ(scene.state.stream.lanes, 4);
}

TEST(StreamPanel, DelayIsDraggedTypedAndSwitchedOff) {
  ECHO_SCENE(scene, 1600, 900);
  scene.frames(2);
  scene.click("more_stream");
  scene.frames(1);
  scene.drag("pace_ms", 0.05F, 0.9F);  // from the label
  EXPECT_EQ(scene.state.stream.pace_ms, 0.0);
  scene.drag("pace_ms", 0.58F, 0.999F);
  EXPECT_NEAR(scene.state.stream.pace_ms, 100.0, 5.0);
  scene.drag("pace_ms", 0.6F, 0.0F);
  EXPECT_EQ(scene.state.stream.pace_ms, 0.0);
  scene.click("pace_ms", false, true);
  scene.type("2,54");
  scene.click("panel_timings");  // leaving the field accepts
  EXPECT_DOUBLE_EQ(scene.state.stream.pace_ms, 2.5);
  const int changes = scene.stream_changed;
  scene.click("pace_ms", true);
  EXPECT_EQ(scene.state.stream.pace_ms, 0.0);
  EXPECT_EQ(scene.stream_changed, changes + 1);
}

TEST(StreamPanel, LostFramesAreRedAndOnlyThose) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.numbers.counts.duplicates = 7;
  scene.frames(2);
  const auto red = [&](const std::string& counter) {
    scene.frames(1);
    return count_color(scene.shot(), scene.rect("count/" + counter), theme::kRed, kThin);
  };
  for (const char* counter : {"Produced", "Processed", "Dropped", "Refused", "In flight", "Released", "Shown", "Gaps",
                              "Duplicates", "Errors"}) {
    ASSERT_GT(scene.rect(std::string("count/") + counter).width(), 0.0F) << counter;
    EXPECT_EQ(red(counter), 0) << counter;
  }
  scene.state.numbers.counts.dropped = 88;
  scene.state.numbers.counts.refused = 88;
  scene.state.numbers.counts.sequence_gaps = 88;
  scene.state.numbers.errors = 88;
  for (const char* counter : {"Dropped", "Refused", "Gaps", "Errors"}) EXPECT_GT(red(counter), 3) << counter;
  EXPECT_EQ(red("Duplicates"), 0);
}

// Without new images the latency of the last ones is not that of now, and the newest frame is not of now.
TEST(StreamAtRest, ShowsNoFiguresAsIfTheyWereOfNow) {
  ECHO_SCENE(scene, 1600, 900);
  const auto bar = [&](double p95_ms) {
    scene.state.numbers.latency.recent.p95_ms = p95_ms;
    scene.frames(2);
    RgbImage shot = scene.shot();
    shot.rgb.resize(3U * 1600U * 44U);  // the status bar
    return shot.rgb;
  };
  const auto follows = [&] { return bar(1.1) != bar(88.8); };
  scene.frames(2);
  EXPECT_TRUE(follows());
  EXPECT_EQ(newest_name(scene.state), "now");
  const auto expect_rest = [&](const char* of) {
    EXPECT_FALSE(follows()) << of;
    EXPECT_EQ(newest_name(scene.state), "newest") << of;
  };
  scene.state.numbers.idle = true;
  expect_rest("idle");
  scene.state.numbers.idle = false;
  scene.state.run = RunState::frozen;
  expect_rest("frozen");
}

TEST(StreamPanel, RefusalMarksItsSlot) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.run = RunState::fault;
  scene.state.stream.policy = RingPolicy::error;
  RingRefusal refusal{};
  refusal.slot = 2;
  refusal.copying = true;
  refusal.counts.slots = 8;
  refusal.counts.slots_reading = 1;
  refusal.counts.slots_ready = 7;
  scene.state.notices.fault = FaultNotice{.title = "Stopped", .detail = "", .can_restart = true, .refusal = refusal};
  scene.state.numbers.counts.slots_reading = scene.state.numbers.counts.slots_ready =
      0;  // since then the ring has run empty
  scene.frames(2);
  const Rect choice = scene.rect("slots");
  const Rect gauge = scene.rect("gauge");
  const float cell = gauge.width() / 8;
  const RgbImage shot = scene.shot();
  EXPECT_GT(count_color(shot, choice, theme::kRed, kThin), 10);  // "8 of 8"
  for (int i = 0; i < 8; ++i) {
    const float middle = gauge.x0 + (static_cast<float>(i) + 0.5F) * cell;
    const Rect r{middle - 4, gauge.y0 - 3, middle + 4, gauge.y1 + 3};
    const ImU32 color = i == 2 ? theme::kStageColors[static_cast<std::size_t>(Stage::upload)] : theme::kAccent;
    EXPECT_GT(count_color(shot, r, color, kFlat), 80) << i;
    EXPECT_EQ(count_color(shot, r, theme::kRed, kFlat) > 0, i == 2) << i;
  }
}

TEST(StreamPanel, PlotsFollowTheirNumbers) {
  ECHO_SCENE(scene, 1600, 900);
  scene.frames(2);
  const auto ink = [&](const char* id) {  // what is drawn on the plot's ground
    scene.frames(1);
    const RgbImage p = scene.shot();
    const Rect r = scene.rect(id);
    int lit = 0;
    for (int y = static_cast<int>(r.y0) + 1; y < static_cast<int>(r.y1) - 1; ++y) {
      for (int x = static_cast<int>(r.x0) + 2; x < static_cast<int>(r.x1) - (id == std::string("latency") ? 52 : 2);
           ++x) {  // its labels are to the right
        lit += p.rgb[static_cast<std::size_t>((y * p.width + x) * 3 + 2)] > 60 ? 1 : 0;
      }
    }
    return lit;
  };
  EXPECT_EQ(ink("occupancy"), 0);
  scene.state.numbers.occupancy.assign(100, 4.0F);
  EXPECT_GT(ink("occupancy"), 100);
  EXPECT_GT(ink("latency"), 100);
  scene.click("latency_shown");
  EXPECT_EQ(ink("latency"), 0);  // nothing known of it yet
  scene.state.numbers.shown_latency.history_ms.assign(100, 12.0F);
  EXPECT_GT(ink("latency"), 100);
  scene.click("latency_ready");
  scene.state.numbers.latency.history_ms.clear();
  scene.state.numbers.latency.recent = {};
  EXPECT_EQ(ink("latency"), 0);
}

TEST(StreamPanel, PlotsBeginWhereSomethingIsKnown) {
  ECHO_SCENE(scene, 1600, 900);
  const auto lit_from = [&] {  // share of the plot's width
    scene.frames(2);
    const RgbImage p = scene.shot();
    const Rect r = scene.rect("occupancy");
    for (int x = static_cast<int>(r.x0) + 2; x < static_cast<int>(r.x1) - 2; ++x) {
      for (int y = static_cast<int>(r.y0) + 1; y < static_cast<int>(r.y1) - 1; ++y) {
        if (p.rgb[static_cast<std::size_t>((y * p.width + x) * 3 + 2)] > 60) {
          return (static_cast<float>(x) - r.x0) / r.width();
        }
      }
    }
    return 1.0F;
  };
  const float nothing = std::numeric_limits<float>::quiet_NaN();
  scene.state.numbers.occupancy.assign(200, 4.0F);
  EXPECT_LT(lit_from(), 0.05F);
  std::fill_n(scene.state.numbers.occupancy.begin(), 150, nothing);
  EXPECT_NEAR(lit_from(), 0.75F, 0.03F);
  scene.state.numbers.latency.history_ms.assign(200, nothing);
  EXPECT_NEAR(lit_from(), 0.75F, 0.03F);
  scene.state.numbers.occupancy.assign(200, nothing);
  EXPECT_EQ(lit_from(), 1.0F);
}

}  // namespace
}  // namespace echoloop::testing::stream_panel_test
