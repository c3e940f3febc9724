// A recording of one frame in the window: processed once, still, and again where parameters change; complex pixels
// saved from the window.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "gui/bars.h"
#include "gui/panels/cine_actions.h"
#include "gui/turning.h"
#include "support/environment_variable.h"

namespace echoloop::testing::still_test {
namespace {

class StillWindow : public WindowTest {
 protected:
  // A recording of so many frames.
  [[nodiscard]] std::string record(std::uint64_t frames) const {
    Options options = script_options("sim:points");
    options.headless = true;
    options.frames = frames;
    options.stream.rate_hz = kRateMax;
    options.settings = {"grid_nx=16", "grid_nz=16"};
    options.files["--record"] = folder_ / "in.uff";
    EXPECT_EQ(run_headless(options), 0);
    return (folder_ / "in.uff").string();
  }
  [[nodiscard]] Options options_for(const std::string& file) const {
    Options options = script_options(file);
    options.settings = {"grid_nx=64", "grid_nz=96"};
    options.history_bytes = std::size_t{64} << 20;
    options.width = 1280;
    options.height = 800;
    return options;
  }
  [[nodiscard]] const Image& image() const { return app_->viewer().shown_image(); }
};

TEST_F(StillWindow, OneFrameIsProcessedOnceAndAgainWithOtherParameters) {
  begin(options_for(record(1)));
  ASSERT_TRUE(until([&] { return is_still(state()); }));
  EXPECT_EQ(badge_state(state()), RunState::still);
  EXPECT_EQ(state().numbers.counts.processed, 1U);
  EXPECT_EQ(image().stamp.sequence, 0U);
  EXPECT_EQ(why_no_freeze(state()), kOneFrame);
  EXPECT_EQ(why_no_act(state(), state(), CineAct::play), kOneFrame);
  EXPECT_EQ(why_no_comparison(state()), "");
  EXPECT_TRUE(state().stream.loop) << "what the user chose stays, for the next recording";
  const double before = image().params.formation.sound_speed_m_s;
  state().params.formation.sound_speed_m_s = before + 40.0;
  app_->commands().send(command::ParamsChanged{});
  ASSERT_TRUE(until([&] { return image().params.formation.sound_speed_m_s == before + 40.0; }));
  EXPECT_EQ(image().stamp.sequence, 0U);
  EXPECT_EQ(state().numbers.counts.processed, 1U);
  press(Key::space);
  turn(*app_, 5);
  EXPECT_TRUE(is_still(state()));
}

TEST_F(StillWindow, TheLoopOfTheCommandLineRepeatsOneFrame) {
  Options options = options_for(record(1));
  options.loop_given = true;
  begin(options);
  ASSERT_TRUE(until([&] { return state().numbers.counts.processed > 5; }));
  EXPECT_EQ(badge_state(state()), RunState::replay);
}

TEST_F(StillWindow, ARecordingOfTwoFramesRepeats) {
  begin(options_for(record(2)));
  ASSERT_TRUE(until([&] { return state().numbers.counts.processed > 5; }));
  EXPECT_EQ(badge_state(state()), RunState::replay);
}

// The window, the caption of a figure and the name of a file give a frame the same number, from 1.
TEST_F(StillWindow, AFrameHasOneNumber) {
  for (const std::uint64_t count : {1, 6}) {
    const std::string to = (folder_ / ("saved" + std::to_string(count))).string();
    std::filesystem::create_directories(to);
    const Variable pictures("XDG_PICTURES_DIR", to);
    app_.reset();  // one window at a time
    std::filesystem::remove(folder_ / "in.uff");
    begin(options_for(record(count)));
    ASSERT_TRUE(until([&] { return is_still(state()) || state().numbers.counts.processed > 8; }));
    if (count > 1) press(Key::space);
    ASSERT_TRUE(until([&] { return state().run == RunState::frozen; }));
    click("save_menu");
    click("save_format/SVG");
    press(Key::escape);
    const std::uint64_t number = image().stamp.source_index + 1;
    const std::string text = std::to_string(number) + " of " + std::to_string(count);
    EXPECT_EQ(numbers_of(state().source).text(image().stamp), text);
    press(Key::s);
    ASSERT_TRUE(until([&] { return !state().saving.last.empty() && !state().saving.writing; }));
    EXPECT_FALSE(state().saving.failed) << state().saving.last;
    std::string figure;
    for (const auto& entry : std::filesystem::directory_iterator(to)) {
      if (entry.path().extension() == ".svg") figure = entry.path().string();
    }
    EXPECT_NE(figure.find("in_f" + std::to_string(number)), std::string::npos) << figure;
    std::string caption = read_text(figure);
    for (std::size_t at = 0; (at = caption.find("\u00A0")) != std::string::npos;) caption.replace(at, 2, " ");
    EXPECT_NE(caption.find("frame " + text), std::string::npos) << text;
  }
}

// Of the frame on screen, and of the frames between the marks.
TEST_F(StillWindow, SavesComplexPixelsOfHistoryFrames) {
  const std::string to = (folder_ / "saved").string();
  std::filesystem::create_directories(to);
  const Variable documents("XDG_DOCUMENTS_DIR", to);
  begin(options_for(record(6)));
  ASSERT_TRUE(until([&] { return state().numbers.counts.processed > 12; }));
  press(Key::space);
  ASSERT_TRUE(until([&] { return state().run == RunState::frozen && state().kept.frames > 8; }));
  const auto saved = [&] {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(to))
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
  };
  app_->commands().send(command::Save{SaveWhat::iq});
  ASSERT_TRUE(until([&] { return saved().size() == 1 && state().saving.busy.empty(); })) << state().saving.last;
  state().cine.mark_in = 1;
  state().cine.mark_out = 5;
  app_->commands().send(command::Save{SaveWhat::iq_range});
  ASSERT_TRUE(until([&] { return saved().size() == 2 && state().saving.busy.empty(); })) << state().saving.last;
  std::vector<int> counts;
  for (const auto& file : saved()) {
    const nlohmann::json about = nlohmann::json::parse(read_text(file));
    counts.push_back(about["frames"]["count"]);
    EXPECT_EQ(about["grid"]["nx"], 64);
    EXPECT_TRUE(about["iq"].contains("phase"));
    const std::filesystem::path array = std::filesystem::path(file).replace_extension(".npy");
    EXPECT_GE(std::filesystem::file_size(array), 8U * 64 * 96 * static_cast<unsigned>(counts.back()));
  }
  std::ranges::sort(counts);
  EXPECT_EQ(counts, (std::vector<int>{1, 5}));
  // No complex pixels: said, and no file.
  state().params.formation.adaptive = Adaptive::slsc;
  app_->commands().send(command::ParamsChanged{});
  ASSERT_TRUE(until([&] { return !state().saving.why_no_iq.empty(); }));
  app_->commands().send(command::Save{SaveWhat::iq_range});
  ASSERT_TRUE(until([&] { return state().saving.failed; }));
  EXPECT_EQ(saved().size(), 2U);
}

}  // namespace
}  // namespace echoloop::testing::still_test
