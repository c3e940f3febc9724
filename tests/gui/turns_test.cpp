// No turn of the window does what takes long: figures are drawn, matched and written by the save thread, a stream ends
// and the next one begins on threads of their own.
#include <ctime>

#include "gui/turning.h"
#include "support/environment_variable.h"
#include "support/waiting.h"

namespace echoloop::testing::turns_test {
namespace {

// Of this thread: neither waits nor other programs are in it.
double busy_ms() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

class Turns : public WindowTest {
 protected:
  void open(const std::vector<std::string>& settings) {
    Options options = script_options("sim:cyst");
    options.settings = settings;
    options.history_bytes = 50'000'000;
    options.width = 3840;
    options.height = 2160;
    options.ui_scale = 2;
    begin(options);
  }
  double turn() {
    const double before = busy_ms();
    app_->turn();
    const double ms = busy_ms() - before;
    longest_ms_ = std::max(longest_ms_, ms);
    return ms;
  }
  double press(const KeyPress& key) {
    InjectedInput input;
    input.keys = {key};
    app_->viewer().inject(input);
    return turn();
  }
  [[nodiscard]] bool until(const std::function<bool()>& holds) {
    return holds_within(std::chrono::seconds(60), [&] {
      if (!holds()) turn();
      return holds();
    });
  }
  void say_longest() const {
    RecordProperty("longest_turn_ms", std::to_string(longest_ms_));
    std::printf("longest turn of the UI thread: %.1f ms of processor time\n", longest_ms_);
  }

  double longest_ms_ = 0.0;
};

TEST_F(Turns, WriteNoFigureOfMatchedLevels) {
  const std::string to = (folder_ / "saved").string();
  std::filesystem::create_directories(to);
  const Variable pictures("XDG_PICTURES_DIR", to);
  open({"grid_nx=512", "grid_nz=640"});
  ASSERT_TRUE(until([&] { return state().numbers.shown > 1; }));
  press({Key::space});
  ASSERT_TRUE(until([&] { return state().run == RunState::frozen; }));
  press({Key::x});
  state().params.formation.adaptive = Adaptive::coherence;
  ASSERT_TRUE(until([&] {
    return app_->viewer().compared_image() != nullptr && app_->viewer().compared_image()->number != 0 &&
           app_->viewer().shown_image().params.formation.adaptive == Adaptive::coherence;
  }));
  press({.key = Key::x, .shift = true});
  ASSERT_TRUE(state().cine.match_levels);
  for (int i = 0; i < 5; ++i) turn();

  longest_ms_ = 0.0;
  constexpr std::size_t kFiles = 10;
  for (std::size_t i = 0; i < kFiles; ++i) {
    press({Key::s});
    EXPECT_TRUE(state().saving.writing) << "the turn did not write it";
  }
  ASSERT_TRUE(until([&] { return !state().saving.writing; }));
  EXPECT_FALSE(state().saving.failed) << state().saving.last;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(to)) files += entry.path().extension() == ".png" ? 1 : 0;
  EXPECT_EQ(files, kFiles);
  say_longest();
}

TEST_F(Turns, DoNotWaitForTheStreamBefore) {
  open({"grid_nx=512", "grid_nz=640", "adaptive=minimum_variance"});
  ASSERT_TRUE(until([&] { return state().numbers.counts.produced > 0; }));
  longest_ms_ = 0.0;
  for (const Key preset : {Key::digit1, Key::digit2, Key::digit3, Key::digit1}) {
    state().params.formation.adaptive = Adaptive::minimum_variance;
    app_->commands().send(command::ParamsChanged{});
    for (int i = 0; i < 3; ++i) turn();
    press({preset});
  }
  state().params.formation.adaptive = Adaptive::minimum_variance;
  app_->commands().send(command::ParamsChanged{});
  for (const char* const phantom : {"points", "heart"}) {
    app_->commands().send(command::OpenPhantom{phantom});
    int turns = 0;  // between the two streams
    ASSERT_TRUE(until([&] {
      const bool between = state().source.phantom == phantom && state().run == RunState::opening;
      turns += between ? 1 : 0;
      return state().source.phantom == phantom && !between;
    })) << phantom;
    EXPECT_GT(turns, 0) << phantom;
  }
  say_longest();
}

}  // namespace
}  // namespace echoloop::testing::turns_test
