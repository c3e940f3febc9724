// The window by keyboard alone: every control is reached in reading order, seen, named, and does what the mouse does.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "gui/gl/imgui_compat.h"
#include "gui/gl/window.h"
#include "gui/scene.h"
#include "gui/toolkit/theme.h"
#include "gui/toolkit/view_settings.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::keyboard_test {
namespace {

const Field kGrey = [](double, double) { return -20.0F; };

std::string focused(const Scene& scene) {
  const FocusStop* stop = scene.viewer->screen().ui().focus().focused();
  return stop == nullptr ? "" : stop->id;
}

// Presses Tab until `id` has the focus.
void go_to(Scene& scene, const std::string& id) {
  for (int i = 0; i < 400 && focused(scene) != id; ++i) scene.press(Key::tab);
  ASSERT_EQ(focused(scene), id);
}

struct Window {
  int width, height;
  double scale;
};

class KeyboardAt : public ::testing::TestWithParam<Window> {};

TEST_P(KeyboardAt, TabReachesEveryControlInReadingOrder) {
  const auto [width, height, scale] = GetParam();
  ECHO_SCENE(scene, width, height, scale);
  scene.put_image(kSquare, kGrey);
  scene.freeze(20, 50);
  scene.state.marks.list = {{.number = 1, .kind = MarkKind::distance, .points = {{-1e-3, 9e-3}, {1e-3, 9e-3}}}};
  scene.frames(4);
  const std::vector<FocusStop> stops = scene.viewer->screen().ui().focus().stops();
  ASSERT_GT(stops.size(), 40U);
  std::set<std::string> ids;
  for (const FocusStop& stop : stops) {
    EXPECT_FALSE(stop.name.empty()) << stop.id << " has no name";
    EXPECT_TRUE(ids.insert(stop.id).second) << stop.id << " comes twice";
  }
  for (const FocusStop& stop : stops) {
    scene.press(Key::tab);
    EXPECT_EQ(focused(scene), stop.id);
    const Rect r = scene.viewer->screen().ui().focus().focused()->rect;
    if (stop.scroll.empty()) continue;
    scene.frames(1);
    const FocusStop& now = *scene.viewer->screen().ui().focus().focused();
    EXPECT_GE(now.rect.y0, 0.0F) << stop.id << " is scrolled into view";
    EXPECT_LE(now.rect.y1, static_cast<float>(height)) << stop.id;
    EXPECT_EQ(now.rect.x0, r.x0);
  }
  scene.press(Key::tab);
  EXPECT_EQ(focused(scene), stops.front().id) << "after the last the first";
  for (std::size_t i = 1; i < stops.size(); ++i) {
    const FocusStop &a = stops[i - 1], &b = stops[i];
    ASSERT_LE(a.part, b.part);
    if (a.part != b.part || a.scroll != b.scroll) continue;
    EXPECT_TRUE(b.rect.y1 > a.rect.y0) << b.id << " lies above " << a.id;
  }
  EXPECT_EQ(scene.params_changed + scene.stream_changed + scene.freezes, 0) << "going through changes nothing";
}

INSTANTIATE_TEST_SUITE_P(Windows, KeyboardAt,
                         ::testing::Values(Window{1600, 900, 1.0}, Window{1024, 640, 1.0}, Window{3840, 2160, 2.0},
                                           Window{1600, 900, 0.75}, Window{2400, 1350, 3.0}));

TEST(Keyboard, TheRingIsDrawnTwoPixelsOutside) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, kGrey);
  scene.frames(3);
  const RgbImage before = scene.shot();
  go_to(scene, "freeze");
  scene.frames(1);
  const RgbImage after = scene.shot();
  const Rect r = scene.rect("freeze");
  const auto at = [](const RgbImage& p, float x, float y) {
    const auto i = 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(p.width) + static_cast<std::size_t>(x));
    return IM_COL32(p.rgb[i], p.rgb[i + 1], p.rgb[i + 2], 255);
  };
  EXPECT_EQ(at(after, r.cx(), r.y0 - 3), theme::kAccent);
  EXPECT_EQ(at(after, r.cx(), r.y1 + 2), theme::kAccent);
  EXPECT_EQ(at(after, r.x0 - 3, r.cy()), theme::kAccent);
  EXPECT_EQ(at(before, r.cx(), r.y0 - 3), at(after, r.cx(), r.y0 - 2)) << "two pixels of ground between";
  scene.press(Key::escape);
  scene.frames(1);
  EXPECT_EQ(scene.shot().rgb[0], before.rgb[0]);
  EXPECT_EQ(at(scene.shot(), r.cx(), r.y0 - 3), at(before, r.cx(), r.y0 - 3));
}

