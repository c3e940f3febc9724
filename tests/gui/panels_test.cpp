// Every panel in every size, without an OpenGL error; controls that are moved change what they say they change.

#include <cmath>

#include "core/param_table.h"
#include "gui/scene.h"

namespace echoloop::testing::panels_test {
namespace {

class EveryPanel : public ::testing::TestWithParam<WindowSize> {};

TEST_P(EveryPanel, OpensWithoutOpenGlErrors) {
  const WindowSize size = GetParam();
  ECHO_SCENE(scene, size.width, size.height, size.scale);
  scene.put_image(kSquare, [](double x, double) { return static_cast<float>(-std::abs(x)); });
  scene.frames(3);
  for (const char* panel : {"panel_source", "panel_formation", "panel_display", "panel_stream", "panel_timings"}) {
    const bool right = std::string(panel) == "panel_stream" || std::string(panel) == "panel_timings";
    if (right && size.width < 960 * size.scale) continue;  // in the one column below the others, to be scrolled to
    ASSERT_GT(scene.rect(panel).width(), 0.0F) << panel;
    scene.click(panel);
    scene.click(panel);
  }
  for (const char* more : {"more_formation", "more_display"}) {
    if (scene.rect(more).width() > 0.0F) scene.click(more);
  }
  scene.state.run = RunState::fault;
  FaultNotice& fault = scene.state.notices.fault.emplace();
  fault.title = "A fault";
  fault.detail = std::string(300, 'x') + " y";
  fault.can_restart = fault.can_use_cpu = true;
  scene.state.opening.progress = Progress{.text = "Opening a file", .fraction = 0.4};
  scene.state.notices.formation_warning = "A warning that needs more than one line in the narrow column of this panel.";
  scene.frames(2);
  scene.state.params.formation.recipe = Recipe::course;
  scene.state.device.backend = "CPU";
  scene.frames(2);
  scene.tap(Key::f1);
  scene.press(Key::escape);
  scene.tap(Key::o, true);
  scene.press(Key::escape);
  scene.tap(Key::f5);
  EXPECT_EQ(scene.gl_error(), 0);
  const RgbImage shot = scene.shot();
  EXPECT_EQ(shot.width, size.width);
  EXPECT_EQ(shot.rgb.size(), static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) * 3);
}

INSTANTIATE_TEST_SUITE_P(Sizes, EveryPanel,
                         ::testing::Values(WindowSize{1024, 640, 1.0}, WindowSize{1600, 900, 1.0},
                                           WindowSize{3200, 1800, 2.0}, WindowSize{3840, 2160, 1.5},
                                           WindowSize{800, 480, 1.0}));

TEST(Controls, DraggedSliderChangesItsParameterAndSaysSo) {
  ECHO_SCENE(scene, 1600, 900);
  scene.frames(2);
  const double before = scene.state.params.formation.sound_speed_m_s;
  scene.drag("sound_speed_m_s", 0.5F, 0.9F);
  EXPECT_GT(scene.state.params.formation.sound_speed_m_s, before + 50);
  EXPECT_GT(scene.params_changed, 0);
  scene.click("sound_speed_m_s", true);
  EXPECT_EQ(scene.state.params.formation.sound_speed_m_s, scene.state.defaults.formation.sound_speed_m_s);
}

TEST(Controls, ATrackIsOpenedByItsRow) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.source.tracks = {
      {.label = "focused", .transmits = 19, .frames = 1, .begin_s = 0.0, .end_s = 4e-3, .chosen = true},
      {.label = "push", .transmits = 1, .why_not = "no channel data"},
      {.label = "planewave", .transmits = 5, .frames = 2}};
  scene.frames(2);
  scene.click("track_0");
  scene.click("track_1");
  EXPECT_TRUE(scene.state.facts.given.empty()) << "the open one, and one without data";
  scene.click("track_2");
  ASSERT_TRUE(scene.state.facts.given.contains("track"));
  EXPECT_EQ(scene.state.facts.given.at("track").text, "planewave");
}

TEST(Controls, ClickedSliderGoesThere) {
  ECHO_SCENE(scene, 1600, 900);
  scene.frames(2);
  scene.click("dynamic_range_db");
  const ParamSpec& spec = *find_param("dynamic_range_db");
  EXPECT_NEAR(scene.state.params.display.dynamic_range_db, 0.5 * (spec.min + spec.max), 1.0);
}

