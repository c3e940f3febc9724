// What is on screen belongs to the source that is named: the last image of the source before is drawn, but is not the
// image of this one; and no turn of the window waits for a stream that ends, or for a file that is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "app/session_file.h"
#include "core/param_table.h"
#include "gui/bars.h"
#include "gui/scene.h"
#include "gui/turning.h"
#include "gui/workspace/image_area.h"
#include "support/environment_variable.h"
#include "support/temporary_folder.h"
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
  ASSERT_FALSE(scene.state.measured.regions.empty());
  scene.state.source.name = "RFdata1.mat";
  scene.state.source.phantom.clear();
  scene.state.source.acquisition = scene_acquisition();
  scene.frames(2);
  ASSERT_TRUE(scene.state.image.awaited.has_value());
  EXPECT_EQ(scene.state.image.awaited->shown_of, "Flow phantom");
  EXPECT_EQ(scene.viewer->shown_image().number, 0U);
  EXPECT_TRUE(scene.viewer->shown_db().empty());
  EXPECT_TRUE(scene.state.measured.regions.empty());
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
    return !scene.state.measured.regions.empty();
  }));
}

// By Esc and by click, as soon as the note is there; where there is nothing to return to, neither.
TEST(AwaitedImage, TheNoteOffersToStayOnTheSourceBefore) {
  for (const auto& [width, height] : {std::pair(1600, 900), {1024, 640}}) {
    ECHO_SCENE(scene, width, height);
    scene.put_image(
        kSquare, [](double, double) { return -20.0F; }, 7);
    scene.frames(2);
    scene.state.source.name = "RFdata1.mat";
    scene.state.source.acquisition = scene_acquisition();
    scene.state.opening.former = "Flow phantom";
    ASSERT_TRUE(scene.frames_until([&] { return scene.rect("return").width() > 0; }));
    const Rect button = scene.rect("return");
    EXPECT_GE(button.x0, 0.0F);
    EXPECT_LE(button.x1, static_cast<float>(width));
    scene.tap(Key::escape);
    EXPECT_EQ(scene.cancels, 1);
    scene.click("return");
    EXPECT_EQ(scene.cancels, 2);
    scene.state.opening.former.clear();
    scene.frames(1);
    EXPECT_EQ(scene.rect("return").width(), 0.0F);
    scene.tap(Key::escape);
    EXPECT_EQ(scene.cancels, 2);
  }
}

