// Undo and redo: what is one step, what it says, and that it brings back exactly what was.
#include "gui/param_history.h"

#include <gtest/gtest.h>

namespace echoloop {
namespace {

struct Watched {
  ParamHistory history;
  ImagingParams params;
  double time_s = 0;

  Watched() { history.begin(params); }
  void frame(Hand hand = Hand::free, double step_s = 0.016) {
    time_s += step_s;
    history.observe(params, hand, time_s);
  }
  bool undo() {
    const auto p = history.undo();
    if (p) params = *p;
    frame();
    return p.has_value();
  }
  bool redo() {
    const auto p = history.redo();
    if (p) params = *p;
    frame();
    return p.has_value();
  }
};

TEST(ParamHistory, ADragIsOneStep) {
  Watched w;
  const ImagingParams before = w.params;
  for (int i = 1; i <= 40; ++i) {
    w.params.f_number = 1.5 - 0.01 * i;
    w.frame(Hand::holding);
    if (i % 10 == 0) w.frame(Hand::holding, 2.0);  // held still for a while
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

TEST(ParamHistory, TwoDragsOfOneSliderAreTwoSteps) {
  Watched w;
  for (const double value : {1.2, 0.9}) {
    w.params.f_number = value;
    w.frame(Hand::holding);
    w.frame();
  }
  EXPECT_TRUE(w.undo());
  EXPECT_EQ(w.params.f_number, 1.2);
  EXPECT_TRUE(w.undo());
  EXPECT_EQ(w.params.f_number, 1.5);
}

TEST(ParamHistory, KeysInQuickSuccessionAreOneStepSlowOnesAreTwo) {
  Watched w;
  for (int i = 0; i < 5; ++i) {
    w.params.gain_db += 1;
    w.frame(Hand::free, 0.1);
  }
  w.params.gain_db += 1;
  w.frame(Hand::free, 2.0);
  EXPECT_TRUE(w.undo());
  EXPECT_EQ(w.params.gain_db, 5.0);
  EXPECT_TRUE(w.undo());
  EXPECT_EQ(w.params.gain_db, 0.0);
}

TEST(ParamHistory, QuickChangesOfDifferentParametersAreTwoSteps) {
  Watched w;
  w.params.gain_db = 3;
  w.frame();
  w.params.color_map = ColorMap::hot;
  w.frame();
  EXPECT_EQ(w.history.undo_text(), "Map hot → gray");
  EXPECT_TRUE(w.undo());
  EXPECT_EQ(w.params.gain_db, 3.0);
}

TEST(ParamHistory, APresetIsOneStepWithItsName) {
  Watched w;
  w.params.gain_db = 3;
  w.frame();
  w.params.gain_db = 6;
  w.params.f_number = 2;
  w.history.observe(w.params, Hand::free, w.time_s + 0.01, 1, "preset Smooth");
  EXPECT_EQ(w.history.undo_text(), "preset Smooth");
  EXPECT_TRUE(w.history.undo()->gain_db == 3.0);
  EXPECT_EQ(w.history.redo_text(), "preset Smooth");
}

TEST(ParamHistory, ARefusedValueLeavesNoStep) {
  Watched w;
  w.params.gain_db = 3;
  w.frame();
  w.params.gain_db = 0;  // the program took it back
  w.frame();
  EXPECT_EQ(w.history.undo_text(), "");
  EXPECT_FALSE(w.undo());
}

TEST(ParamHistory, AChangeAfterUndoForgetsWhatCouldBeRedone) {
  Watched w;
  w.params.gain_db = 3;
  w.frame(Hand::holding);
  w.frame();
  w.undo();
  w.params.gamma = 2;
  w.frame();
  EXPECT_FALSE(w.redo());
  EXPECT_TRUE(w.undo());
  EXPECT_EQ(w.params, ImagingParams());
}

TEST(ParamHistory, AnotherSourceClearsIt) {
  Watched w;
  w.params.gain_db = 3;
  w.frame();
  w.params.depth_max_m = 0.2;
  w.history.begin(w.params);
  w.frame();
  EXPECT_FALSE(w.undo());
  EXPECT_FALSE(w.redo());
}

TEST(ParamHistory, SaysUnitsAndHowManyMore) {
  ImagingParams a, b;
  EXPECT_EQ(change_text(a, b), "");
  b.gain_db = -3;
  EXPECT_EQ(change_text(a, b), "Gain 0.0 → −3.0 dB");
  b.gamma = 2;
  EXPECT_EQ(change_text(a, b), "Gain 0.0 → −3.0 dB, Gamma");
  b.color_map = ColorMap::hot;
  EXPECT_EQ(change_text(a, b), "Gain 0.0 → −3.0 dB and 2 more");
}

TEST(ParamHistory, KeepsTheLastTwoHundredSteps) {
  Watched w;
  for (int i = 1; i <= 300; ++i) {
    w.params.sound_speed_m_s = 1000 + i;
    w.frame(Hand::free, 2.0);
  }
  int undone = 0;
  while (w.undo()) ++undone;
  EXPECT_EQ(undone, 200);
  EXPECT_EQ(w.params.sound_speed_m_s, 1100);
}

}  // namespace
}  // namespace echoloop
