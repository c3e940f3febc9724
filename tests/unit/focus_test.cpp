// The keyboard focus: order, regions, popups, and which keys a control gets.
#include "gui/state/focus.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "gui/toolkit/theme.h"

namespace echoloop::focus_test {
namespace {

// Two columns and a bar, drawn in another order than they are read.
void draw_window(Focus& focus) {
  focus.enter(WindowPart::right);
  focus.add("slots", {800, 50, 900, 70}, FocusKind::slider, "Slots");
  focus.enter(WindowPart::left);
  focus.add("gain", {0, 100, 100, 140}, FocusKind::slider, "Gain");
  focus.add("more", {80, 52, 100, 72}, FocusKind::button, "More");
  focus.add("header", {0, 50, 70, 74}, FocusKind::button, "Display");
  focus.add("block", {0, 150, 40, 170}, FocusKind::radio, "Block");
  focus.add("drop", {50, 150, 90, 170}, FocusKind::radio, "Drop");
  focus.enter(WindowPart::status);
  focus.add("keys", {850, 0, 900, 40}, FocusKind::button, "Keys");
}

void frame(Focus& focus, const std::vector<KeyPress>& keys = {}, const std::function<void(Focus&)>& draw = draw_window,
           Typing typing = Typing::no) {
  focus.begin_frame();
  for (const KeyPress& press : keys) focus.take(press, typing);
  draw(focus);
  focus.end_frame();
}

std::string now(const Focus& focus) { return focus.focused() == nullptr ? "" : focus.focused()->id; }

// A disabled control keeps the keys that it would have: an arrow must not act on something else.
TEST(Focus, ADisabledControlKeepsItsKeys) {
  Focus focus;
  const auto draw = [](Focus& f) {
    f.enter(WindowPart::left);
    f.add("speed", {0, 50, 100, 70}, FocusKind::button, "Speed");
    f.disable("speed");
    f.add("play", {0, 80, 100, 100}, FocusKind::button, "Play");
  };
  frame(focus, {}, draw);
  EXPECT_FALSE(focus.take({Key::left}, Typing::no)) << "the focus is not shown";
  focus.take({Key::tab}, Typing::no);
  ASSERT_EQ(focus.focused()->id, "speed");
  for (const Key key : {Key::left, Key::right, Key::up, Key::home, Key::page_down, Key::enter, Key::space}) {
    EXPECT_TRUE(focus.take({key}, Typing::no));
  }
  focus.take({Key::tab}, Typing::no);
  ASSERT_EQ(focus.focused()->id, "play");
  EXPECT_FALSE(focus.take({Key::left}, Typing::no));
}

constexpr KeyPress kTab{Key::tab}, kBack{Key::tab, false, true};

TEST(Focus, TabGoesInReadingOrderAndAround) {
  Focus focus;
  frame(focus);
  EXPECT_EQ(now(focus), "") << "no ring before a key asks for one";
  for (const char* id : {"keys", "header", "more", "gain", "block", "drop", "slots", "keys"}) {
    frame(focus, {kTab});
    EXPECT_EQ(now(focus), id);
  }
  frame(focus, {kBack});
  EXPECT_EQ(now(focus), "slots");
  frame(focus, {kBack, kBack});
  EXPECT_EQ(now(focus), "block") << "two keys of one frame";
}

TEST(Focus, F6GoesToTheNextRegion) {
  Focus focus;
  frame(focus);
  for (const char* id : {"keys", "header", "slots", "keys"}) {
    frame(focus, {{Key::f6}});
    EXPECT_EQ(now(focus), id);
  }
  frame(focus, {{Key::f6, false, true}});
  EXPECT_EQ(now(focus), "slots");
}

TEST(Focus, EscapeHidesItAndTabShowsItWhereItWas) {
  Focus focus;
  frame(focus);
  frame(focus, {kTab, kTab, {Key::escape}});
  EXPECT_EQ(now(focus), "");
  EXPECT_FALSE(focus.take({Key::escape}, Typing::no)) << "the next one is for others";
  frame(focus, {kTab});
  EXPECT_EQ(now(focus), "header");
}

TEST(Focus, KeysGoOnFromTheMouse) {
  Focus focus;
  frame(focus);
  focus.point_at("gain");
  frame(focus, {kTab});
  EXPECT_EQ(now(focus), "gain");
  frame(focus, {kTab});
  EXPECT_EQ(now(focus), "block");
}

TEST(Focus, AControlGetsItsOwnKeysOnly) {
  Focus focus;
  frame(focus);
  focus.point_at("gain");
  frame(focus, {kTab});
  focus.begin_frame();
  EXPECT_TRUE(focus.take({Key::right}, Typing::no));
  EXPECT_TRUE(focus.take({Key::right, false, true}, Typing::no));
  EXPECT_TRUE(focus.take({Key::home}, Typing::no));
  EXPECT_FALSE(focus.take({Key::space}, Typing::no)) << "freezes, whatever has the focus";
  EXPECT_FALSE(focus.take({Key::right}, Typing::yes)) << "a text field has the arrows";
  EXPECT_FALSE(focus.take({Key::z, true}, Typing::no));
  EXPECT_EQ(focus.take_keys("gain").size(), 3U);
  EXPECT_TRUE(focus.take_keys("header").empty());
  draw_window(focus);
  focus.end_frame();
  frame(focus);
  EXPECT_TRUE(focus.take_keys("gain").empty()) << "once";
}

TEST(Focus, ArrowsOfARadioChooseItsNeighbour) {
  Focus focus;
  frame(focus);
  focus.point_at("block");
  frame(focus, {kTab});
  focus.begin_frame();
  EXPECT_TRUE(focus.take({Key::right}, Typing::no));
  EXPECT_EQ(focus.take_keys("drop").size(), 1U);
  draw_window(focus);
  focus.end_frame();
  EXPECT_EQ(now(focus), "drop");
  frame(focus, {{Key::right}});
  EXPECT_EQ(now(focus), "drop") << "the last one stays";
}

TEST(Focus, APopupKeepsItAndGivesItBack) {
  const auto with_list = [](Focus& focus) {
    draw_window(focus);
    focus.begin_popup("list");
    for (const char* id : {"a", "b", "c"}) {
      const float y = 300.0F + 20.0F * static_cast<float>(*id - 'a');
      focus.add(id, {0, y, 100, y + 20}, FocusKind::line, id);
    }
    focus.begin_at("b");
    focus.end_popup();
  };
  Focus focus;
  frame(focus);
  focus.point_at("gain");
  frame(focus, {kTab});
  frame(focus, {}, with_list);
  EXPECT_EQ(now(focus), "b") << "begins at what is chosen";
  frame(focus, {{Key::down}}, with_list);
  EXPECT_EQ(now(focus), "c");
  frame(focus, {kTab}, with_list);
  EXPECT_EQ(now(focus), "a") << "and does not leave the popup";
  EXPECT_FALSE(focus.take({Key::escape}, Typing::no)) << "closes the popup";
  frame(focus);
  EXPECT_EQ(now(focus), "gain");
}

TEST(Focus, TabLeavesATextField) {
  Focus focus;
  frame(focus);
  focus.point_at("gain");  // has the caret
  frame(focus, {kTab}, draw_window, Typing::yes);
  EXPECT_EQ(now(focus), "block");
}

TEST(UiScale, StepsUpAndDownWithinItsRange) {
  EXPECT_FLOAT_EQ(next_scale(1.0F, 1), 1.25F);
  EXPECT_FLOAT_EQ(next_scale(1.1F, -1), 1.0F);
  EXPECT_FLOAT_EQ(next_scale(3.0F, 1), 3.0F);
  EXPECT_FLOAT_EQ(next_scale(0.75F, -1), 0.75F);
}

TEST(UiScale, IsAtMostWhatTheWindowHasRoomFor) {
  EXPECT_FLOAT_EQ(fitting_scale(3.0F, 3840, 2160), 3.0F);
  EXPECT_FLOAT_EQ(fitting_scale(3.0F, 1600, 900), 2.0F);
  EXPECT_FLOAT_EQ(fitting_scale(0.75F, 640, 360), 0.75F);
  EXPECT_FLOAT_EQ(fitting_scale(2.0F, 640, 360), 1.0F);
}

}  // namespace
}  // namespace echoloop::focus_test
