// A figure of A and B that the window saves: its JSON describes both, and its command makes the same file without a
// window.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/commands.h"
#include "app/window/window_app.h"
#include "gui/turning.h"
#include "support/environment_variable.h"
#include "support/recorded_data.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::compare_figure_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDiverging = "simus_p42v_diverging/simus_p42v_diverging.uff";
constexpr const char* kConvex = "simus_c52v_convex/rf.npy";

// As a shell would, of words without quotes, in a folder of its own.
class InFolder {
 public:
  explicit InFolder(const fs::path& folder) : before_(fs::current_path()) { fs::current_path(folder); }
  ~InFolder() { fs::current_path(before_); }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;
  [[nodiscard]] static int run(const std::string& command) {
    std::istringstream text(command);
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    return run_headless(parse_command_line(static_cast<int>(words.size()), argv.data()));
  }

 private:
  fs::path before_;
};

struct Compared : ScriptedWindow {
  explicit Compared(const std::string& source) : pictures_("XDG_PICTURES_DIR", folder_.path().string()) {
    Options options = script_options(source);
    options.width = 1280;
    options.height = 800;
    options.settings = {"grid_nx=61", "grid_nz=81"};
    begin(options);
  }
  void freeze_and_compare() const {
    ASSERT_TRUE(until([&] { return state().numbers.shown > 2; }));
    press(Key::space);
    ASSERT_TRUE(until([&] { return state().run == RunState::frozen; }));
    press(Key::x);
    state().marks.list = {{.number = 1,
                           .kind = MarkKind::circle,
                           .points = {{-18e-3, 48e-3}, {-18e-3, 52e-3}},
                           .role = RegionRole::target,
                           .pair = 1},
                          {.number = 2,
                           .kind = MarkKind::rectangle,
                           .points = {{-4e-3, 44e-3}, {4e-3, 52e-3}},
                           .role = RegionRole::background,
                           .pair = 1}};
  }
  void compare_with(const fs::path& file) const {
    click("compare/a");
    click("compare/a/1");
    ASSERT_TRUE(until([&] { return app_->viewer().screen().ui().rect_of("open_file").width() > 0.0F; }));
    turn(*app_, 3);
    InjectedInput input;
    input.text = file.string();
    inject(*app_, input, 3);
    click("open_file");
  }
  // Returns the JSON beside it.
  [[nodiscard]] nlohmann::json save() const {
    press(Key::s);
    EXPECT_TRUE(until([&] { return !state().saving.last.empty(); }));
    EXPECT_FALSE(state().saving.failed) << state().saving.last;
    return nlohmann::json::parse(read_text(saved(".json")));
  }
  [[nodiscard]] fs::path saved(const std::string& ending) const {
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      if (entry.path().extension() == ending) return entry.path();
    }
    return {};
  }
  // Of A: what its command makes is what is on screen.
  void expect_command_makes_a(const nlohmann::json& json) const {
    const TemporaryFolder elsewhere;
    const InFolder there(elsewhere.path());
    ASSERT_EQ(InFolder::run(json["a"]["command"]), 0);
    const std::string npy = read_text(elsewhere / "image.npy");
    const std::vector<float> levels = app_->viewer().compared_db();
    const std::size_t bytes = levels.size() * sizeof(float);
    ASSERT_GT(npy.size(), bytes);
    EXPECT_EQ(std::memcmp(npy.data() + npy.size() - bytes, levels.data(), bytes), 0);
  }
  void expect_command_makes_the_file(const nlohmann::json& json) const {
    ASSERT_TRUE(json.contains("command")) << json;
    const TemporaryFolder elsewhere;
    const InFolder there(elsewhere.path());
    ASSERT_EQ(InFolder::run(json["command"]), 0) << json["command"];
    EXPECT_TRUE(read_text(elsewhere / "compared.png") == read_text(saved(".png"))) << json["command"];
    const auto again = nlohmann::json::parse(read_text(elsewhere / "compared.json"));
    EXPECT_EQ(again["values"], json["values"]);
    EXPECT_EQ(again["a"]["values"], json["a"]["values"]);
    EXPECT_EQ(again["a"]["parameters"], json["a"]["parameters"]);
    const std::string first = read_text(elsewhere / "compared.png");
    ASSERT_EQ(InFolder::run(again["command"]), 0) << again["command"];  // of the run without a window
    EXPECT_TRUE(read_text(elsewhere / "compared.png") == first) << again["command"];
  }

 private:
  Variable pictures_;
};