TEST(Keyboard, ArrowsMoveASliderAndEnterTypesAValue) {
  ECHO_SCENE(scene, 1600, 900);
  scene.frames(2);
  go_to(scene, "sound_speed_m_s");
  const double before = scene.state.params.formation.sound_speed_m_s;
  scene.press(Key::right);
  const double arrow = scene.state.params.formation.sound_speed_m_s - before;
  EXPECT_GT(arrow, 1.0);
  EXPECT_EQ(scene.params_changed, 1);
  scene.press(Key::left);
  EXPECT_DOUBLE_EQ(scene.state.params.formation.sound_speed_m_s, before);
  scene.press(Key::right, false, true);
  EXPECT_DOUBLE_EQ(scene.state.params.formation.sound_speed_m_s, before + 1.0) << "Shift: the last digit";
  scene.press(Key::page_up);
  EXPECT_NEAR(scene.state.params.formation.sound_speed_m_s, before + 1.0 + 10 * arrow, 1e-9);
  scene.press(Key::remove);
  EXPECT_DOUBLE_EQ(scene.state.params.formation.sound_speed_m_s, scene.state.defaults.formation.sound_speed_m_s);
  scene.press(Key::enter);
  scene.frames(3);
  scene.type("1480");
  scene.press(Key::tab);  // takes the value and goes on
  scene.frames(2);
  EXPECT_DOUBLE_EQ(scene.state.params.formation.sound_speed_m_s, 1480.0);
  EXPECT_NE(focused(scene), "sound_speed_m_s");
  EXPECT_FALSE(focused(scene).empty());
}

TEST(Keyboard, EachThumbOfARangeIsAStop) {
  ECHO_SCENE(scene, 1600, 900);
  scene.frames(2);
  const std::vector<FocusStop> stops = scene.viewer->screen().ui().focus().stops();
  const auto low = std::find_if(stops.begin(), stops.end(), [](const FocusStop& s) { return s.id.ends_with("/low"); });
  ASSERT_NE(low, stops.end());
  go_to(scene, low->id);
  const ImagingParams before = scene.state.params;
  scene.press(Key::right);
  EXPECT_NE(scene.state.params, before);
  scene.press(Key::remove);
  EXPECT_EQ(scene.state.params, before);
  scene.press(Key::tab);
  EXPECT_TRUE(focused(scene).ends_with("/high"));
}

TEST(Keyboard, ChoicesRadiosAndListsGoByArrows) {
  ECHO_SCENE(scene, 1600, 900);
  scene.frames(2);
  scene.state.stream.policy = RingPolicy::block;
  go_to(scene, "policy/Block");
  scene.press(Key::right);
  EXPECT_NE(scene.state.stream.policy, RingPolicy::block);
  EXPECT_EQ(scene.stream_changed, 1);
  go_to(scene, "apodization");
  const Apodization before = scene.state.params.formation.apodization;
  scene.tap(Key::space);
  EXPECT_EQ(focused(scene), "apodization/" + std::to_string(static_cast<int>(before)));
  scene.press(Key::down);
  scene.tap(Key::enter);
  EXPECT_EQ(static_cast<int>(scene.state.params.formation.apodization), static_cast<int>(before) + 1);
  EXPECT_EQ(focused(scene), "apodization") << "back where it was opened";
  EXPECT_EQ(scene.freezes, 0) << "Space pressed the control";
  scene.press(Key::escape);
  scene.press(Key::space);
  EXPECT_EQ(scene.freezes, 1) << "without focus it freezes";
}

TEST(Keyboard, F6GoesFromPartToPart) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, kGrey);
  scene.frames(2);
  std::vector<WindowPart> regions;
  do {
    scene.press(Key::f6);
    ASSERT_NE(scene.viewer->screen().ui().focus().focused(), nullptr);
    regions.push_back(scene.viewer->screen().ui().focus().focused()->part);
  } while (regions.size() < 20 && (regions.size() < 2 || regions.back() != regions.front()));
  const std::vector<WindowPart> wanted = {WindowPart::status,  WindowPart::left,  WindowPart::tools,
                                          WindowPart::picture, WindowPart::strip, WindowPart::right,
                                          WindowPart::message, WindowPart::status};
  EXPECT_EQ(regions, wanted);
}

