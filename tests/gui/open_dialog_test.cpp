// The dialog that opens recordings: its list, what is typed, the keyboard.
#include <fstream>

#include "gui/scene.h"
#include "gui/toolkit/view_settings.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::open_dialog_test {
namespace {

// A folder with a folder and a recording in it, which the dialog opens first.
struct RememberedFolder {
  TemporaryFolder folder;
  std::filesystem::path settings = folder / "settings";

  RememberedFolder() {
    std::filesystem::create_directories(folder / "inner");
    std::ofstream(folder / "recording.npy") << "x";
    ViewSettings remembered;
    remembered.last_folder = folder.path();
    remembered.widths.left = 320;
    EXPECT_TRUE(save_view_settings(settings, remembered));
    EXPECT_TRUE(load_view_settings(settings) == remembered);
  }
};

// Another one, whose recording comes behind its folder.
struct OtherFolder {
  TemporaryFolder folder;
  std::filesystem::path recording = folder / "dropped.uff";

  OtherFolder() {
    std::filesystem::create_directories(folder / "a folder");
    std::ofstream(recording) << "x";
  }
};

void open_dialog(Scene& scene) {
  scene.frames(2);
  scene.tap(Key::o, true);
  for (int i = 0; i < 3000 && scene.rect("file/1").width() == 0.0F; ++i) {
    scene.viewer->wait_events(0.01);
    scene.frames(1);
  }
}

TEST(OpenDialog, FindsAFileByKeyboard) {
  const RememberedFolder there;
  ECHO_SCENE(scene, 1600, 900, 1.0, there.settings);
  open_dialog(scene);
  scene.press(Key::down);
  scene.press(Key::down);  // "inner", then "recording.npy"
  scene.frames(2);
  scene.click("open_file");
  EXPECT_EQ(scene.opened_file, there.folder / "recording.npy");
}

// At few window frames a second Ctrl+O and a name come in one of them.
TEST(OpenDialog, HasWhatIsTypedBeforeItsFieldIsThere) {
  const RememberedFolder there;
  ECHO_SCENE(scene, 1600, 900, 1.0, there.settings);
  scene.frames(2);
  InjectedInput input;
  input.keys = {{.key = Key::o, .control = true}, {.key = Key::r}, {.key = Key::e}};
  input.text = "rec";
  scene.viewer->inject(input);
  scene.frames(1);
  input.keys = {{.key = Key::o}, {.key = Key::r}};
  input.text = "ord";
  scene.viewer->inject(input);
  scene.frames(1);
  input = {};
  input.text = "ing.npy";
  scene.viewer->inject(input);
  scene.frames(1);
  scene.viewer->inject({});
  scene.frames(6);
  scene.click("open_file");
  EXPECT_EQ(scene.opened_file, there.folder / "recording.npy");
}

// All of a long path in the frame of Ctrl+O.
TEST(OpenDialog, HasALongPathThatIsTypedAtOnce) {
  const RememberedFolder there;
  std::filesystem::path deep = there.folder.path();
  for (const char letter : {'a', 'b', 'c', 'd', 'e', 'f'}) deep /= std::string(200, letter);
  std::filesystem::create_directories(deep);
  std::ofstream(deep / "r.npy") << "x";
  ECHO_SCENE(scene, 1600, 900, 1.0, there.settings);
  scene.frames(2);
  InjectedInput input;
  input.keys = {{.key = Key::o, .control = true}};
  for (int i = 0; i < 100; ++i) input.keys.push_back({.key = Key::a});
  input.text = (deep / "r.npy").string();
  scene.viewer->inject(input);
  scene.frames(1);
  scene.viewer->inject({});
  scene.frames(6);
  scene.click("open_file");
  EXPECT_EQ(scene.opened_file, deep / "r.npy");
}

// Tab goes to the list, arrows choose there, Enter opens.
TEST(OpenDialog, TheListIsAFocusStop) {
  const RememberedFolder there;
  ECHO_SCENE(scene, 1600, 900, 1.0, there.settings);
  open_dialog(scene);
  for (int i = 0; i < 10 && !scene.viewer->screen().ui().focus().shown_on("files"); ++i) {
    scene.tap(Key::tab);
  }
  ASSERT_TRUE(scene.viewer->screen().ui().focus().shown_on("files"));
  scene.tap(Key::end);
  scene.tap(Key::home);
  scene.press(Key::down);  // behind the folder
  scene.frames(2);
  EXPECT_TRUE(scene.viewer->screen().ui().focus().shown_on("files"));
  scene.tap(Key::enter);
  EXPECT_EQ(scene.opened_file, there.folder / "recording.npy");
}

TEST(OpenDialog, BeginsWhereTheLastRecordingCameFrom) {
  const RememberedFolder there;
  const OtherFolder elsewhere;
  ECHO_SCENE(scene, 1600, 900, 1.0, there.settings);
  open_dialog(scene);
  scene.tap(Key::escape);
  scene.state.opening.recent = {
      elsewhere.recording};  // opened by whatever: dropped, named, chosen among the recent ones
  open_dialog(scene);
  scene.press(Key::down);
  scene.tap(Key::down);
  scene.click("open_file");
  EXPECT_EQ(scene.opened_file, elsewhere.recording);
}

// The command line names recordings relative to where the program was started; the dialog shows the whole path.
TEST(OpenDialog, ARelativeFolderIsShownAsAnAbsoluteOne) {
  const RememberedFolder there;
  const OtherFolder elsewhere;
  ECHO_SCENE(scene, 1600, 900, 1.0, there.settings);
  scene.state.opening.recent = {std::filesystem::relative(elsewhere.recording)};
  open_dialog(scene);
  scene.press(Key::down);
  scene.tap(Key::down);
  scene.click("open_file");
  EXPECT_EQ(scene.opened_file, elsewhere.recording);
}

TEST(OpenDialog, WhatIsTypedNarrowsTheList) {
  const RememberedFolder there;
  ECHO_SCENE(scene, 1600, 900, 1.0, there.settings);
  open_dialog(scene);
  ASSERT_GT(scene.rect("file/1").width(), 0.0F);
  scene.type("CORD");
  scene.frames(2);
  EXPECT_GT(scene.rect("file/0").width(), 0.0F);
  EXPECT_EQ(scene.rect("file/1").width(), 0.0F);
  scene.click("open_file");  // there is but one
  EXPECT_EQ(scene.opened_file, there.folder / "recording.npy");
}

// The list follows into a folder that is typed and not entered.
TEST(OpenDialog, ListsTheFolderThatIsTyped) {
  const RememberedFolder there;
  const TemporaryFolder elsewhere;
  std::ofstream(elsewhere / "heart.uff") << "x";
  std::ofstream(elsewhere / "liver.uff") << "x";
  ECHO_SCENE(scene, 1600, 900, 1.0, there.settings);
  open_dialog(scene);
  scene.type((elsewhere / "liv").string());
  for (int i = 0; i < 200 && scene.rect("file/0").width() == 0.0F; ++i) {
    scene.viewer->wait_events(0.01);
    scene.frames(1);
  }
  ASSERT_GT(scene.rect("file/0").width(), 0.0F);
  EXPECT_EQ(scene.rect("file/1").width(), 0.0F) << "the other name has no \"liv\" in it";
  scene.click("file/0");
  scene.click("open_file");
  EXPECT_EQ(scene.opened_file, elsewhere / "liver.uff");
}

// A wrong name is said to be wrong, and one can type on without reaching for the mouse.
TEST(OpenDialog, KeepsTheKeyboardAfterAWrongName) {
  const RememberedFolder there;
  ECHO_SCENE(scene, 1600, 900, 1.0, there.settings);
  open_dialog(scene);
  scene.type("nothing of this name");
  scene.click("open_file");
  EXPECT_EQ(scene.opened_file, "");
  scene.frames(2);
  scene.type("recording.npy");
  scene.click("open_file");
  EXPECT_EQ(scene.opened_file, there.folder / "recording.npy");
}

}  // namespace
}  // namespace echoloop::testing::open_dialog_test
