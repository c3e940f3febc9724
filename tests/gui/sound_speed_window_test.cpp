// The search for the speed of sound in the program's window: found in the background, applied by one click, undone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gui/scene.h"
#include "gui/turning.h"

namespace echoloop::testing::sound_speed_window_test {
namespace {

class SoundSpeedWindow : public WindowTest {
 protected:
  SoundSpeedWindow() {
    Options options = script_options("sim:points,angles_deg=-5/0/5,sound_speed_m_s=1500");
    options.settings = {"sound_speed_m_s=1540", "depth_max_m=0.03", "grid_nx=64", "grid_nz=96"};
    options.history_bytes = std::size_t{64} << 20;
    options.width = 1280;
    options.height = 800;
    begin(options);
  }
  double speed() { return state().params.formation.sound_speed_m_s; }
};

TEST_F(SoundSpeedWindow, IsFoundAppliedAndUndone) {
  ASSERT_TRUE(
      until([&] { return state().numbers.shown > 2 && state().analyses.of<SoundSpeedView>().why_not.empty(); }));
  EXPECT_DOUBLE_EQ(speed(), 1540.0);
  click("sound_speed_find");
  ASSERT_TRUE(until([&] {
    return state().analyses.of<SoundSpeedView>().fraction.has_value() ||
           state().analyses.of<SoundSpeedView>().found.has_value();
  }));
  EXPECT_DOUBLE_EQ(speed(), 1540.0) << "no parameter changes before Apply";
  ASSERT_TRUE(until([&] { return state().analyses.of<SoundSpeedView>().found.has_value(); }));
  const FoundSpeeds found = *state().analyses.of<SoundSpeedView>().found;
  EXPECT_NEAR(found.chosen().peak_m_s, 1500.0, 15.0);
  EXPECT_EQ(found.elements.phi.size(), 41U);
  EXPECT_EQ(found.transmits.phi.size(), 41U) << "three plane waves";
  EXPECT_EQ(found.region, "whole image");
  app_->turn();
  click("sound_speed_apply");
  EXPECT_DOUBLE_EQ(speed(), std::round(found.chosen().peak_m_s));
  EXPECT_TRUE(until([&] { return app_->viewer().shown_image().params.formation.sound_speed_m_s == speed(); }));
  InjectedInput undo;
  undo.keys = {{.key = Key::z, .control = true}};
  app_->viewer().inject(undo);
  EXPECT_TRUE(until([&] { return speed() == 1540.0; }));
  click("sound_speed_close");
  EXPECT_TRUE(until([&] { return !state().analyses.of<SoundSpeedView>().found.has_value(); }));
}

TEST_F(SoundSpeedWindow, SearchesTheSelectedRegionAndCanBeCancelled) {
  ASSERT_TRUE(
      until([&] { return state().numbers.shown > 2 && state().analyses.of<SoundSpeedView>().why_not.empty(); }));
  state().marks.list = {{.number = 4, .kind = MarkKind::rectangle, .points = {{-1e-3, 5e-3}, {1e-3, 25e-3}}}};
  state().marks.selected = 4;
  click("sound_speed_find");
  ASSERT_TRUE(until([&] { return state().analyses.of<SoundSpeedView>().found.has_value(); }));
  EXPECT_EQ(state().analyses.of<SoundSpeedView>().found->region, "region 4");
  // A region beside the image: refused in a line, and nothing runs.
  state().marks.list[0].points = {{0.5, 5e-3}, {0.6, 25e-3}};
  click("sound_speed_find");
  EXPECT_TRUE(until([&] {
    return std::ranges::any_of(state().notices.messages.list(), [](const Message& m) {
      return m.severity == Severity::error && m.text.find("region 4") != std::string::npos;
    });
  }));
  EXPECT_FALSE(state().analyses.of<SoundSpeedView>().fraction.has_value());
  state().marks.list.clear();
  click("sound_speed_find");
  ASSERT_TRUE(until([&] { return state().analyses.of<SoundSpeedView>().fraction.has_value(); }));
  app_->turn();
  click("sound_speed_cancel");
  EXPECT_TRUE(until([&] { return !state().analyses.of<SoundSpeedView>().fraction.has_value(); }));
  EXPECT_FALSE(state().analyses.of<SoundSpeedView>().found.has_value());
}

TEST_F(SoundSpeedWindow, ReasonsWhereThereIsNoSearch) {
  ASSERT_TRUE(
      until([&] { return state().numbers.shown > 2 && state().analyses.of<SoundSpeedView>().why_not.empty(); }));
  state().params.formation.recipe = Recipe::course;
  ASSERT_TRUE(until([&] { return !state().analyses.of<SoundSpeedView>().why_not.empty(); }));
  EXPECT_NE(state().analyses.of<SoundSpeedView>().why_not.find("recipe=course"), std::string::npos);
  click("sound_speed_find");
  EXPECT_FALSE(state().analyses.of<SoundSpeedView>().fraction.has_value());
  EXPECT_FALSE(state().analyses.of<SoundSpeedView>().found.has_value());
}

}  // namespace
}  // namespace echoloop::testing::sound_speed_window_test
