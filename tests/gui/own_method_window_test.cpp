// An own method in the program's window: saved files are compiled while the stream goes on, a broken one changes
// nothing.
#include <gtest/gtest.h>

#include <fstream>

#include "core/own_method.h"
#include "gui/scene.h"
#include "gui/turning.h"
#include "support/temporary_folder.h"
#include "test_paths.h"

namespace echoloop::testing::own_method_window_test {
namespace {

class OwnMethodWindow : public WindowTest {
 protected:
  OwnMethodWindow() {
    Options options = script_options("sim:points,probe=L128,angles_deg=0");
    options.settings = {"depth_max_m=0.03", "grid_nx=48", "grid_nz=64"};
    options.history_bytes = std::size_t{64} << 20;
    begin(options);
  }
  ~OwnMethodWindow() override { load_own_method(nullptr); }

  void save(const std::string& text) { std::ofstream(file_) << text; }
  bool shows(OwnState wanted) {
    const auto holds = [&] { return state().image.method.state == wanted; };
    return until(holds) || until(holds) || until(holds);  // a compiler on a busy machine
  }
  [[nodiscard]] bool image_is_own() {
    const FormationParams& f = app_->viewer().shown_image().params.formation;
    return f.adaptive == Adaptive::own && f.own == loaded_own_method();
  }

  TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "mine.h";
  const std::string right_ = read_text(std::filesystem::path(ECHO_SOURCE_DIR) / "assets/methods/wiener.h");
};

TEST_F(OwnMethodWindow, IsCompiledAtEverySaveAndABrokenOneChangesNothing) {
  ASSERT_TRUE(until([&] { return state().numbers.shown > 2; }));
  save(right_);
  app_->commands().send(command::OpenMethod{file_});
  ASSERT_TRUE(shows(OwnState::ready));
  ASSERT_TRUE(until([&] { return image_is_own(); }));
  const auto first = loaded_own_method();
  EXPECT_EQ(first->name, "mine");
  state().params.formation.own_values[0] = 0.125;
  app_->commands().send(command::ParamsChanged{});

  save("int x = ;");
  ASSERT_TRUE(shows(OwnState::refused));
  ASSERT_FALSE(state().image.method.lines.empty());
  EXPECT_EQ(state().image.method.lines[0].line, 1);
  EXPECT_EQ(loaded_own_method(), first);
  const std::uint64_t shown = app_->viewer().shown_image().number;
  ASSERT_TRUE(until([&] { return app_->viewer().shown_image().number > shown; })) << "the stream goes on";
  EXPECT_TRUE(image_is_own());

  std::string other = right_;
  other.replace(other.find("0, 1, 0.5,"), 10, "0, 2, 0.5,");
  save(other);
  ASSERT_TRUE(shows(OwnState::ready));
  EXPECT_NE(loaded_own_method(), first);
  ASSERT_TRUE(until([&] { return image_is_own(); }));
  EXPECT_EQ(state().params.formation.own_values[0], 0.125) << "as the user set it";

  std::string late = right_;  // fails in the stream, not in the trial, whose probe has 64 elements
  late.replace(late.find("if (!(most > 0.0f)) return 0.0f;"), 32, "if (n > 64.0f) return 0.0f / 0.0f;");
  save(late);
  state().params.formation.f_number = 0.0;
  ASSERT_TRUE(shows(OwnState::failed));
  EXPECT_EQ(state().params.formation.adaptive, Adaptive::off);
  ASSERT_TRUE(until([&] { return app_->viewer().shown_image().params.formation.adaptive == Adaptive::off; }));
  save(right_);
  ASSERT_TRUE(shows(OwnState::ready));
  EXPECT_TRUE(until([&] { return image_is_own(); }));

  std::filesystem::remove(file_);
  ASSERT_TRUE(shows(OwnState::refused));
  EXPECT_TRUE(image_is_own()) << "the last good one";
}

TEST_F(OwnMethodWindow, ShowsItsDifferenceAndIsRemembered) {
  ASSERT_TRUE(until([&] { return state().numbers.shown > 2; }));
  save(right_);
  app_->commands().send(command::OpenMethod{file_});
  ASSERT_TRUE(shows(OwnState::ready));
  const OwnDifference& difference = state().image.method.difference;
  ASSERT_TRUE(until([&] { return difference.levels.pixels > 0; })) << difference.why_not;
  EXPECT_EQ(difference.method, "delay-and-sum");
  EXPECT_GT(difference.levels.rms_db, 1.0);
  EXPECT_LT(difference.levels.mean_db, 0.0) << "a weight";

  save(read_text(std::filesystem::path(ECHO_SOURCE_DIR) / "assets/methods/delay_and_sum.h"));
  ASSERT_TRUE(until([&] { return loaded_own_method()->source != right_ && image_is_own(); }));
  EXPECT_TRUE(until([&] { return difference.levels.pixels > 0 && difference.levels.rms_db < 0.1; }));

  ASSERT_FALSE(state().opening.methods.empty());
  EXPECT_EQ(state().opening.methods.front(), file_);
  app_.reset();
  load_own_method(nullptr);
  begin(script_options("sim:points,probe=L128,angles_deg=0"));
  ASSERT_TRUE(until([&] { return state().numbers.shown > 2; }));
  ASSERT_FALSE(state().opening.methods.empty());
  EXPECT_EQ(state().opening.methods.front(), file_) << "in another run";
  EXPECT_EQ(state().image.method.state, OwnState::none) << "not compiled by itself";
}

TEST_F(OwnMethodWindow, ItsParametersAreSlidersAndOthersAreRefusedWithoutOne) {
  ASSERT_TRUE(until([&] { return state().numbers.shown > 2; }));
  state().params.formation.adaptive = Adaptive::own;
  app_->commands().send(command::ParamsChanged{});
  ASSERT_TRUE(until([&] { return state().params.formation.adaptive == Adaptive::off; })) << "no method is loaded";
  save(right_);
  app_->commands().send(command::OpenMethod{file_});
  ASSERT_TRUE(shows(OwnState::ready));
  app_->turn();
  app_->turn();
  click("own.strength");  // its middle is the default; the track's value follows the pointer
  EXPECT_TRUE(until([&] { return image_is_own(); }));
  EXPECT_NEAR(state().params.formation.own_values[0], 0.5, 0.1);
}

}  // namespace
}  // namespace echoloop::testing::own_method_window_test
