// What a window saves, of every kind of source: the command beside it, run as it is in an empty home, makes the image
// again, bit for bit; a session opens again on it. Those of runs without a window: program/commands_test.cpp.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/outputs/report.h"
#include "formats/open_recording.h"
#include "gui/import_window.h"
#include "history/film.h"
#include "source/scripted_sender.h"
#include "support/embedded_command.h"
#include "support/environment_variable.h"
#include "support/one_line.h"
#include "support/recorded_data.h"
#include "support/repeated_command.h"

namespace echoloop::testing::commands_window_test {
namespace {

using namespace import_window;
using nlohmann::json;

// Answers of the import assistant that are not saved.
void answer_centre(WindowApp& app) {
  const auto& import = app.state().import;
  const auto order = [&](ImportOrder what) {
    app.commands().send(command::Import{what});
    turn(app, 2);
  };
  ASSERT_TRUE(turn_until(app, [&] { return app.state().source.acquisition != nullptr; }));
  order({.act = ImportAct::begin});
  ASSERT_TRUE(turn_until(app, [&] { return import.open && import.preview.current; }));
  order({.act = ImportAct::answer, .id = "centre", .text = "4.24"});
  ASSERT_TRUE(turn_until(app, [&] { return import.preview.current && !import.preview.busy; })) << import.preview.error;
  order({.act = ImportAct::open_unsaved});
  ASSERT_TRUE(turn_until(app, [&] { return !import.open && app.state().source.acquisition->center_hz == 4.24e6; }));
}

void give_facts(WindowApp& app) {
  ASSERT_TRUE(turn_until(app, [&] { return app.state().source.acquisition != nullptr; }));
  app.state().facts.given["center_hz"] = 4.1e6;
  app.commands().send(command::FactsChanged{});
  ASSERT_TRUE(turn_until(app, [&] { return app.state().source.acquisition->center_hz == 4.1e6; }));
}

void choose_params(WindowApp& app) {
  ImagingParams& params = app.state().params;
  params.formation.f_number = 1.375;
  params.refine.persistence_s = 0.2;
  params.display.dynamic_range_db = 47.5;
  app.commands().send(command::ParamsChanged{});
}

struct SourceRow {
  const char* name;
  std::function<std::string(const TemporaryFolder&)> make;
  std::function<void(WindowApp&)> act;
};

// As another program would find it: alone in a folder.
std::string copy_of(const TemporaryFolder& folder, const char* file) {
  const fs::path from = data_folder() / file, to = folder / "a b";
  fs::create_directories(to);
  fs::copy_file(from, to / from.filename());
  return (to / from.filename()).string();
}

const std::vector<SourceRow> kSources = {
    {"phantom", [](const TemporaryFolder&) { return std::string("sim:heart,noise_db=-30,seed=3"); }, choose_params},
    {"recording", [](const TemporaryFolder& folder) { return copy_of(folder, "must_pwi_disk/PWI_disk.mat"); },
     choose_params},
    {"facts", [](const TemporaryFolder& folder) { return copy_of(folder, "fk_gammex_nylon/RFdata1.mat"); }, give_facts},
    {"answers", [](const TemporaryFolder& folder) { return copy_of(folder, "fk_gammex_nylon/RFdata1.mat"); },
     answer_centre},
};

// The file of the newest message "Saved ...".
fs::path save(WindowApp& app, const fs::path& folder, SaveWhat what) {
  app.state().saving.last.clear();
  app.commands().send(command::Save{what});
  EXPECT_TRUE(turn_until(app, [&] { return !app.state().saving.writing && !app.state().saving.last.empty(); }));
  const std::string text = app.state().saving.last, saved = "Saved ";
  EXPECT_TRUE(text.starts_with(saved)) << text;
  return folder / fs::path(text.substr(std::min(text.size(), saved.size()))).filename();
}

void save_in(const fs::path& folder) {
  for (const char* variable : {"HOME", "XDG_DOCUMENTS_DIR", "XDG_PICTURES_DIR", "XDG_VIDEOS_DIR"})
    ::setenv(variable, folder.c_str(), 1);
}

// All frames of the history; empty where no video can be written.
fs::path save_video(WindowApp& app, const fs::path& folder) {
  if (!why_no_films().empty()) return {};
  app.state().save.film.range = FilmRange::all;
  app.state().saving.last.clear();
  app.commands().send(command::Save{SaveWhat::film});
  EXPECT_TRUE(turn_until(app, [&] { return !app.state().saving.last.empty(); }));
  const std::string text = app.state().saving.last;
  return folder / fs::path(text.substr(0, text.find(".mp4") + 4)).filename();
}

class CommandsOfAWindow : public ::testing::TestWithParam<SourceRow>, protected ScriptedWindow {
 protected:
  CommandsOfAWindow() {
    save_in(folder_.path());
    keep_descriptions_in(own_descriptions_folder());
  }
  ~CommandsOfAWindow() override { keep_descriptions_in({}); }
};

// Of a frame of the history, without the user's home.
TEST_P(CommandsOfAWindow, MakeItAgain) {
  ECHO_NEED_DATA("must_pwi_disk/PWI_disk.mat");
  ECHO_NEED_DATA("fk_gammex_nylon/RFdata1.mat");
  const TemporaryFolder files, empty, session;
  Options options = script_options(GetParam().make(files));
  options.settings = {"depth_min_m=0.01", "depth_max_m=0.03", "grid_nx=64", "grid_nz=128"};
  options.stream.policy = RingPolicy::block;  // a video of all frames
  options.queue_given = true;
  begin(options);
  GetParam().act(*app_);
  if (HasFatalFailure()) return;
  ASSERT_TRUE(until([&] { return state().source.acquisition != nullptr && !state().image.awaited; }));
  ASSERT_TRUE(until([&] { return state().numbers.shown > 4 || state().run == RunState::frozen; }));
  if (state().run != RunState::frozen) press(Key::space);  // a recording of one frame is
  ASSERT_TRUE(until([&] { return state().run == RunState::frozen; }));
  ASSERT_TRUE(until([&] { return app_->viewer().shown_image().averaged_frames == 0.0; }));  // from the history
  const fs::path data = save(*app_, folder_.path(), SaveWhat::data);
  const fs::path figure = save(*app_, folder_.path(), SaveWhat::picture);
  const fs::path levels = save(*app_, folder_.path(), SaveWhat::levels);
  const fs::path saved = save(*app_, folder_.path(), SaveWhat::session);
  const fs::path video = save_video(*app_, folder_.path());
  const json of_data = json::parse(read_text(fs::path(data).replace_extension(".json")));
  const json of_figure = json::parse(read_text(fs::path(figure).replace_extension(".json")));
  app_.reset();
  for (const json& said : {of_data, of_figure}) {
    ASSERT_TRUE(said.contains("command")) << said.value("command_missing", "");
    ASSERT_EQ(repeat_command(said["command"], empty), 0);
    EXPECT_TRUE(read_text(data) == read_text(empty / "image.npy")) << said["command"];
    fs::remove(empty / "image.npy");
  }
  EXPECT_EQ(command_in(figure), of_figure["command"]);
  ASSERT_EQ(repeat_command(command_in(levels), empty), 0);
  EXPECT_TRUE(read_text(levels) == read_text(empty / "levels.png"));
  if (!video.empty()) {
    const std::string held = command_in(video);
    if (held.starts_with("no command: ")) {  // a recording repeats; without a frame rate, the window's is another
      EXPECT_TRUE(contains(held, "a rate that is not the recording's") || contains(held, "missing or repeated"))
          << held;
      EXPECT_NE(std::string_view(GetParam().name), "phantom");
    } else {
      ASSERT_EQ(repeat_command(held, empty), 0);
      EXPECT_TRUE(read_text(video) == read_text(empty / "video.mp4")) << held;
    }
  }
  fs::copy_file(saved, session / "s.echoloop.json");
  ASSERT_EQ(repeat_command("echoloop '" + (session / "s.echoloop.json").string() +
                               "' --headless --backend cpu --image-out session.npy",
                           empty),
            0);
  EXPECT_TRUE(read_text(data) == read_text(empty / "session.npy"));
  const json of_session = json::parse(read_text(empty / "session.json"));
  ASSERT_EQ(repeat_command(of_session["command"], empty), 0);
  EXPECT_TRUE(read_text(data) == read_text(empty / "image.npy"));
}

INSTANTIATE_TEST_SUITE_P(Sources, CommandsOfAWindow, ::testing::ValuesIn(kSources),
                         [](const auto& info) { return std::string(info.param.name); });

class CommandsOfAScanner : public WindowTest {};

TEST_F(CommandsOfAScanner, AreNotSaid) {
  const Variable runtime("XDG_RUNTIME_DIR", folder_.path().string());
  save_in(folder_.path());
  Options options = script_options("live:test");
  options.source_given = true;
  begin(options);
  ASSERT_TRUE(until([&] { return state().scanner.has_value(); }));
  ScriptedSender sender(folder_ / "echoloop" / "test.sock");
  ASSERT_TRUE(sender.begin(
      R"({"axes": ["transmit", "element", "time"], "shape": [1, 16, 256], "dtype": "int16", "fs_hz": 20e6, "fc_hz": 5e6,
          "c_m_s": 1540, "pitch_m": 3e-4, "t0_s": 0, "t_zero": "origin", "tx": [{"kind": "plane", "angle_rad": 0}]})"));
  ASSERT_TRUE(until([&] { return state().run == RunState::live; }));
  ASSERT_TRUE(sender.frame(0, 1));
  ASSERT_TRUE(until([&] { return state().numbers.shown > 0; }));
  for (const SaveWhat what : {SaveWhat::data, SaveWhat::picture}) {
    fs::path file = save(*app_, folder_.path(), what);
    const json said = json::parse(read_text(file.replace_extension(".json")));
    EXPECT_FALSE(said.contains("command"));
    EXPECT_NE(said.value("command_missing", "").find("scanner"), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace echoloop::testing::commands_window_test
