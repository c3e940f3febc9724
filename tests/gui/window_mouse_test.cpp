// Presses and releases that come between two frames: each counts where the pointer was, one a frame.
#include <gtest/gtest.h>

#include "gui/gl/imgui_compat.h"
#include "gui/gl/window.h"

namespace echoloop::testing::window_mouse_test {
namespace {

#if IMGUI_VERSION_NUM < 18700  // later versions do so themselves
class SlowFrames : public ::testing::Test {
 protected:
  SlowFrames() : before_(ImGui::GetCurrentContext()), context_(ImGui::CreateContext()) {
    ImGui::SetCurrentContext(context_);
  }
  ~SlowFrames() override {
    ImGui::DestroyContext(context_);
    ImGui::SetCurrentContext(before_);
  }
  // The backend reads the pointer as it is now, with all buttons up; then the queue has its say.
  bool frame(float x, float y) {
    compat::set_mouse({x, y}, false, false, false, 0);
    return queue_.begin_frame();
  }
  static void expect(float x, float y, bool left) {
    const ImGuiIO& io = ImGui::GetIO();
    EXPECT_EQ(io.MousePos.x, x);
    EXPECT_EQ(io.MousePos.y, y);
    EXPECT_EQ(io.MouseDown[0], left);
  }

  ImGuiContext* before_;
  ImGuiContext* context_;
  ButtonQueue queue_;
};

TEST_F(SlowFrames, AClickActsWhereItWasMade) {
  queue_.move(10, 20);
  queue_.button(0, true);
  queue_.button(0, false);
  queue_.move(300, 400);
  EXPECT_TRUE(frame(300, 400)) << "the release is due at once";
  expect(10, 20, true);
  EXPECT_TRUE(frame(300, 400));
  expect(10, 20, false);
  EXPECT_FALSE(frame(300, 400));
  expect(300, 400, false);
}

TEST_F(SlowFrames, ADragEndsWhereItWasReleased) {
  queue_.move(10, 20);
  queue_.button(0, true);
  queue_.move(50, 60);
  queue_.button(0, false);
  queue_.move(300, 400);
  frame(300, 400);
  expect(10, 20, true);
  frame(300, 400);
  expect(50, 60, true);  // a slider follows as long as it is held
  frame(300, 400);
  expect(50, 60, false);
}

TEST_F(SlowFrames, TwoClicksAreTwo) {
  for (const float x : {10.0F, 90.0F}) {
    queue_.move(x, 20);
    queue_.button(0, true);
    queue_.button(0, false);
  }
  for (const float x : {10.0F, 90.0F}) {
    for (const bool down : {true, false}) {
      frame(300, 400);
      expect(x, 20, down);
    }
  }
}

TEST_F(SlowFrames, WithoutAPressThePointerIsWhereItIs) {
  queue_.move(10, 20);
  EXPECT_FALSE(frame(30, 40));
  expect(30, 40, false);
  queue_.button(7, true);  // a button that means nothing here
  EXPECT_FALSE(frame(30, 40));
}
#endif

}  // namespace
}  // namespace echoloop::testing::window_mouse_test