TEST(ComparedFigure, OfTwoSettingsIsMadeAgainByItsCommand) {
  ECHO_NEED_DATA(kDiverging);
  const Compared window((data_folder() / kDiverging).string());
  window.freeze_and_compare();
  WindowState& state = window.state();
  state.params.formation.adaptive = Adaptive::coherence;
  state.params.display.gain_db = 3.0;
  ASSERT_TRUE(window.until([&] {
    return state.measured.image.params.formation.adaptive == Adaptive::coherence &&
           state.measured_a.image.number != 0 && !state.measured.scatters.empty();
  }));
  state.cine.match_levels = true;
  state.cine.wipe = 0.3F;
  turn(window.app(), 3);
  const nlohmann::json json = window.save();
  EXPECT_NE(json["command"].get<std::string>().find(" --compare-layout wipe=-"), std::string::npos) << json["command"];
  EXPECT_EQ(json["parameters"]["adaptive"], "coherence");
  EXPECT_EQ(json["a"]["parameters"]["adaptive"], "off");
  EXPECT_NE(json["a"]["values"]["pairs"][0]["contrast_db"], json["values"]["pairs"][0]["contrast_db"]);
  EXPECT_EQ(json["a"]["values"]["pairs"][0]["gcnr"], state.measured_a.pairs[0].stats.gcnr);
  window.expect_command_makes_a(json);
  window.expect_command_makes_the_file(json);
}

TEST(ComparedFigure, SideBySideIsMadeAgainByItsCommand) {
  const Compared window("sim:points");
  window.freeze_and_compare();
  WindowState& state = window.state();
  state.marks.list.clear();
  state.cine.compare_look = CompareLook::side_by_side;
  state.params.formation.f_number = 3.0;
  ASSERT_TRUE(window.until([&] {
    const Image* const a = window.app().viewer().compared_image();
    return a != nullptr && window.app().viewer().shown_image().params.formation.f_number == 3.0;
  }));
  state.marks.list = {{.number = 1, .kind = MarkKind::rectangle, .points = {{-3e-3, 15e-3}, {3e-3, 25e-3}}}};
  const nlohmann::json json = window.save();  // before the panel has measured the mark
  EXPECT_EQ(json["command"].get<std::string>().find("--compare-layout"), std::string::npos) << json["command"];
  window.expect_command_makes_the_file(json);
}

TEST(ComparedFigure, OfTwoRecordingsIsMadeAgainByItsCommand) {
  ECHO_NEED_DATA(kDiverging);
  ECHO_NEED_DATA(kConvex);
  const Compared window((data_folder() / kDiverging).string());
  const std::string a_file = (data_folder() / kConvex).string();
  window.freeze_and_compare();
  WindowState& state = window.state();
  window.compare_with(a_file);
  ASSERT_TRUE(window.until([&] {
    const Image& a = state.measured_a.image;
    return a.acquisition != nullptr && a.acquisition == state.kept.a_recording.acquisition;
  }));
  const nlohmann::json json = window.save();
  EXPECT_EQ(json["a"]["source"], a_file);
  EXPECT_NE(json["a"]["acquisition"]["probe"], json["acquisition"]["probe"]);
  window.expect_command_makes_a(json);
  window.expect_command_makes_the_file(json);
}

}  // namespace
}  // namespace echoloop::testing::compare_figure_test
