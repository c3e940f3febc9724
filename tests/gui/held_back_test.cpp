// A window whose machine is too slow for its source: it says so, and time stays the acquisition's.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "app/window/window_app.h"
#include "gui/turning.h"
#include "history/film.h"
#include "support/film_file.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::held_back_test {
namespace {

class HeldBackWindow : public ::testing::Test {
 protected:
  HeldBackWindow() {
    ::setenv("XDG_CONFIG_HOME", (folder_ / "config").c_str(), 1);
    ::setenv("XDG_VIDEOS_DIR", folder_.path().c_str(), 1);
    Options options;
    options.source = "sim:points";
    options.backend = BackendChoice::cpu;
    options.duration_s = 1e9;  // a script: no tour of the window
    options.stream.policy = RingPolicy::block;
    options.stream.slots = 2;
    options.stream.inject.load_ms = 66.0;
    options.queue_given = true;
    app_ = std::make_unique<WindowApp>(options, SurfaceKind::offscreen);
    app_->begin();
  }
  bool until(const std::function<bool()>& holds) { return turn_until(*app_, holds); }
  void click(const std::string& id) { testing::click(*app_, id); }

  TemporaryFolder folder_;
  std::unique_ptr<WindowApp> app_;
};

TEST_F(HeldBackWindow, ItSaysSoAndItsVideoIsAsLongAsTheAcquisition) {
  UiState& state = app_->state();
  ASSERT_TRUE(until([&] { return state.numbers.pace.held_back == HeldBack::by_processing; }));
  EXPECT_LT(state.numbers.pace.made_hz, 20.0);
  EXPECT_TRUE(state.numbers.pace.slower);
  EXPECT_LT(state.numbers.pace.speed, 0.4);
  EXPECT_GT(app_->viewer().control_rect("pace").width(), 0.0F);
  ASSERT_TRUE(until([&] { return state.cine.frames > 30; }));
  InjectedInput input;
  input.keys = {{.key = Key::space}};
  app_->viewer().inject(input);
  ASSERT_TRUE(until([&] { return state.run == RunState::frozen; }));
  const std::size_t frames = state.cine.frames;
  EXPECT_NEAR(state.cine.seconds, static_cast<double>(frames - 1) / 50.0, 1e-3);
  if (const std::string why = why_no_films(); !why.empty()) GTEST_SKIP() << why;
  state.saving.film.range = FilmRange::all;
  click("save_menu");
  click("save/film");
  ASSERT_TRUE(until([&] { return state.saving.last.find(".mp4") != std::string::npos; })) << state.saving.last;
  std::filesystem::path file;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (entry.path().extension() == ".mp4") file = entry.path();
  }
  const FilmFile film = read_film(file);
  EXPECT_NEAR(film.rate_hz, 50.0, 0.01);
  EXPECT_EQ(film.luma.size(), frames);
}

}  // namespace
}  // namespace echoloop::testing::held_back_test
