// The program's window itself, offscreen: what is dropped on it, and what that leaves of the recording before.
#include "app/window/window_app.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>

#include "app/options/folders.h"
#include "core/error.h"
#include "core/process_memory.h"
#include "gui/turning.h"
#include "history/hdf5_recording.h"
#include "support/acquisitions.h"
#include "support/one_line.h"
#include "support/recorded_data.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::window_app_test {
namespace {

namespace fs = std::filesystem;

class DroppedFiles : public WindowTest {
 protected:
  DroppedFiles() {
    Hdf5Writer writer(recording_, share(linear_acquisition()), {.version = "test"});
    const std::vector<std::byte> samples = to_bytes(noise(linear_acquisition().frame_bytes() / sizeof(float), 1));
    for (std::uint64_t k = 0; k < 3; ++k) writer.append({.stamp = {.sequence = k}, .samples = samples});
    writer.finish();
    Options options = script_options(recording_.string());
    options.stream.slots = kMaxSlots;
    options.queue_given = true;
    options.width = 960;
    options.height = 540;
    begin(options);
  }
  [[nodiscard]] bool plays() const {
    return app_->state().numbers.counts.processed > 3 && app_->state().numbers.shown > 3;
  }
  void drop(const fs::path& file) {
    WindowTest::drop(file);
    ASSERT_TRUE(until([&] { return !app_->state().opening.progress.has_value(); }));
  }
  // A line about the file, and the recording plays on.
  void expect_refused(const fs::path& file, const std::string& why) {
    WindowState& state = app_->state();
    state.notices.messages.clear();
    state.marks.list = {{.number = 1, .kind = MarkKind::rectangle, .points = {{-1e-3, 5e-3}, {1e-3, 7e-3}}}};
    drop(file);
    EXPECT_EQ(state.marks.list.size(), 1U) << "what was drawn stays with the picture that stays";
    ASSERT_EQ(state.notices.messages.list().size(), 1U) << state.notices.messages.list().back().text;
    EXPECT_EQ(state.notices.messages.list().front().severity, Severity::error);
    EXPECT_EQ(state.notices.messages.list().front().text.find(file.string()), 0U)
        << state.notices.messages.list().front().text;
    EXPECT_NE(state.notices.messages.list().front().text.find(why), std::string::npos)
        << state.notices.messages.list().front().text;
    EXPECT_EQ(state.source.opened_as, recording_.string());
    const std::uint64_t shown = state.numbers.shown;
    EXPECT_TRUE(until([&] { return state.numbers.shown > shown + 3; }));
    EXPECT_FALSE(state.notices.fault.has_value());
  }

