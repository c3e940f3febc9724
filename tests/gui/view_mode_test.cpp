// Mode View: what it shows, how it is left and kept, and when lost frames are no alarm.
#include <set>
#include <string>

#include "app/session_file.h"
#include "gui/scene.h"
#include "gui/stream_scene.h"
#include "gui/toolkit/view_settings.h"
#include "gui/turning.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::view_mode_test {
namespace {

float grey(double, double) { return -20.0F; }

void enter_view(Scene& scene) {
  fill_stream(scene.state);
  scene.viewer->apply_layout({{"mode", "view"}});
  scene.put_image(kSquare, grey);
  scene.frames(3);
}

std::set<std::string> controls(const Scene& scene) {
  std::set<std::string> ids;
  for (const auto& [id, area] : scene.viewer->screen().ui().hit_areas()) ids.insert(id);
  return ids;
}

bool shows(const Scene& scene, const std::string& id) { return scene.rect(id).width() > 0; }

TEST(ViewMode, IsThatOfTheFirstStartAndIsKept) {
  const TemporaryFolder folder;
  const auto file = folder / "window";
  EXPECT_EQ(load_view_settings(file, WindowMode::view).mode, WindowMode::view);
  EXPECT_EQ(load_view_settings(file).mode, WindowMode::engineer);
  write_text_file(file, "left_column = 300\n");  // of a version without modes
  EXPECT_EQ(load_view_settings(file, WindowMode::view).mode, WindowMode::engineer);
  ViewSettings settings;
  settings.mode = WindowMode::view;
  settings.try_closed = true;
  settings.open_view.find("stream")->second = true;
  ASSERT_TRUE(save_view_settings(file, settings));
  EXPECT_EQ(load_view_settings(file), settings);
}

TEST(ViewMode, IsThatOfTheSession) {
  ViewSettings settings;
  settings.mode = WindowMode::view;
  const LayoutText saved = layout_text(settings);
  ViewSettings other;
  apply_layout(other, saved);
  EXPECT_EQ(other.mode, WindowMode::view);
  apply_layout(other, {});  // no session
  EXPECT_EQ(other.mode, WindowMode::view);
  apply_layout(other, {{"left_column", "300"}});  // a session of a version without modes
  EXPECT_EQ(other.mode, WindowMode::engineer);
}

TEST(ViewMode, LoadsThePresetOfAnOrgan) {
  ECHO_SCENE(scene, 1600, 900);
  PresetView detail, heart, vessel;
  detail.name = "Detail";
  heart.name = "Heart";
  vessel.name = "Vessel";
  heart.organ = 2;
  vessel.organ = 1;
  scene.state.presets.list = {detail, heart, vessel};
  enter_view(scene);
  EXPECT_FALSE(shows(scene, "look_at/Detail"));
  EXPECT_TRUE(shows(scene, "look_at/Heart"));
  EXPECT_LT(scene.rect("look_at/Vessel").x0, scene.rect("look_at/Heart").x0) << "in their order";
  scene.click("look_at/Vessel");
  ASSERT_EQ(scene.preset_orders.size(), 1U);
  EXPECT_EQ(scene.preset_orders[0].act, PresetCommand::load);
  EXPECT_EQ(scene.preset_orders[0].index, 2);
}

TEST(ViewMode, HasFewControlsAndLeavesEngineerAsItWas) {
  for (const auto& [width, height, scale] : {std::tuple{1600, 900, 1.0}, {1280, 720, 1.0}, {3840, 2160, 2.0}}) {
    ECHO_SCENE(scene, width, height, scale);
    fill_stream(scene.state);
    scene.put_image(kSquare, grey);
    scene.frames(3);
    const std::set<std::string> before = controls(scene);
    EXPECT_TRUE(shows(scene, "f_number"));
    scene.tap(Key::e);
    for (const char* id : {"phantom", "open", "recent", "gain_db", "depth_max_m", "dynamic_range_db", "smooth_axial_m",
                           "tgc", "switch/flow", "switch/m_mode", "switch/sonogram", "all_settings", "mode/Engineer",
                           "panel_stream", "panel_timings", "panel_timeline", "panel_log", "orientation"}) {
      EXPECT_TRUE(shows(scene, id)) << id << " at " << width;
    }
    for (const char* id : {"f_number", "preset_menu", "policy/Block", "frame_total", "panel_flow", "reset"}) {
      EXPECT_FALSE(shows(scene, id)) << id << " at " << width;
    }
    EXPECT_EQ(shows(scene, "close_try"), width > 1280);
    EXPECT_EQ(scene.rect("panel_look_at").width(), 0.0F) << "no preset by organ";
    scene.click("all_settings");
    EXPECT_EQ(scene.viewer->settings().mode, WindowMode::engineer);
    scene.move(0, 0);
    EXPECT_EQ(controls(scene), before);
    scene.click("mode/View");
    EXPECT_EQ(scene.viewer->settings().mode, WindowMode::view);
  }
}

TEST(ViewMode, ItsControlsChangeWhatTheySay) {
  ECHO_SCENE(scene, 1600, 900);
  enter_view(scene);
  ImagingParams& p = scene.state.params;
  const double depth_m = p.formation.depth_max_m;
  scene.drag("depth_max_m", 0.9F, 0.4F);
  EXPECT_LT(p.formation.depth_max_m, depth_m);
  EXPECT_GT(p.formation.depth_max_m, p.formation.depth_min_m);
  scene.drag("smooth_axial_m", 0.0F, 0.5F);
  EXPECT_NEAR(p.refine.smooth_axial_m, 0.5e-3, 0.1e-3);
  EXPECT_EQ(p.refine.smooth_lateral_m, p.refine.smooth_axial_m);
  const int changes = scene.params_changed;
  scene.click("switch/flow");
  EXPECT_EQ(p.color_flow.mode, FlowMode::velocity);
  EXPECT_GT(scene.params_changed, changes);
  scene.click("switch/m_mode");
  EXPECT_EQ(scene.viewer->settings().dock, Dock::m_mode);
  scene.click("switch/sonogram");
  EXPECT_EQ(p.doppler.gate, Gate::on);
  scene.frames(2);
  EXPECT_EQ(scene.viewer->settings().dock, Dock::spectrogram);
  scene.click("switch/sonogram");
  EXPECT_EQ(p.doppler.gate, Gate::off);
}

TEST(ViewMode, TheKeyOfFlowFitsTheImageInEngineer) {
  ECHO_SCENE(scene, 1600, 900);
  enter_view(scene);
  const PanZoom near{.fitted = false, .centre = {0, 15e-3}, .logical_px_per_m = 90e3};
  scene.state.view.pan_zoom = near;
  scene.tap(Key::f);
  EXPECT_EQ(scene.state.params.color_flow.mode, FlowMode::velocity);
  EXPECT_FALSE(scene.state.view.pan_zoom.fitted);
  scene.tap(Key::f, false, true);
  EXPECT_TRUE(scene.state.view.pan_zoom.fitted);
  scene.tap(Key::f);
  EXPECT_EQ(scene.state.params.color_flow.mode, FlowMode::off);
  scene.state.source.acquisition = nullptr;
  scene.tap(Key::f);
  EXPECT_EQ(scene.state.params.color_flow.mode, FlowMode::off);
  EXPECT_FALSE(scene.said.empty()) << "the reason is said";
  scene.tap(Key::e);
  scene.state.view.pan_zoom = near;
  scene.tap(Key::f);
  EXPECT_TRUE(scene.state.view.pan_zoom.fitted);
}

TEST(ViewMode, TheCardIsClosedForGood) {
  ECHO_SCENE(scene, 1600, 900);
  enter_view(scene);
  const Rect stream = scene.rect("panel_stream");
  scene.click("close_try");
  EXPECT_FALSE(shows(scene, "close_try"));
  EXPECT_LT(scene.rect("panel_stream").y0, stream.y0);
  scene.viewer->reset_view();
  scene.frames(2);
  EXPECT_EQ(scene.viewer->settings().mode, WindowMode::view);
  EXPECT_FALSE(shows(scene, "close_try"));
}

int reddish(const RgbImage& picture, const Rect& r) {
  int count = 0;
  for (int y = static_cast<int>(r.y0); y < static_cast<int>(r.y1); ++y) {
    for (int x = static_cast<int>(r.x0); x < static_cast<int>(r.x1); ++x) {
      const std::uint8_t* p = &picture.rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) +
                                                static_cast<std::size_t>(x))];
      count += p[0] > p[1] + 60 && p[0] > 150 ? 1 : 0;
    }
  }
  return count;
}

