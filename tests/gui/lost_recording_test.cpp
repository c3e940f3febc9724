// A window whose recording becomes shorter on its disk after it was played: what is still made of it says so.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "app/window/window_app.h"
#include "gui/turning.h"
#include "history/film.h"
#include "history/uff_writer.h"
#include "support/acquisitions.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::lost_recording_test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kFrames = 30;

class LostRecording : public ::testing::Test {
 protected:
  LostRecording() {
    ::setenv("XDG_CONFIG_HOME", (folder_ / "config").c_str(), 1);
    ::setenv("XDG_VIDEOS_DIR", folder_.path().c_str(), 1);
    UffWriter writer(recording_, share(linear_acquisition()), {.version = "test"});
    const std::vector<std::byte> samples = to_bytes(noise(linear_acquisition().frame_bytes() / sizeof(float), 1));
    for (std::uint64_t k = 0; k < kFrames; ++k) writer.append({.stamp = {.sequence = k}, .samples = samples});
    writer.finish();
    Options options;
    options.source = recording_.string();
    options.backend = BackendChoice::cpu;
    options.duration_s = 1e9;  // a script: no tour of the window
    options.stream.loop = false;
    options.stream.policy = RingPolicy::block;
    options.queue_given = true;
    app_ = std::make_unique<WindowApp>(options, SurfaceKind::offscreen);
    app_->begin();
  }
  bool until(const std::function<bool()>& holds) { return turn_until(*app_, holds); }
  void click(const std::string& id) { testing::click(*app_, id); }

  TemporaryFolder folder_;
  const fs::path recording_ = folder_ / "recording.uff";
  std::unique_ptr<WindowApp> app_;
};

// Formerly nothing happened, and nothing was said.
TEST_F(LostRecording, NoVideoIsALineOfMessage) {
  if (const std::string why = why_no_films(); !why.empty()) GTEST_SKIP() << why;
  UiState& state = app_->state();
  ASSERT_TRUE(until([&] { return state.run == RunState::frozen && state.cine.frames == kFrames; }));
  fs::resize_file(recording_, 4096);
  state.saving.film.range = FilmRange::all;
  click("save_menu");
  click("save/film");
  ASSERT_TRUE(until([&] { return !state.saving.last.empty(); }));
  EXPECT_NE(state.saving.last.find("No video"), std::string::npos) << state.saving.last;
  EXPECT_EQ(state.notices.messages.list().front().severity, Severity::error)
      << state.notices.messages.list().front().text;
}

}  // namespace
}  // namespace echoloop::testing::lost_recording_test
