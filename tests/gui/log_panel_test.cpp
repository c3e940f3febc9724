// The Log panel: every message with time and severity, copied by mouse and keyboard; its empty state, its limit.
#include <fmt/format.h>
#include <imgui.h>

#include <tuple>
#include <utility>

#include "gui/scene.h"
#include "gui/stream_scene.h"
#include "gui/toolkit/view_settings.h"
#include "source/phantom_text.h"

namespace echoloop::testing::log_panel_test {
namespace {

constexpr const char* kLongPath =
    "/data/2024-11-23/a_folder_with_a_long_name/another_folder_with_a_long_name/heart.uff";

void open_log(Scene& scene) {
  scene.frames(2);
  reveal(scene, "panel_log");
  scene.click("panel_log");
  scene.frames(2);
  reveal(scene, "log_copy");
}

TEST(LogPanel, CopiesOneMessageAndAll) {
  ECHO_SCENE(scene, 1600, 900);
  ASSERT_EQ(scene.rect("log/0").width(), 0.0F) << "folded by default";
  open_log(scene);
  scene.click("log/1");
  EXPECT_STREQ(ImGui::GetClipboardText(), "14:31:00  Error: An error.");
  scene.click("log_copy");
  EXPECT_STREQ(ImGui::GetClipboardText(), "14:32:07  A message.\n14:31:00  Error: An error.\n");
}

TEST(LogPanel, TheKeyboardReachesEveryMessage) {
  ECHO_SCENE(scene, 1600, 900);
  open_log(scene);
  scene.click("log_copy");
  const auto focused = [&] {
    const FocusStop* stop = scene.viewer->screen().ui().focus().focused();
    return stop == nullptr ? std::string() : stop->id;
  };
  for (int i = 0; i < 4 && focused() != "log/1"; ++i) scene.press(Key::tab);
  ASSERT_EQ(focused(), "log/1");
  scene.press(Key::enter);
  EXPECT_STREQ(ImGui::GetClipboardText(), "14:31:00  Error: An error.");
}

TEST(LogPanel, WithoutMessagesThereIsNothingToCopy) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.notices.messages.clear();
  open_log(scene);
  ImGui::SetClipboardText("before");
  scene.click("log_copy");
  EXPECT_STREQ(ImGui::GetClipboardText(), "before");
  EXPECT_EQ(scene.rect("log/0").width(), 0.0F);
}

// At every width a long message takes more lines, inside its column, and the next one is below it.
TEST(LogPanel, LongMessagesWrapInsideTheColumn) {
  for (const auto& [width, height, scale] : {std::tuple{1024, 640, 1.0}, {1600, 900, 1.0}, {3840, 2160, 2.0}}) {
    ECHO_SCENE(scene, width, height, scale);
    scene.state.notices.messages.post({Severity::error, "14:33:00", std::string("Cannot be written: ") + kLongPath});
    open_log(scene);
    const Rect head = scene.rect("panel_log"), longest = scene.rect("log/0"), next = scene.rect("log/1");
    EXPECT_GT(longest.height(), 1.5F * next.height()) << width;
    EXPECT_GE(next.y0, longest.y1) << width;
    EXPECT_LE(longest.x1, head.x1 + 1) << width;
  }
}

TEST(LogPanel, AFullListHasItsLimitAndSaysSo) {
  ECHO_SCENE(scene, 1600, 900);
  for (std::size_t i = 0; i < MessageLog::kMost; ++i)
    scene.state.notices.messages.post({.clock = "15:00:00", .text = "News."});
  open_log(scene);
  const std::string last = fmt::format("log/{}", MessageLog::kMost - 1);
  reveal(scene, last);
  EXPECT_GT(scene.rect(last).width(), 0.0F);
  EXPECT_EQ(scene.state.notices.messages.removed(), 2U);
}

// The phantom's settings in the Source panel: a slider that was released shows its value until that phantom is open.

void drag_angles(Scene& scene) {
  scene.state.source.opened_as = "sim:flow";
  scene.frames(2);
  scene.click("phantom_settings");
  scene.frames(2);
  scene.state.opening.progress =
      Progress{.text = "Opening", .fraction = 0.5};  // as the program says while it opens one
  scene.drag("phantom_angles", 0.1F, 0.6F);
}

bool holds(Scene& scene) { return scene.viewer->settings().transient.phantom.held.has_value(); }

TEST(PhantomRows, KeepTheirValueUntilThePhantomIsOpen) {
  ECHO_SCENE(scene, 1600, 900);
  drag_angles(scene);
  const std::string asked = std::exchange(scene.opened_phantom, "");
  ASSERT_FALSE(asked.empty());
  ASSERT_TRUE(holds(scene));
  EXPECT_EQ(phantom_text(*scene.viewer->settings().transient.phantom.held), asked);
  scene.frames(5);
  EXPECT_EQ(scene.opened_phantom, "") << "asked for once";
  EXPECT_TRUE(holds(scene));
  scene.state.opening.progress.reset();
  scene.state.source.opened_as = "sim:" + asked;
  scene.frames(2);
  EXPECT_FALSE(holds(scene));
}

TEST(PhantomRows, ShowWhatIsOpenWhereThePhantomIsRefused) {
  ECHO_SCENE(scene, 1600, 900);
  drag_angles(scene);
  scene.opened_phantom.clear();
  scene.state.opening.progress.reset();
  scene.frames(3);
  EXPECT_FALSE(holds(scene));
  EXPECT_EQ(scene.opened_phantom, "");
}

}  // namespace
}  // namespace echoloop::testing::log_panel_test