TEST(ViewMode, LostFramesAreRedOnceThePolicyIsTheUsers) {
  ECHO_SCENE(scene, 1600, 900);
  enter_view(scene);
  scene.state.numbers.counts.dropped = 12;
  const auto red = [&] {
    scene.frames(2);
    return reddish(scene.shot(), scene.rect("lost")) > 0;
  };
  scene.state.stream.policy = RingPolicy::drop_oldest;
  EXPECT_TRUE(red()) << "no automatic policy";
  scene.state.automatic_policy = RingPolicy::drop_oldest;
  EXPECT_FALSE(red());
  scene.state.stream.policy = RingPolicy::drop_newest;
  EXPECT_TRUE(red()) << "chosen by the user";
  scene.state.stream.policy = RingPolicy::drop_oldest;
  scene.state.source.phantom = "";
  EXPECT_TRUE(red()) << "a recording loses frames";
  scene.state.source.phantom = "flow";
  EXPECT_FALSE(red());
  scene.tap(Key::e);
  EXPECT_TRUE(red()) << "Engineer";
}

class ViewModeOfTheProgram : public WindowTest {};

TEST_F(ViewModeOfTheProgram, IsThatOfAKioskAndComesBackWithItsReset) {
  Options options = script_options("sim:points");
  options.settings = {"grid_nx=64", "grid_nz=64"};
  options.kiosk_idle_s = 1000.0;
  begin(options);
  ASSERT_TRUE(until([&] { return state().numbers.shown > 2; }));
  EXPECT_EQ(app().viewer().settings().mode, WindowMode::view);
  EXPECT_TRUE(state().automatic_policy.has_value());
  press(Key::e);
  EXPECT_EQ(app().viewer().settings().mode, WindowMode::engineer);
  press(Key::f9);
  ASSERT_TRUE(until([&] { return app().viewer().settings().mode == WindowMode::view; }));
  ASSERT_TRUE(until([&] { return state().reset.undoable && state().run == RunState::live; }));
  press(Key::z, true);
  EXPECT_TRUE(until([&] { return app().viewer().settings().mode == WindowMode::engineer; })) << "undone";
}

TEST_F(ViewModeOfTheProgram, IsThatOfAFirstStartByAUser) {
  std::filesystem::remove_all(folder() / "config");
  Options options;
  options.source = "sim:points";
  options.backend = BackendChoice::cpu;
  options.settings = {"grid_nx=64", "grid_nz=64"};
  begin(options);
  ASSERT_TRUE(until([&] { return state().numbers.shown > 2; }));
  EXPECT_EQ(app().viewer().settings().mode, WindowMode::view);
}

TEST_F(ViewModeOfTheProgram, ASourceNeverChangesIt) {
  Options options = script_options("sim:points");
  options.settings = {"grid_nx=64", "grid_nz=64"};
  begin(options);
  ASSERT_TRUE(until([&] { return state().numbers.shown > 2; }));
  for (const char* source : {"cyst", "points"}) {
    press(Key::e);
    const WindowMode mode = app().viewer().settings().mode;
    click("source_menu");
    click(source == std::string("cyst") ? "source_menu/1" : "source_menu/0");
    ASSERT_TRUE(until([&] { return state().source.phantom == source && state().numbers.shown > 0; }));
    EXPECT_EQ(app().viewer().settings().mode, mode);
  }
}

}  // namespace
}  // namespace echoloop::testing::view_mode_test
