// What is on screen belongs to the source that is named: the last image of the source before is drawn, but is not the
// image of this one; and no turn of the window waits for a stream that ends, or for a file that is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "gui/bars.h"
#include "gui/scene.h"
#include "gui/turning.h"
#include "support/environment_variable.h"
#include "support/waiting.h"

namespace echoloop::testing::awaited_test {
namespace {

TEST(AwaitedImage, TheImageOfTheSourceBeforeHasNoNumbers) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.marks.list = {{.number = 1, .kind = MarkKind::rectangle, .points = {{-3e-3, 15e-3}, {3e-3, 25e-3}}}};
  scene.put_image(
      kSquare, [](double x_mm, double) { return x_mm > 0 ? -10.0F : -30.0F; }, 7);
  scene.frames(3);
  ASSERT_EQ(scene.viewer->shown_image().stamp.sequence, 7U);
  ASSERT_FALSE(scene.state.image.awaited.has_value());
  ASSERT_FALSE(scene.state.image.measured.regions.empty());
  scene.state.source.name = "RFdata1.mat";
  scene.state.source.phantom.clear();
  scene.state.source.acquisition = scene_acquisition();
  scene.frames(2);
  ASSERT_TRUE(scene.state.image.awaited.has_value());
  EXPECT_EQ(scene.state.image.awaited->shown_of, "Flow phantom");
  EXPECT_EQ(scene.viewer->shown_image().number, 0U);
  EXPECT_TRUE(scene.viewer->shown_db().empty());
  EXPECT_TRUE(scene.state.image.measured.regions.empty());
  EXPECT_EQ(badge_state(scene.state), RunState::opening);
  scene.tap(Key::s);
  scene.tap(Key::space);
  scene.tap(Key::r);
  EXPECT_EQ(scene.pictures, 0);
  EXPECT_EQ(scene.freezes, 0);
  EXPECT_EQ(scene.records, 0);
  scene.put_image(
      kSquare, [](double, double) { return -20.0F; }, 0);
  scene.frames(4);
  EXPECT_FALSE(scene.state.image.awaited.has_value());
  EXPECT_NE(scene.viewer->shown_image().number, 0U);
  ASSERT_TRUE(testing::wait_until([&] {  // numbers of a live image come a few times a second
    scene.frames(1);
    return !scene.state.image.measured.regions.empty();
  }));
}

// The name of a sender goes with its frames.
TEST(AwaitedImage, AScannersNameIsThatOfTheFrameOnScreen) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.source.live = true;
  scene.state.scanner.emplace();
  scene.state.scanner->link = LiveLink::connected;
  scene.state.scanner->names = {{.first = 0, .name = "Scanner A"}, {.first = 12, .name = "Scanner B"}};
  for (const auto& [sequence, name] : {std::pair(3U, "Scanner A"), {11U, "Scanner A"}, {12U, "Scanner B"}}) {
    scene.state.source.name = "the newest sender";
    scene.put_image(
        kSquare, [](double, double) { return -20.0F; }, sequence);
    scene.frames(1);
    EXPECT_EQ(scene.state.source.name, name) << sequence;
  }
}

class BusyWindow : public WindowTest {
 protected:
  void begin_loaded(double load_ms) {
    Options options = script_options("sim:points");
    options.stream.inject.load_ms = load_ms;
    begin(options);
    ASSERT_TRUE(until([&] { return state().numbers.counts.produced > 0; }));
  }
};

// A frame that takes so long cannot have ended when the turn returns in half of the time.
TEST_F(BusyWindow, ASourceIsReplacedWithoutAWaitForTheFrameUnderWay) {
  constexpr std::chrono::milliseconds kLoad(6000);
  begin_loaded(static_cast<double>(kLoad.count()));
  state().stream.inject = {};
  app().viewer().screen().commands().open_phantom("cyst");
  using Clock = std::chrono::steady_clock;
  Clock::duration longest{};
  const Clock::time_point limit = Clock::now() + std::chrono::seconds(60);
  while (state().source.phantom != "cyst" && Clock::now() < limit) {
    const Clock::time_point began = Clock::now();
    app().turn();
    longest = std::max(longest, Clock::now() - began);
  }
  ASSERT_EQ(state().source.phantom, "cyst");
  EXPECT_LT(longest, kLoad / 2);
  ASSERT_TRUE(until([&] { return app().viewer().shown_image().number != 0; }));
  EXPECT_FALSE(state().image.awaited.has_value());
  EXPECT_EQ(app().viewer().shown_image().acquisition, state().source.acquisition);
}

TEST_F(BusyWindow, AFigureIsWrittenBesideTheTurnsOfTheWindow) {
  const Variable pictures("XDG_PICTURES_DIR", folder().path().string());
  begin(script_options("sim:points"));
  ASSERT_TRUE(until([&] { return state().numbers.shown > 2; }));
  press(Key::s);
  press(Key::s);
  EXPECT_TRUE(state().saving.writing) << "the turns with the commands have not written the files";
  ASSERT_TRUE(until([&] { return !state().saving.writing; }));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder().path()))
    files += entry.path().extension() == ".png" ? 1 : 0;
  EXPECT_EQ(files, 2U) << "each under a name of its own";
  EXPECT_FALSE(state().saving.failed) << state().saving.last;
}

}  // namespace
}  // namespace echoloop::testing::awaited_test
