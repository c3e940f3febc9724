// Undo and redo: what is one step, what it says, and that it brings back exactly what was.
#include "gui/state/edit_history.h"

#include <gtest/gtest.h>

#include "core/own_method.h"
#include "gui/bare_screen.h"
#include "support/acquisitions.h"

namespace echoloop::testing::edit_history_test {
namespace {

struct Watched {
  EditHistory history;
  ImagingParams params;
  std::vector<Mark> marks;
  std::vector<MModeCaliper> calipers;
  double time_s = 0;
  std::uint64_t event = 0;

  Watched() { history.begin({params, marks, calipers}); }
  void frame(DragState drag = DragState::free, double step_s = 0.016) {
    time_s += step_s;
    history.observe({params, marks, calipers}, drag, time_s);
  }
  bool undo() { return go_to(history.undo()); }
  bool redo() { return go_to(history.redo()); }
  bool go_to(const std::optional<Undoable>& to) {
    if (to) {
      params = to->params;
      marks = to->marks;
      calipers = to->calipers;
    }
    frame();
    return to.has_value();
  }
};

std::shared_ptr<OwnMethod> method_with(const char* parameter) {
  auto method = std::make_shared<OwnMethod>();
  method->parameters = {{parameter, "", "", 0.0, 1.0, 0.5}};
  return method;
}

TEST(EditHistory, AMethodThatIsCompiledAgainIsNoStepAndTheOneBeforeIsFreed) {
  Watched w;
  std::weak_ptr<const OwnMethod> first;
  {
    const auto method = method_with("strength");
    first = method;
    set_own_method(w.params.formation, method);
    w.frame();
  }
  w.params.formation.own_values[0] = 0.75;
  w.frame(DragState::free, 10.0);
  set_own_method(w.params.formation, method_with("strength"));
  w.frame(DragState::free, 10.0);
  EXPECT_TRUE(first.expired());
  EXPECT_EQ(w.params.formation.own_values[0], 0.75);
  ASSERT_TRUE(w.undo());
  EXPECT_EQ(w.params.formation.own_values[0], 0.5);
  EXPECT_FALSE(w.undo()) << "the methods are no steps";
}

TEST(EditHistory, ADragIsOneStep) {
  Watched w;
  const ImagingParams before = w.params;
  for (int i = 1; i <= 40; ++i) {
    w.params.formation.f_number = 1.5 - 0.01 * i;
    w.frame(DragState::holding);
    if (i % 10 == 0) w.frame(DragState::holding, 2.0);  // held still for a while
  }
  w.frame();
  const ImagingParams after = w.params;
  EXPECT_EQ(w.history.undo_text(), "F-number 1.10 → 1.50");
  EXPECT_TRUE(w.undo());
  EXPECT_EQ(w.params, before);
  EXPECT_FALSE(w.undo());
  EXPECT_EQ(w.history.redo_text(), "F-number 1.50 → 1.10");
  EXPECT_TRUE(w.redo());
  EXPECT_EQ(w.params, after);
  EXPECT_FALSE(w.redo());
}

TEST(EditHistory, ChangesByAProgramAreStepsThatJoinForAWhile) {
  Watched w;
  const auto set = [&w](double f_number, const RemoteEdit& by, double after_s) {
    w.params.formation.f_number = f_number;
    w.time_s += after_s;
    w.history.record({w.params, w.marks, w.calipers}, w.time_s, by);
    w.frame();  // a window frame in between
  };
  const RemoteEdit sweep{.label = {}, .joint = "1 f_number"};
  set(1.4, sweep, 0.0);
  set(1.3, sweep, 0.9 * kJoinRemote_s - 0.016);
  set(1.2, sweep, 0.9 * kJoinRemote_s - 0.016);
  EXPECT_EQ(w.history.undo_text(), "remote: F-number 1.20 → 1.50");
  set(1.1, sweep, 1.1 * kJoinRemote_s);
  set(1.0, {.label = "last one", .joint = "2 f_number"}, 0.0);
  EXPECT_EQ(w.history.undo_text(), "last one");
  EXPECT_TRUE(w.undo());
  EXPECT_EQ(w.history.undo_text(), "remote: F-number 1.10 → 1.20");
  set(0.9, sweep, 0.0);  // after an undo nothing joins
  EXPECT_EQ(w.history.undo_text(), "remote: F-number 0.90 → 1.10");
  EXPECT_TRUE(w.undo() && w.undo() && w.undo());
  EXPECT_EQ(w.params.formation.f_number, 1.5);
  EXPECT_FALSE(w.undo());
  EXPECT_EQ(w.history.redo_text(), "remote: F-number 1.50 → 1.20");
}

TEST(EditHistory, ACaliperThatIsDrawnMovedAndRemovedIsThreeSteps) {
  Watched w;
  const MModeCaliper drawn{1.0, 10e-3, 1.5, 12e-3}, moved{1.0, 10e-3, 1.7, 13e-3};
  for (const double end_s : {1.2, 1.5}) {
    w.calipers = {{drawn.time0_s, drawn.depth0_m, end_s, drawn.depth1_m}};
    w.frame(DragState::holding);
  }
  w.frame();
  w.calipers = {moved};
  w.frame(DragState::holding);
  w.frame();
  w.calipers.clear();
  w.frame();
  EXPECT_EQ(w.history.undo_text(), "M-mode caliper restored");
  EXPECT_TRUE(w.undo());
  EXPECT_EQ(w.calipers, std::vector{moved});
  EXPECT_TRUE(w.undo());
  EXPECT_EQ(w.calipers, std::vector{drawn});
  EXPECT_TRUE(w.undo());
  EXPECT_TRUE(w.calipers.empty());
  EXPECT_FALSE(w.undo());
  EXPECT_TRUE(w.redo());
  EXPECT_EQ(w.calipers, std::vector{drawn});
}

// Parameters that were changed in between can still be undone.
TEST(EditHistory, CalipersOfAnotherLineDoNotComeBack) {
  Watched w;
  w.calipers = {{1.0, 10e-3, 1.5, 12e-3}};
  w.frame();
  w.params.formation.f_number = 1.2;
  w.frame();
  w.calipers.clear();
  w.history.forget_calipers();
  w.frame();
  EXPECT_TRUE(w.undo());
  EXPECT_NE(w.params.formation.f_number, 1.2);
  EXPECT_TRUE(w.calipers.empty());
  EXPECT_FALSE(w.undo());
}

TEST(EditHistory, TwoDragsOfOneSliderAreTwoSteps) {
  Watched w;
  for (const double value : {1.2, 0.9}) {
    w.params.formation.f_number = value;
    w.frame(DragState::holding);
    w.frame();
  }
  EXPECT_TRUE(w.undo());
  EXPECT_EQ(w.params.formation.f_number, 1.2);
  EXPECT_TRUE(w.undo());
  EXPECT_EQ(w.params.formation.f_number, 1.5);
}

TEST(EditHistory, KeysInQuickSuccessionAreOneStepSlowOnesAreTwo) {
  Watched w;
  for (int i = 0; i < 5; ++i) {
    w.params.display.gain_db += 1;
    w.frame(DragState::free, 0.1);
  }
  w.params.display.gain_db += 1;
  w.frame(DragState::free, 2.0);
  EXPECT_TRUE(w.undo());
  EXPECT_EQ(w.params.display.gain_db, 5.0);
  EXPECT_TRUE(w.undo());
  EXPECT_EQ(w.params.display.gain_db, 0.0);
}

TEST(EditHistory, QuickChangesOfDifferentParametersAreTwoSteps) {
  Watched w;
  w.params.display.gain_db = 3;
  w.frame();
  w.params.display.color_map = ColorMap::hot;
  w.frame();
  EXPECT_EQ(w.history.undo_text(), "Colour map Hot → Gray");
  EXPECT_TRUE(w.undo());
  EXPECT_EQ(w.params.display.gain_db, 3.0);
}

TEST(EditHistory, APresetIsOneStepWithItsName) {
  Watched w;
  w.params.display.gain_db = 3;
  w.frame();
  w.params.display.gain_db = 6;
  w.params.formation.f_number = 2;
  w.history.observe({w.params, w.marks}, DragState::free, w.time_s + 0.01, 1, "preset Smooth");
  EXPECT_EQ(w.history.undo_text(), "preset Smooth");
  EXPECT_TRUE(w.history.undo()->params.display.gain_db == 3.0);
  EXPECT_EQ(w.history.redo_text(), "preset Smooth");
}

// Also one that changes nothing, or was saved without a change.
TEST(EditHistory, ThePresetInUseComesBackWithItsParameters) {
  Watched w;
  const auto use = [&w](const std::string& preset, double gain_db) {
    w.params.display.gain_db = gain_db;
    w.history.observe({w.params, w.marks, {}, preset}, DragState::free, w.time_s += 5, ++w.event, preset);
  };
  use("Detail", 3);
  use("Smooth", 6);
  EXPECT_EQ(w.history.undo()->preset, "Detail");
  EXPECT_EQ(w.history.undo()->preset, "");
  EXPECT_EQ(w.history.redo()->preset, "Detail");
  use("Same as Detail", 3);
  use("Smooth", 6);
  EXPECT_EQ(w.history.undo()->preset, "Same as Detail");
}

TEST(EditHistory, ARefusedValueLeavesNoStep) {
  Watched w;
  w.params.display.gain_db = 3;
  w.frame();
  w.params.display.gain_db = 0;  // the program took it back
  w.frame();
  EXPECT_EQ(w.history.undo_text(), "");
  EXPECT_FALSE(w.undo());
}

TEST(EditHistory, AChangeAfterUndoForgetsWhatCouldBeRedone) {
  Watched w;
  w.params.display.gain_db = 3;
  w.frame(DragState::holding);
  w.frame();
  w.undo();
  w.params.display.gamma = 2;
  w.frame();
  EXPECT_FALSE(w.redo());
  EXPECT_TRUE(w.undo());
  EXPECT_EQ(w.params, ImagingParams());
}

TEST(EditHistory, AnotherSourceClearsIt) {
  Watched w;
  w.params.display.gain_db = 3;
  w.frame();
  w.params.formation.depth_max_m = 0.2;
  w.history.begin({w.params, w.marks});
  w.frame();
  EXPECT_FALSE(w.undo());
  EXPECT_FALSE(w.redo());
}

TEST(EditHistory, SaysUnitsAndHowManyMore) {
  ImagingParams a, b;
  EXPECT_EQ(change_text(a, b), "");
  b.display.gain_db = -3;
  EXPECT_EQ(change_text(a, b), "Gain 0.0 → −3.0 dB");
  b.display.gamma = 2;
  EXPECT_EQ(change_text(a, b), "Gain 0.0 → −3.0 dB, Gamma");
  b.display.color_map = ColorMap::hot;
  EXPECT_EQ(change_text(a, b), "Gain 0.0 → −3.0 dB and 2 more");
}

Mark distance(int number, double z_m) {
  return {.number = number, .kind = MarkKind::distance, .points = {{0, z_m}, {1e-3, z_m}}};
}

TEST(EditHistory, MarksAndParametersGoBackInTheOrderInWhichTheyChanged) {
  Watched w;
  w.marks = {distance(1, 10e-3)};
  w.frame();
  w.params.display.gain_db = 3;
  w.frame();
  w.marks.push_back(distance(2, 20e-3));  // soon after: still a step of its own
  w.frame();
  const std::vector<Mark> both = w.marks;
  w.marks.clear();
  w.frame();
  EXPECT_EQ(w.history.undo_text(), "2 measurements restored");
  EXPECT_TRUE(w.undo());
  EXPECT_EQ(w.marks, both);
  EXPECT_EQ(w.history.undo_text(), "Distance 2 removed");
  EXPECT_TRUE(w.undo());
  EXPECT_EQ(w.params.display.gain_db, 3.0);
  EXPECT_TRUE(w.undo());
  EXPECT_EQ(w.params.display.gain_db, 0.0);
  EXPECT_EQ(w.marks.size(), 1U);
  EXPECT_TRUE(w.undo());
  EXPECT_TRUE(w.marks.empty());
  EXPECT_FALSE(w.undo());
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(w.redo());
  EXPECT_FALSE(w.redo());
  EXPECT_TRUE(w.marks.empty()) << "cleared again";
  EXPECT_EQ(w.params.display.gain_db, 3.0);
}

TEST(EditHistory, AMarkThatIsDraggedIsOneStepAndSoIsItsRole) {
  Watched w;
  w.marks = {distance(1, 10e-3)};
  w.frame();
  for (int i = 1; i <= 20; ++i) {
    w.marks[0] = distance(1, 10e-3 + 1e-4 * i);
    w.frame(DragState::holding);
  }
  w.frame();
  w.marks[0].role = RegionRole::target;
  w.marks[0].pair = 2;
  w.frame();
  EXPECT_EQ(w.history.undo_text(), "Distance 1 changed");
  EXPECT_TRUE(w.undo());
  EXPECT_EQ(w.marks[0], distance(1, 12e-3));
  EXPECT_TRUE(w.undo());
  EXPECT_EQ(w.marks[0], distance(1, 10e-3));
}

TEST(EditHistory, KeepsTheLastTwoHundredSteps) {
  Watched w;
  for (int i = 1; i <= 300; ++i) {
    w.params.formation.sound_speed_m_s = 1000 + i;
    w.frame(DragState::free, 2.0);
  }
  int undone = 0;
  while (w.undo()) ++undone;
  EXPECT_EQ(undone, 200);
  EXPECT_EQ(w.params.formation.sound_speed_m_s, 1100);
}

// Undo and redo in the window: measurements and parameters in one order, by key and from the menu.

const KeyPress kUndo{.key = Key::z, .control = true};
const KeyPress kRedo{.key = Key::z, .control = true, .shift = true};

std::vector<Mark> two_marks() {
  return {{.number = 1, .kind = MarkKind::distance, .points = {{-5e-3, 20e-3}, {5e-3, 20e-3}}},
          {.number = 2,
           .kind = MarkKind::circle,
           .points = {{0, 30e-3}, {2e-3, 30e-3}},
           .role = RegionRole::target,
           .pair = 1}};
}

class Undo : public ::testing::Test {
 protected:
  Undo() : window_({}, plausible_state(), test_image()) {
    for (int i = 0; i < 2; ++i) window_.frame();
    state_.marks.list = two_marks();
    window_.frame();
  }
  void click(const std::string& id) {
    const Rect r = window_.rect_of(id);
    ASSERT_GT(r.width(), 0.0F) << id;
    window_.click(r.cx(), r.cy());
  }