TEST(Controls, TypedValueIsTakenAndClamped) {
  ECHO_SCENE(scene, 1600, 900);
  scene.frames(2);
  scene.click("gain_db", false, true);
  scene.type("7,5");
  scene.click("panel_stream");  // leaving the field accepts
  EXPECT_DOUBLE_EQ(scene.state.params.display.gain_db, 7.5);
  scene.click("gain_db", false, true);
  scene.type("1e9");
  scene.click("panel_stream");
  EXPECT_DOUBLE_EQ(scene.state.params.display.gain_db, find_param("gain_db")->max);
  scene.click("sound_speed_m_s", false, true);  // the field starts with the number as the window writes it
  scene.click("panel_stream");
  EXPECT_DOUBLE_EQ(scene.state.params.formation.sound_speed_m_s, scene.state.defaults.formation.sound_speed_m_s);
}

// Thousands and the unit as the window writes them; of a text that is no number in them nothing is taken.
TEST(Controls, TypedTextIsOneNumberInTheUnitOrNothing) {
  ECHO_SCENE(scene, 1600, 900);
  scene.frames(2);
  const auto type = [&](const char* control, const char* text) {
    scene.click(control, false, true);
    scene.type(text);
    scene.click("panel_stream");
  };
  const FormationParams& now = scene.state.params.formation;
  for (const char* text : {"1 480", "1480 m/s", "1 480 m/s", "+1480,0", "1,480", "1,480 m/s", "1,480.0"}) {
    type("sound_speed_m_s", "1600");
    type("sound_speed_m_s", text);
    EXPECT_DOUBLE_EQ(now.sound_speed_m_s, 1480) << text;
  }
  for (const char* text : {"1 54", "1500-1600", "1.6 km/s", "1600x", "nan", "inf", "1e999"}) {
    type("sound_speed_m_s", text);
    EXPECT_DOUBLE_EQ(now.sound_speed_m_s, 1480) << text;
  }
  type("band", "3.5-6 MHz");
  for (const char* text : {"2500-7000 kHz", "2", "2-3-4"}) {
    type("band", text);
    EXPECT_NEAR(now.band_low_hz, 3.5e6, 1) << text;
    EXPECT_NEAR(now.band_high_hz, 6e6, 1) << text;
  }
}

TEST(Controls, RangeKeepsItsEndsApart) {
  ECHO_SCENE(scene, 1600, 900);
  scene.frames(2);
  scene.drag("depth", 0.01F, 0.99F);
  EXPECT_GT(scene.state.params.formation.depth_max_m, scene.state.params.formation.depth_min_m + 0.9e-3);
  scene.click("depth", true);
  EXPECT_EQ(scene.state.params.formation.depth_min_m, scene.state.defaults.formation.depth_min_m);
  scene.drag("band", 0.99F, 0.01F);
  EXPECT_GT(scene.state.params.formation.band_high_hz, scene.state.params.formation.band_low_hz + 0.1e6);
  scene.click("band", false, true);
  scene.type("3.5 - 6");
  scene.click("panel_stream");
  EXPECT_NEAR(scene.state.params.formation.band_low_hz, 3.5e6, 1);
  EXPECT_NEAR(scene.state.params.formation.band_high_hz, 6e6, 1);
}

TEST(Controls, CourseRecipeDisablesWhatItIgnores) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.params.formation.recipe = Recipe::course;
  scene.frames(2);
  const ImagingParams before = scene.state.params;
  scene.drag("f_number", 0.2F, 0.9F);
  scene.drag("band", 0.2F, 0.9F);
  EXPECT_EQ(scene.state.params, before);
  EXPECT_EQ(scene.params_changed, 0);
  scene.drag("dynamic_range_db", 0.4F, 0.8F);
  EXPECT_NE(scene.state.params.display.dynamic_range_db, before.display.dynamic_range_db);
}

TEST(Controls, StreamSettings) {
  ECHO_SCENE(scene, 1600, 900);
  scene.frames(2);
  scene.click("more_stream");
  scene.frames(1);
  scene.click("policy/Drop oldest");
  EXPECT_EQ(scene.state.stream.policy, RingPolicy::drop_oldest);
  scene.click("lanes/2");
  EXPECT_EQ(scene.state.stream.lanes, 2);
  scene.click("streams/Serial");
  EXPECT_EQ(scene.state.stream.streams, StreamMode::serial);
  scene.click("slots");
  scene.click("slots/5");
  EXPECT_EQ(scene.state.stream.slots, 32);
  EXPECT_EQ(scene.stream_changed, 4);
  scene.state.no_effect.lanes = "Why.";
  scene.frames(2);
  scene.click("lanes/1");
  EXPECT_EQ(scene.state.stream.lanes, 2);
}