TEST(AwaitedImage, HowLongItHasTakenIsSaidFromAThirdOfASecondOn) {
  constexpr std::int64_t kBegan = 1'000'000'000;
  EXPECT_FALSE(long_work(kBegan, 4.0, kBegan + kWorkSeen_ns - 1));
  EXPECT_FALSE(long_work(0, 4.0, kBegan));
  const auto work = long_work(kBegan, 6.0, 3 * kBegan);
  ASSERT_TRUE(work);
  EXPECT_EQ(work->text, "2 of about 8 s");
  EXPECT_EQ(work->share, 0.25);
  EXPECT_EQ(long_work(kBegan, 0.0, 4 * kBegan)->text, "3 s");
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
  app().commands().send(command::OpenPhantom{"cyst"});
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

// Frozen or live; the phantom that is opened then takes many seconds for its first image.
class ReturningWindow : public WindowTest {
 protected:
  void open_slow_one() {
    SavedSession slow;
    slow.source = "sim:cyst";
    slow.settings = {"adaptive=minimum_variance", "grid_nx=900", "grid_nz=1800"};
    const std::filesystem::path file = folder().path() / "slow.echoloop.json";
    write_text_file(file, session_json(slow, file).dump());
    app().commands().send(command::OpenFile{file});
    ASSERT_TRUE(
        until([&] { return (state().image.awaited || state().image.coarse) && state().image.work.remaining_s > 0.0; }));
    EXPECT_TRUE(state().marks.list.empty());
    EXPECT_EQ(app().viewer().shown_image().number, 0U);
    ASSERT_TRUE(until([&] { return app().viewer().screen().ui().rect_of("return").width() > 0; }));
  }
  // Other parameters, a mark, a part of the image.
  void set() {
    begin(script_options("sim:points"));
    ASSERT_TRUE(until([&] { return state().numbers.shown > 2; }));
    set_from_text(state().params, "f_number=2.5");
    set_from_text(state().params, "dynamic_range_db=47");
    app().commands().send(command::ParamsChanged{});
    state().marks.list = {{.number = 4, .kind = MarkKind::distance, .points = {{0, 10e-3}, {1e-3, 12e-3}}}};
    state().view.pan_zoom = {.fitted = false, .centre = {0, 12e-3}, .logical_px_per_m = 60e3};
    state().cine.speed = 0.5;
    ASSERT_TRUE(until([&] { return app().viewer().shown_image().params.formation.f_number == 2.5; }));
  }
  void expect_the_former() {
    ASSERT_TRUE(until([&] { return state().source.phantom == "points"; }));
    ASSERT_TRUE(until([&] { return !state().image.awaited; })) << "unless a coarse one came, its last one is on screen";
    EXPECT_TRUE(state().opening.former.empty());
    EXPECT_EQ(state().params, before_);
    ASSERT_EQ(state().marks.list.size(), 1U);
    EXPECT_EQ(state().marks.list.front().number, 4);
    EXPECT_FALSE(state().view.pan_zoom.fitted);
    EXPECT_EQ(state().view.pan_zoom.logical_px_per_m, 60e3);
    EXPECT_EQ(state().cine.speed, 0.5);
  }
  ImagingParams before_;
};

TEST_F(ReturningWindow, EscapeReturnsToTheLiveSource) {
  set();
  before_ = state().params;
  open_slow_one();
  press(Key::escape);
  expect_the_former();
  ASSERT_TRUE(until([&] { return state().numbers.shown > 2; }));
  EXPECT_EQ(state().run, RunState::live);
  app().commands().send(command::OpenPhantom{"cyst"});
  ASSERT_TRUE(until([&] { return state().source.phantom == "cyst" && !state().image.awaited; }));
  EXPECT_TRUE(state().marks.list.empty());
  app().commands().send(command::OpenPhantom{"points"});
  ASSERT_TRUE(until([&] { return state().source.phantom == "points" && !state().image.awaited; }));
  EXPECT_EQ(state().marks.list.size(), 1U) << "marks stay with their source";
}

TEST_F(ReturningWindow, AClickReturnsToTheFrozenFrame) {
  set();
  press(Key::space);
  ASSERT_TRUE(until([&] { return state().run == RunState::frozen && state().kept.frames > 0; }));
  before_ = state().params;
  const std::uint64_t frame = app().viewer().shown_image().stamp.source_index;
  open_slow_one();
  click("return");
  expect_the_former();
  ASSERT_TRUE(until([&] { return state().run == RunState::frozen; }));
  ASSERT_TRUE(until([&] { return app().viewer().shown_image().stamp.source_index == frame; }));
}

TEST_F(ReturningWindow, WithTheFirstImageThereIsNothingToReturnTo) {
  set();
  app().commands().send(command::OpenPhantom{"cyst"});
  ASSERT_TRUE(until([&] { return state().source.phantom == "cyst" && !state().image.awaited; }));
  app().turn();
  EXPECT_TRUE(state().opening.former.empty());
  press(Key::escape);
  turn(app(), 3);
  EXPECT_EQ(state().source.phantom, "cyst");
}

// Live and of a kept frame: at once, without numbers, and in no file.
TEST_F(BusyWindow, ACoarseImageComesBeforeOneThatTakesLong) {
  Options options = script_options("sim:points");
  options.settings = {"grid_nx=64", "grid_nz=64"};
  options.stream.policy = RingPolicy::block;
  options.files["--video"] = folder().path() / "video.mp4";
  options.files["--image-out"] = folder().path() / "image.npy";
  options.files["--report"] = folder().path() / "report.json";
  begin(options);
  ASSERT_TRUE(until([&] { return state().numbers.shown > 2; }));
  state().marks.list = {{.number = 1, .kind = MarkKind::rectangle, .points = {{-3e-3, 15e-3}, {3e-3, 25e-3}}}};
  const Viewer& viewer = app().viewer();
  const int side =
      static_cast<int>(400 * std::sqrt(std::thread::hardware_concurrency() / 2.0));  // long on any number of cores
  const auto expect_coarse_then = [&](const char* method) {
    set_from_text(state().params, method);
    state().params.formation.grid_nx = state().params.formation.grid_nz = side;
    app().commands().send(command::ParamsChanged{});
    ASSERT_TRUE(until([&] { return state().image.coarse; }));
    EXPECT_EQ(viewer.drawn_image().params.formation.adaptive, Adaptive::off);
    EXPECT_EQ(viewer.shown_image().number, 0U);
    EXPECT_TRUE(viewer.shown_db().empty());
    ASSERT_TRUE(until([&] { return state().measured.regions.empty() || !state().image.coarse; }));
    ASSERT_TRUE(until([&] { return !state().image.coarse && viewer.shown_image().number != 0; }));
    EXPECT_EQ(viewer.shown_image().params.formation.adaptive, state().params.formation.adaptive);
  };
  expect_coarse_then("adaptive=minimum_variance");
  press(Key::space);
  ASSERT_TRUE(until([&] { return state().run == RunState::frozen && viewer.shown_image().number != 0; }));
  expect_coarse_then("mv_subarray=0.4");
  state().params.formation.mv_subarray = 0.3;
  ASSERT_TRUE(until([&] { return state().image.coarse; }));
  state().params.formation.adaptive = Adaptive::off;  // cancels
  ASSERT_TRUE(until([&] {
    const Image& shown = viewer.shown_image();
    return shown.number != 0 && shown.params.formation.adaptive == Adaptive::off;
  }));
  EXPECT_FALSE(state().image.coarse);
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
