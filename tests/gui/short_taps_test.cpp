// Keys that are let go before a frame sees them: a text field has them all the same.
#include <gtest/gtest.h>

#include "gui/gl/imgui_compat.h"
#include "gui/gl/window_keys.h"

#if IMGUI_VERSION_NUM < 18700
namespace echoloop::testing::short_taps_test {
namespace {

constexpr int kA = 65, kEnter = 257, kLeftControl = 341;  // GLFW's

class ShortTap : public ::testing::Test {
 protected:
  ShortTap() : before_(ImGui::GetCurrentContext()), context_(ImGui::CreateContext()) {
    ImGui::SetCurrentContext(context_);
  }
  ~ShortTap() override {
    ImGui::DestroyContext(context_);
    ImGui::SetCurrentContext(before_);
  }
  void set(int key, bool down) {  // as ImGui's backend does, after ours
    if (down) taps_.press(key);
    ImGui::GetIO().KeysDown[key] = down;
  }

  ImGuiContext* before_;
  ImGuiContext* context_;
  ShortTaps taps_;
};

TEST_F(ShortTap, LastsOneFrame) {
  set(kEnter, true);
  set(kEnter, false);
  taps_.begin_frame();
  EXPECT_TRUE(ImGui::GetIO().KeysDown[kEnter]);
  taps_.begin_frame();
  EXPECT_FALSE(ImGui::GetIO().KeysDown[kEnter]);
}

TEST_F(ShortTap, KeepsItsModifier) {
  for (const int key : {kLeftControl, kA}) set(key, true);
  for (const int key : {kA, kLeftControl}) set(key, false);
  taps_.begin_frame();
  EXPECT_TRUE(ImGui::GetIO().KeyCtrl);
  EXPECT_TRUE(ImGui::GetIO().KeysDown[kA]);
  taps_.begin_frame();
  EXPECT_FALSE(ImGui::GetIO().KeyCtrl);
}

TEST_F(ShortTap, LeavesHeldKeysAlone) {
  set(kEnter, true);
  taps_.begin_frame();
  taps_.begin_frame();
  EXPECT_TRUE(ImGui::GetIO().KeysDown[kEnter]);
  set(kEnter, false);
  taps_.begin_frame();
  EXPECT_FALSE(ImGui::GetIO().KeysDown[kEnter]);
}

}  // namespace
}  // namespace echoloop::testing::short_taps_test
#endif