TEST(Controls, ColourBarMovesTheWindow) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, [](double, double) { return -20.0F; });
  scene.frames(2);
  const Rect bar = scene.rect("color_bar");
  scene.drag({bar.cx(), bar.y0 + 0.3F * bar.height()}, {bar.cx(), bar.y0 + 0.4F * bar.height()});
  EXPECT_NEAR(scene.state.params.display.gain_db, 8.0, 1.0);
  EXPECT_DOUBLE_EQ(scene.state.params.display.dynamic_range_db, 60.0);
}

TEST(Keys, DoWhatTheListSays) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image({.x0_m = -5e-3, .x1_m = 5e-3, .z0_m = 5e-3, .z1_m = 20e-3, .nx = 20, .nz = 30},
                  [](float, float) { return -20.0F; });
  scene.frames(2);
  scene.press(Key::space);
  EXPECT_EQ(scene.freezes, 1);
  scene.press(Key::s);
  EXPECT_EQ(scene.pictures, 1);
  scene.press(Key::r);
  EXPECT_EQ(scene.records, 1);
  scene.press(Key::right_bracket);
  EXPECT_DOUBLE_EQ(scene.state.params.display.dynamic_range_db, 65.0);
  scene.press(Key::minus);
  EXPECT_DOUBLE_EQ(scene.state.params.display.gain_db, -1.0);
  scene.press(Key::f5);
  scene.frames(1);
  EXPECT_EQ(scene.rect("panel_source").width(), 0.0F);
  scene.press(Key::escape);
  scene.frames(1);
  EXPECT_GT(scene.rect("panel_source").width(), 0.0F);
}

TEST(Recording, IsShownAsLongAsItLasts) {
  ECHO_SCENE(scene, 1920, 1080);
  scene.frames(2);
  EXPECT_EQ(scene.rect("recording").width(), 0.0F);
  scene.click("record");
  EXPECT_EQ(scene.records, 1);
  scene.state.saving.recording = {
      .on = true, .file = "a.uff", .seconds = 65.0, .frames = 3251, .bytes_per_second = 98e6};
  scene.frames(2);
  const float usual = scene.rect("recording").width();
  EXPECT_GT(usual, 150.0F);
  scene.state.saving.recording.not_recorded = 12;
  scene.frames(2);
  EXPECT_GT(scene.rect("recording").width(), usual);  // never silent
  scene.click("record");
  EXPECT_EQ(scene.records, 2);
  scene.state.saving.recording.on = false;
  scene.state.saving.recording.finishing = true;
  scene.frames(2);
  scene.click("record");  // disabled: the last one is still being written
  EXPECT_EQ(scene.records, 2);
}

TEST(Recording, FitsIntoANarrowWindow) {
  ECHO_SCENE(scene, 1024, 640);
  scene.state.saving.recording = {
      .on = true, .file = "a.uff", .seconds = 65.0, .frames = 3251, .not_recorded = 12, .bytes_per_second = 98e6};
  scene.frames(2);
  const Rect shown = scene.rect("recording");
  EXPECT_GT(shown.width(), 60.0F);
  EXPECT_LT(shown.x1, scene.rect("keys").x0);
  const Rect button = scene.rect("record");
  EXPECT_GT(button.width(), 40.0F);
  EXPECT_GT(button.x0, scene.rect("speed").x1);
}

TEST(Fault, OffersTheLikeliestCureFirst) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.run = RunState::fault;
  scene.state.stream.policy = RingPolicy::error;
  scene.state.numbers.counts.refused = 1;
  scene.state.notices.fault = FaultNotice{.title = "Stopped", .detail = "Facts.", .can_restart = true};
  scene.frames(2);
  scene.click("cure/Restart with Drop oldest");
  EXPECT_EQ(scene.restarts, 1);
  EXPECT_EQ(scene.state.stream.policy, RingPolicy::drop_oldest);
  scene.click("dismiss");
  EXPECT_EQ(scene.dismissed, 1u);  // the error, although a newer message came after it
}

}  // namespace
}  // namespace echoloop::testing::panels_test