  const fs::path recording_ = folder_ / "recording.uff";
};

TEST_F(DroppedFiles, OneThatIsRefusedLeavesTheOneBeforePlaying) {
  ASSERT_TRUE(until([&] { return plays(); }));
  write_text_file(folder_ / "notes.txt", "not a recording");
  expect_refused(folder_ / "notes.txt", "; expected ");
  write_text_file(folder_ / "cut.uff", read_text(recording_).substr(0, 3000));
  expect_refused(folder_ / "cut.uff", "; expected ");
  write_text_file(folder_ / "crash-opening", "\x89HDF\r\n\x1a\n" + std::string(2000, '.'));
  expect_refused(folder_ / "crash-opening", "the reader process stopped");
}

TEST_F(DroppedFiles, OneWhoseFramesDoNotFitLeavesTheOneBeforePlaying) {
  if (free_host_memory() > std::size_t{300} << 30) GTEST_SKIP() << "this machine has the memory";
  ASSERT_TRUE(until([&] { return plays(); }));
  write_text_file(folder_ / "huge-frames", "\x89HDF\r\n\x1a\n" + std::string(2000, '.'));
  expect_refused(folder_ / "huge-frames", "(64 slots: ");
}

TEST_F(DroppedFiles, OneThatBeginsBelowAnyImageLeavesTheOneBeforePlaying) {
  ASSERT_TRUE(until([&] { return plays(); }));
  Acquisition distant = linear_acquisition();
  distant.transmits[0].t0_s = 0.05;  // 38 m
  const fs::path file = folder_ / "distant.uff";
  Hdf5Writer writer(file, share(distant), {.version = "test"});
  const std::vector<std::byte> samples(distant.frame_bytes());
  writer.append({.stamp = {}, .samples = samples});
  writer.finish();
  expect_refused(file, "t0 = 0.05 s, a depth of 38.5 m");
}

TEST_F(DroppedFiles, OneThatOpensTakesTheWindow) {
  ASSERT_TRUE(until([&] { return plays(); }));
  const fs::path other = folder_ / "other.uff";
  fs::copy(recording_, other);
  drop(other);
  EXPECT_EQ(app_->state().source.opened_as, other.string());
  EXPECT_TRUE(until([&] { return plays(); }));
  EXPECT_FALSE(app_->state().notices.fault.has_value());
}

TEST_F(DroppedFiles, TheErrorGoesWhenTheFileOpens) {
  ASSERT_TRUE(until([&] { return plays(); }));
  const fs::path late = folder_ / "late.uff";
  write_text_file(late, "still being written");
  drop(late);
  const std::vector<Message>& messages = app_->state().notices.messages.list();
  ASSERT_TRUE(standing(messages).has_value());
  ASSERT_EQ(messages[*standing(messages)].severity, Severity::error);
  fs::copy_file(recording_, late, fs::copy_options::overwrite_existing);
  drop(late);
  ASSERT_TRUE(until([&] { return app_->state().source.opened_as == late.string(); }));
  ASSERT_TRUE(standing(messages).has_value());
  EXPECT_NE(messages[*standing(messages)].severity, Severity::error) << messages[*standing(messages)].text;
}

class WindowOf {
 public:
  WindowOf(const TemporaryFolder& folder, const std::string& source) {
    ::setenv("XDG_CONFIG_HOME", (folder / "config").c_str(), 1);
    Options options = script_options(source);
    options.width = 1600;
    options.height = 900;
    app = std::make_unique<WindowApp>(options, SurfaceKind::offscreen);
    app->begin();
  }
  [[nodiscard]] bool until(const std::function<bool()>& holds) const { return turn_until(*app, holds); }
  void click(const std::string& id, bool right = false, bool control = false) const {
    const Rect r = app->viewer().screen().ui().rect_of(id);
    ASSERT_GT(r.width(), 0.0F) << id;
    InjectedInput input;
    input.mouse_x = r.cx();
    input.mouse_y = r.cy();
    input.control = control;
    for (const bool down : {false, true, false}) {
      input.left = down && !right;
      input.right = down && right;
      inject(*app, input, 3);
    }
    inject(*app, {});
  }
  void press(Key key, bool control = false) const { testing::press(*app, {.key = key, .control = control}); }
  void type(const std::string& text) const {
    InjectedInput input;
    input.text = text;
    inject(*app, input, 3);
    click("state_badge");  // elsewhere: it is taken
  }

