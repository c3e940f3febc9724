// The lessons that the tour opens show what they say, in the program's own window.
#include <gtest/gtest.h>

#include <cstdlib>

#include "app/window/window_app.h"
#include "gui/docks/tour.h"
#include "gui/turning.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::lesson_test {
namespace {

void press(WindowApp& app, Key key) {
  InjectedInput input;
  input.keys = {{.key = key}};
  app.viewer().inject(input);
  app.turn();
}

// By the tour, from F1.
void open_lesson(WindowApp& app) {
  press(app, Key::f1);
  app.turn();
  click(app, "tour_again");
  for (std::size_t i = 0; i < tour_steps().size(); ++i) {
    for (int turn = 0; turn < 3; ++turn) app.turn();
    if (app.viewer().control_rect("tour_lesson").width() > 0.0F) return click(app, "tour_lesson");
    press(app, Key::enter);
  }
  ADD_FAILURE() << "no lesson in the tour";
}

// Tissue of the ramp beside the point is brighter than tissue 4 mm deeper, by the phantom's 7.2 dB. The coherence
// factor makes it darker than that: a dark region that is no cyst.
TEST(Lesson, TheDarkRegionIsMadeByTheMethod) {
  const TemporaryFolder folder;
  ::setenv("XDG_CONFIG_HOME", (folder / "config").c_str(), 1);
  Options options;
  options.source = "sim:points";
  options.backend = BackendChoice::cpu;
  options.duration_s = 1e9;  // a script: the tour does not come by itself
  options.width = 1280;
  options.height = 800;
  WindowApp app(options, SurfaceKind::offscreen);
  app.begin();
  UiState& state = app.state();
  ASSERT_TRUE(turn_until(app, [&] { return state.numbers.shown > 1; }));
  open_lesson(app);
  const auto measured_with = [&](Adaptive method) {
    return state.image.measured.pairs.size() == 1 && state.image.measured.image.params.formation.adaptive == method;
  };
  ASSERT_TRUE(turn_until(app, [&] { return measured_with(Adaptive::coherence); }));
  EXPECT_LT(state.image.measured.pairs[0].stats.contrast_db, -10.0);
  state.params.formation.adaptive = Adaptive::off;
  press(app, Key::right_bracket);  // any key that says that parameters changed
  ASSERT_TRUE(turn_until(app, [&] { return measured_with(Adaptive::off); }));
  EXPECT_NEAR(state.image.measured.pairs[0].stats.contrast_db, 7.2, 2.0);
}

}  // namespace
}  // namespace echoloop::testing::lesson_test