TEST(Keyboard, TheDialogIsUsedByItAlone) {
  ECHO_SCENE(scene, 1600, 900);
  scene.viewer->screen().list_folders_with([](const std::filesystem::path&) {
    return FolderListing{{{"a.npy", false, 8}}, {}};
  });
  scene.frames(2);
  scene.press(Key::o, true);
  scene.frames(4);
  scene.press(Key::tab);
  for (int i = 0; i < 5 && focused(scene) != "cancel_open"; ++i) scene.press(Key::tab);
  EXPECT_EQ(focused(scene), "cancel_open");
  scene.frames(2);
  scene.tap(Key::enter);
  EXPECT_EQ(scene.rect("cancel_open").width(), 0.0F) << "closed";
}

TEST(Keyboard, PresentationHasAKeyOfItsOwn) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, kGrey);
  scene.frames(2);
  scene.press(Key::f5);
  scene.frames(1);
  EXPECT_EQ(scene.rect("freeze").width(), 0.0F);
  scene.press(Key::f5);
  scene.frames(1);
  EXPECT_GT(scene.rect("freeze").width(), 0.0F);
}

TEST(Keyboard, TheInterfaceIsScaledAndRemembersIt) {
  const TemporaryFolder folder;
  {
    ECHO_SCENE(scene, 1600, 900, 0.0, folder / "window");
    scene.frames(2);
    const float before = scene.rect("freeze").height();
    scene.press(Key::equal, true);
    scene.tap(Key::equal, true);
    EXPECT_NEAR(scene.rect("freeze").height(), 1.5F * before, 1.0F);
    EXPECT_EQ(scene.gl_error(), 0);
  }
  EXPECT_FLOAT_EQ(load_view_settings(folder / "window").scale, 1.5F);
  ECHO_SCENE(scene, 1600, 900, 0.0, folder / "window");
  scene.frames(2);
  const float large = scene.rect("freeze").height();
  scene.tap(Key::digit0, true);
  EXPECT_NEAR(scene.rect("freeze").height(), large / 1.5F, 1.0F);
  for (int i = 0; i < 8; ++i) scene.tap(Key::equal, true);
  EXPECT_NEAR(scene.rect("freeze").height(), 2 * large / 1.5F, 1.0F) << "no more has room";
  EXPECT_FALSE(scene.said.empty());
}

TEST(Keyboard, ResetIsAKeyAndAControl) {
  ECHO_SCENE(scene, 1024, 640);
  scene.frames(2);
  scene.press(Key::f9);
  EXPECT_EQ(scene.resets, 1);
  scene.click("reset");
  EXPECT_EQ(scene.resets, 2);
}

// A field needs some frames until it has the characters: until then they are no commands, and are not lost.
TEST(Keys, TypedBeforeAFieldIsThereAreItsOwn) {
  ECHO_SCENE(scene, 1600, 900);
  scene.frames(2);
  const Rect r = scene.rect("gain_db");
  ASSERT_GT(r.width(), 0.0F);
  InjectedInput input;
  input.mouse_x = r.cx();
  input.mouse_y = r.cy();
  input.control = input.left = true;
  scene.viewer->inject(input);
  scene.frames(1);
  input.control = input.left = false;
  for (const char* digit : {"1", "2"}) {
    input.text = digit;
    input.keys = {{.key = Key::x}, {.key = Key::digit1}};  // what the keys would do
    scene.viewer->inject(input);
    scene.frames(1);
  }
  input.keys.clear();
  input.text.clear();
  scene.viewer->inject(input);
  scene.frames(6);
  scene.click("state_badge");
  EXPECT_DOUBLE_EQ(scene.state.params.display.gain_db, 12.0);
  EXPECT_FALSE(scene.state.cine.compare);
  EXPECT_TRUE(scene.preset_orders.empty());
}

// Keys that are let go before a frame sees them: a text field has them all the same.

constexpr int kA = 65, kEnter = 257, kLeftControl = 341, kControlMod = 2;  // GLFW's

class ShortTap : public ::testing::Test {
 protected:
  ShortTap() : before_(ImGui::GetCurrentContext()), context_(ImGui::CreateContext()) {
    ImGui::SetCurrentContext(context_);
  }
  ~ShortTap() override {
    ImGui::DestroyContext(context_);
    ImGui::SetCurrentContext(before_);
  }
  void set(int key, bool down, int mods = 0) {  // as ImGui's backend does, after ours
    if (down) taps_.press(key, mods);
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

TEST_F(ShortTap, KeepsAModifierThatWasHeldBefore) {
  set(kLeftControl, true);
  taps_.begin_frame();
  set(kA, true, kControlMod);
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
}  // namespace echoloop::testing::keyboard_test