  std::unique_ptr<WindowApp> app;
};

// What the file does not say: typed, refused where it cannot be, and given back to the reader with a right click.
TEST(FactsInTheWindow, AreTakenOverRefusedAndGivenBack) {
  ECHO_NEED_DATA("fk_gammex_nylon/RFdata1.mat");
  const TemporaryFolder folder;
  const WindowOf window(folder, (data_folder() / "fk_gammex_nylon/RFdata1.mat").string());
  WindowState& state = window.app->state();
  ASSERT_TRUE(window.until([&] { return state.numbers.shown > 0; }));
  const std::vector<Transmit> before = state.source.acquisition->transmits;
  const ImagingParams params = state.params;
  ASSERT_NE(before.front().t0_s, before.back().t0_s) << "each has a clock of its own";
  const auto says = [&](double first_s) {
    return std::abs(state.source.acquisition->transmits[0].t0_s - first_s) < 1e-9;
  };

  window.click("first_sample_s", false, true);
  window.type("1");
  ASSERT_TRUE(window.until([&] { return says(1e-6); })) << state.notices.messages.list().front().text;
  for (std::size_t k = 0; k < before.size(); ++k) {
    const Transmit& now = state.source.acquisition->transmits[k];
    EXPECT_NEAR(now.t0_s - before[k].t0_s, 1e-6 - before[0].t0_s, 1e-12) << "all move along, " << k;
  }
  EXPECT_EQ(state.params.formation.depth_max_m, state.defaults.formation.depth_max_m) << "nobody set it: it follows";
  EXPECT_NE(state.params.formation.depth_max_m, params.formation.depth_max_m);
  ASSERT_TRUE(window.until([&] { return state.numbers.shown > 0; }));

  window.click("center_hz", false, true);
  window.type("4.2");
  ASSERT_TRUE(window.until([&] { return state.source.acquisition->center_hz == 4.2e6; }));
  EXPECT_EQ(state.params.formation.band_low_hz, state.defaults.formation.band_low_hz);
  EXPECT_NE(state.params.formation.band_low_hz, params.formation.band_low_hz);
  EXPECT_TRUE(says(1e-6));
  ASSERT_TRUE(window.until([&] { return state.numbers.shown > 0; }));

  state.notices.messages.clear();
  window.click("center_hz", false, true);
  window.type("990");
  ASSERT_TRUE(window.until([&] { return !state.notices.messages.list().empty(); }));
  EXPECT_EQ(state.notices.messages.list().front().severity, Severity::error)
      << state.notices.messages.list().front().text;
  EXPECT_EQ(state.facts.given.at("center_hz"), 4.2e6) << "the panel shows what holds";
  EXPECT_EQ(state.source.acquisition->center_hz, 4.2e6);

  window.click("first_sample_s", true);
  window.click("center_hz", true);
  ASSERT_TRUE(window.until([&] { return state.source.acquisition->center_hz == 5e6; }));
  EXPECT_TRUE(state.facts.given.empty());
  EXPECT_TRUE(says(before.front().t0_s));
  EXPECT_EQ(state.params, params) << "all as it was opened";
}

TEST(SavedFiles, NeverReplaceAnother) {
  const TemporaryFolder folder;
  EXPECT_EQ(new_file(folder.path(), "a_f1", ".png"), folder / "a_f1.png");
  write_text_file(folder / "a_f1.png", "x");
  EXPECT_EQ(new_file(folder.path(), "a_f1", ".png"), folder / "a_f1-2.png");
  write_text_file(folder / "a_f1-2.json", "x");  // beside another file
  EXPECT_EQ(new_file(folder.path(), "a_f1", ".png"), folder / "a_f1-3.png");
  EXPECT_EQ(new_file(folder.path(), "a_f1", ".svg"), folder / "a_f1.svg");
}

// A folder that cannot be used: each save says so in a line, offers another one and opens the panel there.
TEST(SavedFiles, InAFolderThatIsGoneAreRefusedInWords) {
  const TemporaryFolder folder;
  for (const char* kind : {"XDG_PICTURES_DIR", "XDG_VIDEOS_DIR"}) ::setenv(kind, folder.path().c_str(), 1);
  fs::create_directories(folder / "config/echoloop");
  const std::string gone = (folder / "gone").string();
  write_text_file(folder / "config/echoloop/window", "save_folder = " + gone + "\n");
  const WindowOf window(folder, "sim:cyst");
  WindowState& state = window.app->state();
  ASSERT_TRUE(window.until([&] { return state.numbers.shown > 1; }));
  const std::string refusal =
      "The folder " + gone + " does not exist. Choose another folder, for example " + folder.path().string();
  for (const Key key : {Key::s, Key::r}) {
    state.notices.messages.clear();
    window.press(key);
    ASSERT_TRUE(window.until([&] { return !state.notices.messages.list().empty(); }));
    EXPECT_TRUE(state.saving.failed);
    EXPECT_EQ(state.notices.messages.list().front().text, refusal);
  }
  EXPECT_FALSE(state.saving.recording.on);
  ASSERT_TRUE(window.until([&] { return window.app->viewer().screen().ui().rect_of("save_offer").width() > 0.0F; }));
  window.click("save_offer");
  state.notices.messages.clear();
  window.click("save/picture");
  ASSERT_TRUE(window.until([&] { return !state.notices.messages.list().empty(); }));
  EXPECT_NE(state.notices.messages.list()[standing(state.notices.messages.list()).value()].severity, Severity::error);
  EXPECT_TRUE(
      state.notices.messages.list().front().text.starts_with("Saved " + folder.path().string() + "/cyst_phantom_f"))
      << state.notices.messages.list().front().text;
  for (const char* kind : {"XDG_PICTURES_DIR", "XDG_VIDEOS_DIR"}) ::unsetenv(kind);
}

TEST(Presets, UndoBringsBackTheOneThatWasInUse) {
  const TemporaryFolder folder;
  const WindowOf window(folder, "sim:cyst");
  ASSERT_TRUE(window.until([&] { return window.app->state().numbers.shown > 1; }));
  const Presets& presets = window.app->state().presets;
  const auto comes = [&](const KeyPress& key, const std::string& name) {
    press(*window.app, key);
    return window.until([&] {
      const auto active = static_cast<std::size_t>(presets.active);
      return (active < presets.list.size() ? presets.list[active].name : "") == name && !presets.changed;
    });
  };
  EXPECT_TRUE(comes({.key = Key::digit1}, "Detail"));
  EXPECT_TRUE(comes({.key = Key::digit2}, "Smooth"));
  EXPECT_TRUE(comes({.key = Key::z, .control = true}, "Detail"));
  EXPECT_TRUE(comes({.key = Key::z, .control = true}, ""));
  EXPECT_TRUE(comes({.key = Key::y, .control = true}, "Detail"));
}

// A preset that cannot be read is one error, which goes when its file is mended.
TEST(OwnPresets, AnErrorGoesWhenTheFileIsMended) {
  const TemporaryFolder folder;
  const fs::path file = folder / "config/echoloop/presets/mine.toml";
  fs::create_directories(file.parent_path());
  write_text_file(file, "name = [broken");
  const WindowOf window(folder, "sim:cyst");
  const std::vector<Message>& messages = window.app->state().notices.messages.list();
  const auto errors = [&] {
    return std::count_if(messages.begin(), messages.end(),
                         [](const Message& m) { return m.severity == Severity::error && m.stay != Stay::resolved; });
  };
  ASSERT_TRUE(window.until([&] { return window.app->state().numbers.shown > 1; }));
  EXPECT_EQ(errors(), 1) << "said once, although presets were listed again";
  write_text_file(file, "name = \"Mine\"\n[parameters]\ngain_db = 3\n");
  EXPECT_TRUE(window.until([&] { return errors() == 0; }));
  write_text_file(file, "name = [broken again");
  EXPECT_TRUE(window.until([&] { return errors() == 1; }));
  fs::remove(file);
  EXPECT_TRUE(window.until([&] { return errors() == 0; }));
}

// Format, size and ground are those of the panel, and a later run has them again.
TEST(SavedFiles, AreAsTheLastRunChose) {
  const TemporaryFolder folder;
  ::setenv("XDG_PICTURES_DIR", folder.path().c_str(), 1);
  {
    const WindowOf window(folder, "sim:cyst");
    ASSERT_TRUE(window.until([&] { return window.app->state().numbers.shown > 1; }));
    window.click("save_menu");
    window.click("save_format/SVG");
    window.click("save_ground/Dark");
  }
  const WindowOf window(folder, "sim:cyst");
  WindowState& state = window.app->state();
  ASSERT_TRUE(window.until([&] { return state.numbers.shown > 1; }));
  state.notices.messages.clear();
  window.press(Key::s);
  ASSERT_TRUE(window.until([&] { return !state.notices.messages.list().empty(); }));
  const std::string text = state.notices.messages.list().front().text;
  ASSERT_TRUE(text.starts_with("Saved ")) << text;
  const fs::path file = text.substr(6);
  EXPECT_EQ(file.extension(), ".svg");
  const std::string svg = read_text(file);
  EXPECT_NE(svg.find("#0b0d0f"), std::string::npos);
  EXPECT_NE(svg.find("Cyst phantom, frame"), std::string::npos);
  EXPECT_TRUE(fs::exists(fs::path(file).replace_extension(".json")));
  ::unsetenv("XDG_PICTURES_DIR");
}

// Ctrl+Q ends the program as the window's own button does.
TEST(Quit, ByKeyIsAnEndLikeAnyOther) {
  const TemporaryFolder folder;
  const WindowOf window(folder, "sim:cyst");
  ASSERT_TRUE(window.until([&] { return window.app->state().numbers.shown > 1; }));
  EXPECT_FALSE(window.app->viewer().should_close());
  window.press(Key::q);
  EXPECT_FALSE(window.app->viewer().should_close()) << "without Control it is no key";
  window.press(Key::q, true);
  EXPECT_TRUE(window.app->viewer().should_close());
}

class SavedTable : public WindowTest {};

// Its button in the Objects panel: objects_panel_test.cpp.
TEST_F(SavedTable, HasSourceFrameAndParametersBeforeItsRows) {
  fs::create_directories(folder_ / "config");
  write_text_file(folder_ / "config" / "user-dirs.dirs", "XDG_DOCUMENTS_DIR=\"" + folder_.path().string() + "\"\n");
  begin(script_options("sim:points"));
  ASSERT_TRUE(until([&] { return app_->state().numbers.shown > 0; }));
  const Image& shown = app_->viewer().shown_image();
  FrameStamp stamp = shown.stamp;
  stamp.source_index = 12344;  // of an earlier image
  app_->commands().send(command::SaveTable{
      {.suffix = "_table", .heading = "# A table.\n", .rows = "a,b\n1,2\n", .stamp = stamp, .params = shown.params}});
  fs::path saved;
  ASSERT_TRUE(until([&] {
    for (const auto& file : fs::directory_iterator(folder_.path())) {
      if (file.path().string().ends_with("_table.csv")) saved = file.path();
    }
    return !saved.empty();
  }));
  const std::string text = read_text(saved);
  EXPECT_EQ(text.find("# A table.\n# source: sim:points\n# frame: 12345, acquired at "), 0U) << text;
  EXPECT_NE(text.find("# parameters: {"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("}\na,b\n1,2\n")) << text;
}

// The files of what is made beside the stream, as without a window.
TEST(WindowOutputs, FlowObjectsAndSpectrogramAreWrittenWhenTheWindowCloses) {
  const TemporaryFolder folder;
  ::setenv("XDG_CONFIG_HOME", (folder / "config").c_str(), 1);
  Options options = script_options("sim:flow,rate_hz=2000,angles_deg=0");
  options.stream.rate_hz = kRateMax;
  options.frames = 80;
  options.settings = {
      "lateral_min_m=-0.004", "lateral_max_m=0.004", "depth_min_m=0.012", "depth_max_m=0.024", "grid_nx=33",
      "grid_nz=61",           "flow=velocity",       "flow_frames=32",    "structure=dark",    "gate=on",
      "gate_x_m=0",           "gate_z_m=0.018",      "sonogram_frames=32"};
  options.files["--flow-out"] = folder / "flow.npy";
  options.files["--structure-out"] = folder / "objects.json";
  options.files["--sonogram-out"] = folder / "sonogram.npy";
  options.files["--report"] = folder / "report.json";
  EXPECT_EQ(WindowApp(options, SurfaceKind::offscreen).run(), 0);
  EXPECT_NE(read_text(folder / "flow.npy").find("'shape': (2, 61, 33)"), std::string::npos);
  EXPECT_NE(read_text(folder / "objects.npy").find("'shape': (61, 33)"), std::string::npos);
  EXPECT_TRUE(fs::exists(folder / "sonogram.npy"));
  const nlohmann::json report = nlohmann::json::parse(read_text(options.files["--report"]));
  for (const char* part : {"flow", "structure", "sonogram"}) EXPECT_TRUE(report.at(part).contains("last")) << part;
}

// As after the loss of a GPU: what the run writes has nothing of the backend before.
TEST(WindowOutputs, AVideoGoesOnWithAnotherBackend) {
  const TemporaryFolder folder;
  ::setenv("XDG_CONFIG_HOME", (folder / "config").c_str(), 1);
  Options options = script_options("sim:points");
  options.frames = 12;
  options.settings = {"grid_nx=64", "grid_nz=64"};
  options.files["--video"] = folder / "video.mp4";
  options.files["--report"] = folder / "report.json";
  WindowApp app(options, SurfaceKind::offscreen);
  app.begin();
  WindowState& state = app.state();
  ASSERT_TRUE(turn_until(app, [&] { return state.numbers.counts.processed > 4; }));
  app.commands().send(command::UseCpu{});
  app.turn();
  const auto ended = [&] { return state.numbers.counts.processed == options.frames; };
  ASSERT_TRUE(turn_until(app, ended));
  EXPECT_EQ(app.run(), 0);  // which finds the stream ended, and writes
  const nlohmann::json report = nlohmann::json::parse(read_text(options.files["--report"]));
  const nlohmann::json& video = report.at("video");
  EXPECT_TRUE(video.at("complete"));
  const auto images = [&](const char* key) { return video.at(key).get<std::uint64_t>(); };
  EXPECT_GT(images("frames") - images("held") + images("left_out"), options.frames) << "of both streams";
  EXPECT_NE(video.at("command_missing").get<std::string>().find("missing or repeated"), std::string::npos) << video;
  EXPECT_TRUE(fs::exists(options.files["--video"]));
}

TEST(WindowOutputs, ADurationShorterThanTheStartStillGivesAFrame) {
  const TemporaryFolder folder;
  ::setenv("XDG_CONFIG_HOME", (folder / "config").c_str(), 1);
  Options options = script_options("sim:points");
  options.duration_s = 1e-3;
  options.files["--report"] = folder / "report.json";
  EXPECT_EQ(WindowApp(options, SurfaceKind::offscreen).run(), 0);
  EXPECT_GE(nlohmann::json::parse(read_text(options.files["--report"])).at("frames").at("processed"), 1);
}

TEST(WindowOutputs, AFileOfWhatIsOffIsRefusedInOneLine) {
  const TemporaryFolder folder;
  ::setenv("XDG_CONFIG_HOME", (folder / "config").c_str(), 1);
  Options options = script_options("sim:flow");
  options.frames = 3;
  options.files["--flow-out"] = folder / "flow.npy";
  expect_refusal([&] { WindowApp(options, SurfaceKind::offscreen).run(); }, "--set flow=power");
}

}  // namespace
}  // namespace echoloop::testing::window_app_test
