// Undo and redo in the window: measurements and parameters in one order, by key and from the menu.
#include <gtest/gtest.h>

#include <algorithm>

#include "gui/bare_screen.h"
#include "support/acquisitions.h"

namespace echoloop::testing::undo_test {
namespace {

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
  UiState& state_ = window_.state;
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
  state_.cine.frames = 100;
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
}  // namespace echoloop::testing::undo_test
