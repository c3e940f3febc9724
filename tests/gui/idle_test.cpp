// An idle window is not drawn again; whatever changes what it shows is drawn at once.
#include <gtest/gtest.h>

#include "app/window/window_app.h"
#include "gui/turning.h"

namespace echoloop::testing::idle_test {
namespace {

class Idle : public WindowTest {
 protected:
  void SetUp() override {
    begin(script_options("sim:cyst"));
    ASSERT_TRUE(until([&] { return app_->state().numbers.shown > 3; }));
  }
  // So many window frames in a row that need not be drawn.
  bool becomes_idle(int frames = 12) {
    int idle = 0;
    return until([&] {
      app_->turn();
      idle = app_->viewer().drawn() ? 0 : idle + 1;
      return idle >= frames;
    });
  }
  void freeze() {
    press(Key::space);
    ASSERT_TRUE(until([&] { return app_->state().run == RunState::frozen; }));
  }
};

TEST_F(Idle, FrozenItIsNotDrawn) {
  freeze();
  EXPECT_FALSE(app_->state().cine.keep_acquiring) << "on the CPU the frozen image has the machine's time";
  EXPECT_TRUE(becomes_idle());
  EXPECT_GT(app_->viewer().screen().ui().rect_of("timeline").width(), 0.0F) << "with the timeline open";
}

TEST_F(Idle, AKeyIsDrawnAtOnce) {
  freeze();
  ASSERT_TRUE(becomes_idle());
  press(Key::f5);
  EXPECT_TRUE(app_->viewer().drawn());
  ASSERT_TRUE(becomes_idle()) << "in presentation";
  press(Key::f5);
  EXPECT_TRUE(app_->viewer().drawn());
  ASSERT_TRUE(becomes_idle());
  const std::uint64_t shown = app_->viewer().shown_image().stamp.sequence;
  press(Key::left);
  EXPECT_TRUE(until([&] { return app_->viewer().shown_image().stamp.sequence != shown; }));
  ASSERT_TRUE(becomes_idle());
  press(Key::space);
  EXPECT_TRUE(until([&] { return app_->state().run == RunState::live && app_->viewer().drawn(); }));
}

TEST_F(Idle, ATooltipAndAMessageAreDrawn) {
  freeze();
  ASSERT_TRUE(becomes_idle());
  InjectedInput hover;
  const Rect r = app_->viewer().screen().ui().rect_of("freeze");
  hover.mouse_x = r.cx();
  hover.mouse_y = r.cy();
  app_->viewer().inject(hover);
  EXPECT_TRUE(until([&] { return app_->viewer().wants_frame(); })) << "for the tooltip to come";
  ASSERT_TRUE(becomes_idle()) << "with the pointer on the control";
  app_->state().notices.messages.post({Severity::info, "12:00:00", "News."});
  app_->turn();
  EXPECT_TRUE(app_->viewer().drawn());
}

TEST_F(Idle, ADisplayParameterIsDrawnThoughNoPanelShowsIt) {
  freeze();
  press(Key::f5);
  ASSERT_TRUE(becomes_idle());
  app_->state().params.display.gamma = 1.5;  // no panel shows it here
  app_->turn();
  EXPECT_TRUE(app_->viewer().drawn());
}

// What the frames show counts: what waited while the image was frozen is no latency.
TEST_F(Idle, TimeFrozenIsNoLatency) {
  ASSERT_TRUE(until([&] { return app_->state().numbers.shown_latency.recent.count > 3; }));
  app_->state().cine.keep_acquiring = true;
  freeze();
  const std::uint64_t processed = app_->state().numbers.counts.processed;
  ASSERT_TRUE(until([&] { return app_->state().numbers.counts.processed > processed + 20; }));
  const std::size_t counted = app_->state().numbers.shown_latency.since_start.count;
  press(Key::space);
  ASSERT_TRUE(until([&] { return app_->state().numbers.shown_latency.since_start.count > counted + 5; }));
  EXPECT_EQ(app_->state().numbers.latency.recent.count, app_->state().numbers.shown_latency.recent.count)
      << "of the same frames";
}

}  // namespace
}  // namespace echoloop::testing::idle_test