  BareScreen window_;
  WindowState& state_ = window_.state;
};

TEST_F(Undo, BringsClearedMeasurementsBack) {
  state_.marks.selected = 2;
  click("tools/more");
  click("marks/clear");
  EXPECT_TRUE(state_.marks.list.empty());
  EXPECT_EQ(window_.rect_of("marks/clear").width(), 0.0F) << "only in the menu, which has closed";
  window_.frame({kUndo});
  EXPECT_EQ(state_.marks.list, two_marks());
  window_.frame({kRedo});
  EXPECT_TRUE(state_.marks.list.empty());
  window_.frame({kUndo});
  window_.frame({kUndo});
  EXPECT_TRUE(state_.marks.list.empty()) << "and before they were drawn";
}

TEST_F(Undo, GoesThroughMeasurementsAndParametersInOneOrder) {
  state_.params.display.gain_db = 4;
  window_.frame();
  state_.marks.list[0].points[1] = {8e-3, 20e-3};
  window_.frame();
  state_.marks.list.erase(state_.marks.list.begin() + 1);
  window_.frame();
  window_.frame({kUndo});
  EXPECT_EQ(state_.marks.list.size(), 2U);
  EXPECT_FALSE(window_.commands.contains("params_changed")) << "no parameter has changed";
  window_.frame({kUndo});
  EXPECT_EQ(state_.marks.list, two_marks());
  EXPECT_EQ(state_.params.display.gain_db, 4.0);
  window_.frame({kUndo});
  EXPECT_EQ(state_.params.display.gain_db, 0.0);
  EXPECT_TRUE(window_.commands.contains("params_changed"));
  EXPECT_EQ(state_.marks.list, two_marks());
  for (int i = 0; i < 3; ++i) window_.frame({kRedo});
  EXPECT_EQ(state_.params.display.gain_db, 4.0);
  EXPECT_EQ(state_.marks.list.size(), 1U);
  EXPECT_EQ(state_.marks.list[0].points[1].x_m, 8e-3);
}

TEST_F(Undo, ForgetsWhatBelongsToAnotherSource) {
  state_.source.acquisition = share(testing::linear_acquisition(16, 256, {0}));
  state_.marks.list.clear();
  window_.frame();
  window_.hints.clear();
  window_.frame({kUndo});
  EXPECT_TRUE(state_.marks.list.empty());
  EXPECT_EQ(window_.hints, std::vector<std::string>{"Nothing to undo."});
}

// Keys that cannot act say why, in a line that goes by itself, and change nothing.
TEST_F(Undo, KeysThatCannotActSayWhy) {
  const std::vector<std::pair<KeyPress, std::string>> live = {
      {{.key = Key::left}, "Freeze first"}, {{.key = Key::right}, "Freeze first"}, {{.key = Key::home}, "Freeze first"},
      {{.key = Key::end}, "Freeze first"},  {{.key = Key::p}, "Freeze first"},     {{.key = Key::i}, "Freeze first"},
      {{.key = Key::o}, "Freeze first"},    {{.key = Key::digit7}, "No preset"},   {kRedo, "Nothing to redo."},
      {{.key = Key::remove}, "selected"},   {{.key = Key::f}, "whole image"}};
  state_.kept.frames = 100;
  for (const auto& [press, why] : live) {
    window_.hints.clear();
    window_.commands.clear();
    window_.frame({press});
    ASSERT_EQ(window_.hints.size(), 1U) << static_cast<int>(press.key);
    EXPECT_NE(window_.hints[0].find(why), std::string::npos) << window_.hints[0];
    EXPECT_EQ(window_.commands, std::set<std::string>{"hint"}) << static_cast<int>(press.key);
  }
  state_.run = RunState::idle;
  state_.source = {};
  for (const Key key : {Key::space, Key::r, Key::n, Key::m, Key::d, Key::x}) {
    window_.hints.clear();
    window_.frame({{.key = key}});
    EXPECT_EQ(window_.hints.size(), 1U) << static_cast<int>(key);
  }
  EXPECT_EQ(window_.screen->settings().dock, Dock::none);
  state_.params.display.dynamic_range_db = 1e9;
  while (window_.hints.size() < 3) window_.frame({{.key = Key::right_bracket}});
  EXPECT_NE(window_.hints.back().find("maximum"), std::string::npos) << window_.hints.back();
}

}  // namespace
}  // namespace echoloop::testing::edit_history_test
