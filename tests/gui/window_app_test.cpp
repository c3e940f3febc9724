// The program's window itself, offscreen: what is dropped on it, and what that leaves of the recording before.
#include "app/window_app.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/free_memory.h"
#include "history/uff_writer.h"
#include "support/acquisitions.h"
#include "support/temporary_folder.h"

namespace echoloop::testing {
namespace {

namespace fs = std::filesystem;

class DroppedFiles : public ::testing::Test {
 protected:
  DroppedFiles() {
    ::setenv("XDG_CONFIG_HOME", (folder_ / "config").c_str(), 1);
    UffWriter writer(recording_, share(linear_acquisition()), {.version = "test"});
    const std::vector<std::byte> samples = to_bytes(noise(linear_acquisition().frame_bytes() / sizeof(float), 1));
    for (std::uint64_t k = 0; k < 3; ++k) writer.append({.stamp = {.sequence = k}, .samples = samples});
    writer.finish();
    Options options;
    options.source = recording_.string();
    options.backend = BackendChoice::cpu;
    options.stream.slots = kMaxSlots;
    options.duration_s = 1e9;  // a script: no tour of the window
    options.width = 960;
    options.height = 540;
    app_ = std::make_unique<WindowApp>(options, SurfaceKind::offscreen);
    app_->begin();
  }

  bool draw_until(const std::function<bool()>& holds) {
    for (int turns = 0; !holds() && turns < 2000; ++turns) app_->turn();
    return holds();
  }
  [[nodiscard]] bool plays() const { return app_->state().counts.processed > 3 && app_->state().shown > 3; }
  void drop(const fs::path& file) {
    InjectedInput hand;
    hand.dropped_files = {file};
    app_->viewer().inject(hand);
    app_->turn();
    app_->turn();
    ASSERT_TRUE(draw_until([&] { return !app_->state().progress.has_value(); }));
  }
  // A line about the file, and the recording plays on.
  void expect_refused(const fs::path& file, const std::string& why) {
    UiState& state = app_->state();
    state.messages.clear();
    drop(file);
    ASSERT_EQ(state.messages.size(), 1U) << state.messages.back().text;
    EXPECT_EQ(state.messages.front().severity, Severity::error);
    EXPECT_EQ(state.messages.front().text.find(file.string()), 0U) << state.messages.front().text;
    EXPECT_NE(state.messages.front().text.find(why), std::string::npos) << state.messages.front().text;
    EXPECT_EQ(state.source.opened_as, recording_.string());
    const std::uint64_t shown = state.shown;
    EXPECT_TRUE(draw_until([&] { return state.shown > shown + 3; }));
    EXPECT_FALSE(state.fault.has_value());
  }

  TemporaryFolder folder_;
  const fs::path recording_ = folder_ / "recording.uff";
  std::unique_ptr<WindowApp> app_;
};

TEST_F(DroppedFiles, OneThatIsRefusedLeavesTheOneBeforePlaying) {
  ASSERT_TRUE(draw_until([&] { return plays(); }));
  write_text_file(folder_ / "notes.txt", "not a recording");
  expect_refused(folder_ / "notes.txt", "accepted: ");
  write_text_file(folder_ / "cut.uff", read_text(recording_).substr(0, 3000));
  expect_refused(folder_ / "cut.uff", "accepted: ");
  write_text_file(folder_ / "crash-opening", "\x89HDF\r\n\x1a\n" + std::string(2000, '.'));
  expect_refused(folder_ / "crash-opening", "its reader stopped");
}

TEST_F(DroppedFiles, OneWhoseFramesDoNotFitLeavesTheOneBeforePlaying) {
  if (free_host_memory() > std::size_t{300} << 30) GTEST_SKIP() << "this machine has the memory";
  ASSERT_TRUE(draw_until([&] { return plays(); }));
  write_text_file(folder_ / "huge-frames", "\x89HDF\r\n\x1a\n" + std::string(2000, '.'));
  expect_refused(folder_ / "huge-frames", "in 64 slots");
}

TEST_F(DroppedFiles, OneThatOpensTakesTheWindow) {
  ASSERT_TRUE(draw_until([&] { return plays(); }));
  const fs::path other = folder_ / "other.uff";
  fs::copy(recording_, other);
  drop(other);
  EXPECT_EQ(app_->state().source.opened_as, other.string());
  EXPECT_TRUE(draw_until([&] { return plays(); }));
  EXPECT_FALSE(app_->state().fault.has_value());
}

// The files of what is made beside the stream, as without a window.
TEST(WindowOutputs, FlowObjectsAndSonogramAreWrittenWhenTheWindowCloses) {
  const TemporaryFolder folder;
  ::setenv("XDG_CONFIG_HOME", (folder / "config").c_str(), 1);
  Options options;
  options.source = "sim:flow,rate_hz=2000,angles_deg=0";
  options.backend = BackendChoice::cpu;
  options.stream.rate_hz = kRateMax;
  options.frames = 80;
  options.settings = {
      "lateral_min_m=-0.004", "lateral_max_m=0.004", "depth_min_m=0.012", "depth_max_m=0.024", "grid_nx=33",
      "grid_nz=61",           "flow=velocity",       "flow_frames=32",    "structure=dark",    "gate=on",
      "gate_x_m=0",           "gate_z_m=0.018",      "sonogram_frames=32"};
  options.flow_out = folder / "flow.npy";
  options.structure_out = folder / "objects.json";
  options.sonogram_out = folder / "sonogram.npy";
  options.report = folder / "report.json";
  EXPECT_EQ(WindowApp(options, SurfaceKind::offscreen).run(), 0);
  EXPECT_NE(read_text(options.flow_out).find("'shape': (2, 61, 33)"), std::string::npos);
  EXPECT_NE(read_text(folder / "objects.npy").find("'shape': (61, 33)"), std::string::npos);
  EXPECT_TRUE(fs::exists(options.sonogram_out));
  const nlohmann::json report = nlohmann::json::parse(read_text(options.report));
  for (const char* part : {"flow", "structure", "sonogram"}) EXPECT_TRUE(report.at(part).contains("last")) << part;
}

TEST(WindowOutputs, AFileOfWhatIsOffIsRefusedInOneLine) {
  const TemporaryFolder folder;
  ::setenv("XDG_CONFIG_HOME", (folder / "config").c_str(), 1);
  Options options;
  options.source = "sim:flow";
  options.backend = BackendChoice::cpu;
  options.frames = 3;
  options.flow_out = folder / "flow.npy";
  try {
    WindowApp(options, SurfaceKind::offscreen).run();
    ADD_FAILURE() << "nothing was said";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("--set flow=power"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace echoloop::testing
