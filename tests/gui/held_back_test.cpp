// A window whose machine is too slow for its source: it says so, and time stays the acquisition's.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "app/window/window_app.h"
#include "gui/turning.h"
#include "history/film.h"
#include "history/hdf5_recording.h"
#include "support/acquisitions.h"
#include "support/film_file.h"
#include "support/one_line.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::held_back_test {
namespace {

class HeldBackWindow : public WindowTest {
 protected:
  HeldBackWindow() {
    ::setenv("XDG_VIDEOS_DIR", folder_.path().c_str(), 1);
    Options options = script_options("sim:points");
    options.stream.policy = RingPolicy::block;
    options.stream.slots = 2;
    options.stream.inject.load_ms = 66.0;
    options.queue_given = true;
    begin(options);
  }
};

TEST_F(HeldBackWindow, ItSaysSoAndItsVideoIsAsLongAsTheAcquisition) {
  WindowState& state = app_->state();
  ASSERT_TRUE(until([&] { return state.numbers.pace.held_back == HeldBack::by_processing; }));
  EXPECT_LT(state.numbers.pace.made_hz, 20.0);
  EXPECT_TRUE(state.numbers.pace.slower);
  EXPECT_LT(state.numbers.pace.speed, 0.4);
  EXPECT_GT(app_->viewer().screen().ui().rect_of("pace").width(), 0.0F);
  ASSERT_TRUE(until([&] { return state.kept.frames > 30; }));
  press(Key::space);
  ASSERT_TRUE(until([&] { return state.run == RunState::frozen; }));
  const std::size_t frames = state.kept.frames;
  EXPECT_NEAR(state.kept.seconds, static_cast<double>(frames - 1) / 50.0, 1e-3);
  state.save.film = {.range = FilmRange::all, .container = FilmContainer::dicom};
  click("save_menu");
  click("save/film");
  ASSERT_TRUE(until([&] { return !state.saving.last.empty(); }));
  if (!contains(state.saving.last, "built without DCMTK")) {
    EXPECT_TRUE(contains(state.saving.last, ".dcm")) << state.saving.last;
    EXPECT_TRUE(contains(state.saving.last, std::to_string(frames) + " frames")) << state.saving.last;
  }
  if (const std::string why = why_no_films(); !why.empty()) GTEST_SKIP() << why;
  state.save.film.container = FilmContainer::mp4;
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

// A window whose recording becomes shorter on its disk after it was played: what is still made of it says so.

namespace fs = std::filesystem;

constexpr std::uint64_t kFrames = 30;

class LostRecording : public WindowTest {
 protected:
  LostRecording() {
    ::setenv("XDG_VIDEOS_DIR", folder_.path().c_str(), 1);
    Hdf5Writer writer(recording_, share(linear_acquisition()), {.version = "test"});
    const std::vector<std::byte> samples = to_bytes(noise(linear_acquisition().frame_bytes() / sizeof(float), 1));
    for (std::uint64_t k = 0; k < kFrames; ++k) writer.append({.stamp = {.sequence = k}, .samples = samples});
    writer.finish();
    Options options = script_options(recording_.string());
    options.stream.loop = false;
    options.stream.policy = RingPolicy::block;
    options.queue_given = true;
    begin(options);
  }

  const fs::path recording_ = folder_ / "recording.uff";
};

// Formerly nothing happened, and nothing was said.
TEST_F(LostRecording, NoVideoIsALineOfMessage) {
  if (const std::string why = why_no_films(); !why.empty()) GTEST_SKIP() << why;
  WindowState& state = app_->state();
  ASSERT_TRUE(until([&] { return state.run == RunState::frozen && state.kept.frames == kFrames; }));
  fs::resize_file(recording_, 4096);
  state.save.film.range = FilmRange::all;
  click("save_menu");
  click("save/film");
  ASSERT_TRUE(until([&] { return !state.saving.last.empty(); }));
  EXPECT_NE(state.saving.last.find("No video"), std::string::npos) << state.saving.last;
  EXPECT_EQ(state.notices.messages.list().front().severity, Severity::error)
      << state.notices.messages.list().front().text;
}

}  // namespace
}  // namespace echoloop::testing::held_back_test
