// Undo and redo: what is one step, what it says, and that it brings back exactly what was.
#include "gui/state/edit_history.h"

#include <gtest/gtest.h>

namespace echoloop::edit_history_test {
namespace {

struct Watched {
  EditHistory history;
  ImagingParams params;
  std::vector<Mark> marks;
  std::vector<MModeCaliper> calipers;
  double time_s = 0;

  Watched() { history.begin({params, marks, calipers}); }
  void frame(DragState drag = DragState::free, double step_s = 0.016) {
    time_s += step_s;
    history.observe({params, marks, calipers}, drag, time_s);
  }
  bool undo() { return go_to(history.undo()); }
  bool redo() { return go_to(history.redo()); }
  bool go_to(const std::optional<Edits>& to) {
    if (to) {
      params = to->params;
      marks = to->marks;
      calipers = to->calipers;
    }
    frame();
    return to.has_value();
  }
};

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

}  // namespace
}  // namespace echoloop::edit_history_test
