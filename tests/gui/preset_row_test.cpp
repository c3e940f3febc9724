// Presets by key, by chip and by their panel; undo and redo by key and by button.
#include "gui/scene.h"

namespace echoloop::testing::preset_row_test {
namespace {

PresetView preset(const std::string& name, int slot) {
  PresetView view;
  view.name = name;
  view.slot = slot;
  return view;
}

void put_presets(WindowState& s) {
  s.presets.list = {preset("Detail", 1), preset("Smooth", 2), preset("My heart", 7)};
  s.presets.list[2].probe = "P4, phased, 2.5 MHz";
  s.presets.list[2].own = true;
  s.presets.list[2].fits = false;
  s.presets.probe = "L128, linear, 5 MHz";
}

TEST(PresetKeys, DigitsLoadThePresetThatHasThem) {
  ECHO_SCENE(scene, 1600, 900);
  put_presets(scene.state);
  scene.frames(2);
  scene.press(Key::digit7);
  ASSERT_EQ(scene.preset_orders.size(), 1U);
  EXPECT_EQ(scene.preset_orders[0].act, PresetCommand::load);
  EXPECT_EQ(scene.preset_orders[0].index, 2);
  scene.press(Key::digit5);
  EXPECT_EQ(scene.preset_orders.size(), 1U);
  ASSERT_EQ(scene.said.size(), 1U);
  EXPECT_NE(scene.said[0].find("key 5"), std::string::npos);
}

TEST(PresetKeys, DigitsThatAreTypedLoadNothing) {
  ECHO_SCENE(scene, 1600, 900);
  put_presets(scene.state);
  scene.frames(2);
  scene.click("gain_db", false, true);
  scene.press(Key::digit1);
  EXPECT_TRUE(scene.preset_orders.empty());
}

class PresetRowAt : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(PresetRowAt, EveryPresetCanBeReached) {
  ECHO_SCENE(scene, GetParam().first, GetParam().second);
  put_presets(scene.state);
  for (int i = 0; i < 12; ++i) {
    scene.state.presets.list.push_back(preset("A preset with a long name " + std::to_string(i), 0));
  }
  scene.frames(2);
  scene.click("preset/0");
  ASSERT_EQ(scene.preset_orders.size(), 1U);
  EXPECT_EQ(scene.preset_orders[0].index, 0);
  scene.click("preset_more");
  scene.click("preset_more/14");
  ASSERT_EQ(scene.preset_orders.size(), 2U);
  EXPECT_EQ(scene.preset_orders[1].index, 14);
  const Rect chip = scene.rect("preset/0"), more = scene.rect("preset_more");
  const Rect column = scene.rect("panel_source");
  EXPECT_GE(chip.x0, column.x0 - 1);
  EXPECT_LE(more.x1, column.x1 + 1);
  EXPECT_EQ(scene.gl_error(), 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, PresetRowAt, ::testing::Values(std::pair{1600, 900}, std::pair{1024, 640}));

// In a narrow window chips give way to the name of the active preset, which is behind the last one.
TEST(PresetRow, TheActivePresetIsNamedWhole) {
  ECHO_SCENE(scene, 1024, 640);
  scene.state.presets.list = {preset("Detail", 1), preset("Smooth", 2), preset("Deep", 3), preset("Coherent", 4)};
  scene.frames(2);
  EXPECT_GT(scene.rect("preset/1").width(), 0.0F);
  scene.state.presets.active = 3;
  scene.frames(2);
  EXPECT_EQ(scene.rect("preset/1").width(), 0.0F);
  EXPECT_GT(scene.rect("preset_more").width(), 100.0F);
  EXPECT_GT(scene.rect("preset/0").width(), 0.0F);
}

TEST(PresetPanel, SavesUnderATypedName) {
  ECHO_SCENE(scene, 1600, 900);
  put_presets(scene.state);
  scene.frames(2);
  scene.click("preset_menu");
  scene.type("Carotid");
  scene.click("preset_save");
  ASSERT_EQ(scene.preset_orders.size(), 1U);
  EXPECT_EQ(scene.preset_orders[0].act, PresetCommand::save_as);
  EXPECT_EQ(scene.preset_orders[0].name, "Carotid");
  scene.frames(2);
  EXPECT_EQ(scene.rect("preset_save").width(), 0.0F);  // closed
  scene.click("preset_menu");
  scene.click("preset_save");  // no name yet
  EXPECT_EQ(scene.preset_orders.size(), 1U);
}

TEST(PresetPanel, NamesThatAreTakenOrBlankAreRefusedBeforeTheyAreLost) {
  ECHO_SCENE(scene, 1024, 640);
  put_presets(scene.state);
  for (const char* name : {"   ", "Smooth", "smooth", "My HEART"}) {
    scene.frames(2);
    scene.click("preset_menu");
    scene.type(name);
    scene.frames(2);
    scene.click("preset_save");
    EXPECT_TRUE(scene.preset_orders.empty()) << name;
    EXPECT_GT(scene.rect("preset_save").width(), 0.0F) << name << ": it stays open";
    scene.press(Key::escape);
  }
  // Why, beside the button, without a pointer on it.
  const auto beside = [&](const char* name) {
    scene.frames(2);
    scene.click("preset_menu");
    scene.type(name);
    scene.move(5, 635);
    scene.frames(3);
    const Rect button = scene.rect("preset_save");
    const RgbImage shot = scene.shot();
    int light = 0;
    for (int y = static_cast<int>(button.y0); y < static_cast<int>(button.y1); ++y) {
      for (int x = static_cast<int>(button.x1) + 6; x < static_cast<int>(button.x1) + 130; ++x) {
        const auto at = static_cast<std::size_t>(y * shot.width + x) * 3;
        light += shot.rgb[at] > 110 ? 1 : 0;
      }
    }
    scene.press(Key::escape);
    return light;
  };
  EXPECT_EQ(beside("Carotid"), 0);
  EXPECT_GT(beside("Smooth"), 20);
}

TEST(PresetPanel, ChangesTheUsersOwnAndAsksBeforeDeleting) {
  ECHO_SCENE(scene, 1600, 900);
  put_presets(scene.state);
  scene.state.presets.active = 2;
  scene.frames(2);
  scene.click("preset_menu");
  scene.click("preset_rename");  // it has this name already
  scene.click("preset_save");
  EXPECT_TRUE(scene.preset_orders.empty());
  scene.click("preset_delete");
  EXPECT_TRUE(scene.preset_orders.empty());
  scene.click("preset_delete");
  ASSERT_EQ(scene.preset_orders.size(), 1U);
  EXPECT_EQ(scene.preset_orders[0].act, PresetCommand::remove);
  EXPECT_EQ(scene.preset_orders[0].index, 2);
  scene.click("preset_menu");
  scene.click("preset_overwrite");
  scene.click("preset_menu");
  scene.click("preset_default");
  ASSERT_EQ(scene.preset_orders.size(), 3U);
  EXPECT_EQ(scene.preset_orders[1].act, PresetCommand::overwrite);
  EXPECT_EQ(scene.preset_orders[2].act, PresetCommand::set_default);
}

TEST(PresetPanel, LeavesTheProgramsOwnAlone) {
  ECHO_SCENE(scene, 1600, 900);
  put_presets(scene.state);
  scene.state.presets.active = 0;
  scene.frames(2);
  scene.click("preset_menu");
  for (const char* id : {"preset_overwrite", "preset_rename", "preset_delete", "preset_delete", "preset_default"}) {
    scene.click(id);
  }
  EXPECT_TRUE(scene.preset_orders.empty());
}

TEST(UndoOfParameters, TakesBackADragAsAWholeAndBringsItAgain) {
  ECHO_SCENE(scene, 1600, 900);
  scene.frames(2);
  const ImagingParams before = scene.state.params;
  scene.drag("sound_speed_m_s", 0.5F, 0.9F);
  const ImagingParams after = scene.state.params;
  ASSERT_NE(before, after);
  scene.drag("depth", 0.99F, 0.6F);
  const ImagingParams both = scene.state.params;
  ASSERT_NE(both, after);
  const int changes = scene.params_changed;
  scene.press(Key::z, true);
  EXPECT_EQ(scene.state.params, after);
  scene.press(Key::z, true);
  EXPECT_EQ(scene.state.params, before);
  EXPECT_EQ(scene.params_changed, changes + 2);
  scene.press(Key::z, true);  // no more
  EXPECT_EQ(scene.state.params, before);
  scene.press(Key::y, true);
  EXPECT_EQ(scene.state.params, after);
  scene.press(Key::z, true, true);
  EXPECT_EQ(scene.state.params, both);
  ASSERT_EQ(scene.said.size(), 5U);  // one says that there is no more
  EXPECT_TRUE(scene.said[0].starts_with("Undone: Depth to ")) << scene.said[0];
  EXPECT_TRUE(scene.said[3].starts_with("Redone: Speed of sound ")) << scene.said[3];
}

TEST(UndoOfParameters, ByButtonsFrozenToo) {
  ECHO_SCENE(scene, 1024, 640);
  scene.frames(2);
  scene.freeze(20, 50);
  const ImagingParams before = scene.state.params;
  scene.click("undo");  // nothing yet
  scene.press(Key::right_bracket);
  const ImagingParams after = scene.state.params;
  ASSERT_NE(before, after);
  scene.click("undo");
  EXPECT_EQ(scene.state.params, before);
  scene.click("redo");
  EXPECT_EQ(scene.state.params, after);
}

TEST(UndoOfParameters, APresetIsOneStepAndAnotherSourceClearsAll) {
  ECHO_SCENE(scene, 1600, 900);
  put_presets(scene.state);
  scene.frames(2);
  const ImagingParams before = scene.state.params;
  scene.state.params.display.gain_db = 3;  // as the application loads one
  scene.state.params.formation.f_number = 2;
  scene.state.presets.active = 1;
  ++scene.state.presets.loads;
  scene.frames(1);
  scene.press(Key::z, true);
  EXPECT_EQ(scene.state.params, before);
  ASSERT_EQ(scene.said.size(), 1U);
  EXPECT_NE(scene.said[0].find("preset \"Smooth\""), std::string::npos) << scene.said[0];
  scene.press(Key::y, true);
  scene.state.source.acquisition = scene_acquisition();
  scene.frames(1);
  const ImagingParams now = scene.state.params;
  scene.press(Key::z, true);
  EXPECT_EQ(scene.state.params, now);
}

}  // namespace
}  // namespace echoloop::testing::preset_row_test
