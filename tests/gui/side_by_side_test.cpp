// Two images side by side: the layouts as numbers, then the window: pixels, pointer, regions and their numbers of both.
#include <cmath>
#include <fstream>

#include "gui/scene.h"
#include "gui/toolkit/view_settings.h"
#include "gui/view/image_view.h"
#include "support/picture_pixels.h"
#include "support/temporary_folder.h"

namespace echoloop::testing::side_by_side_test {
namespace {

constexpr Grid kDeep{.x0_m = -10e-3, .x1_m = 10e-3, .z0_m = 5e-3, .z1_m = 45e-3, .nx = 101, .nz = 201};

SideLayouts lay_out(const Rect& area, const Grid& a, const Grid& b, float scale = 1, const PanZoom& view = {}) {
  return lay_out_sides({.area = area, .a = a, .b = b, .scale = scale, .view = view});
}

TEST(SideBySide, IsStackedBelow700LogicalPixels) {
  for (const float scale : {1.0F, 2.0F}) {
    const SideLayouts wide = lay_out({0, 0, 700 * scale, 500 * scale}, kSquare, kSquare, scale);
    EXPECT_EQ(wide.a.image.y0, wide.b.image.y0);
    EXPECT_GT(wide.b.image.x0, wide.a.image.x1);
    const SideLayouts narrow = lay_out({0, 0, 699 * scale, 500 * scale}, kSquare, kSquare, scale);
    EXPECT_EQ(narrow.a.image.x0, narrow.b.image.x0);
    EXPECT_GT(narrow.b.image.y0, narrow.a.image.y1);
  }
}

TEST(SideBySide, BothHaveOneExtentAndOneScale) {
  const PanZoom zoomed{.fitted = false, .centre = {2e-3, 20e-3}, .logical_px_per_m = 60e3};
  for (const PanZoom& view : {PanZoom{}, zoomed}) {
    for (const Rect& area : {Rect{296, 116, 1256, 740}, Rect{232, 116, 776, 520}}) {
      const SideLayouts s = lay_out(area, kDeep, kSquare, 1, view);
      EXPECT_EQ(s.a.image.width(), s.b.image.width());
      EXPECT_EQ(s.a.image.height(), s.b.image.height());
      EXPECT_EQ(s.a.px_per_m, s.b.px_per_m);
      for (const PlanePoint p : {PlanePoint{0, 20e-3}, {-3e-3, 11e-3}}) {
        EXPECT_NEAR(s.a.x_px(p.x_m) - s.a.image.x0, s.b.x_px(p.x_m) - s.b.image.x0, 1e-3);
        EXPECT_NEAR(s.a.z_px(p.z_m) - s.a.image.y0, s.b.z_px(p.z_m) - s.b.image.y0, 1e-3);
      }
      EXPECT_FALSE(s.a.image.overlaps(s.b.image));
      EXPECT_GE(s.a.image.x0, area.x0);
      EXPECT_LE(s.b.color_bar.x1, area.x1);
      EXPECT_GT(s.b.color_bar.x0, s.b.image.x1);
    }
  }
}

TEST(SideBySide, TheExtentHoldsBothImages) {
  EXPECT_EQ(common_extent(kSquare, kSquare), kSquare);
  const Grid both = common_extent(kSquare, kDeep);
  EXPECT_EQ(both.z1_m, kDeep.z1_m);
  EXPECT_EQ(both.z0_m, kSquare.z0_m);
  const Grid fan = polar_grid({0, -0.5, 0.5, 5e-3, 60e-3}, 101, 201);
  const Grid deeper = polar_grid({0, -0.4, 0.6, 5e-3, 90e-3}, 101, 201);
  const Grid sector = common_extent(fan, deeper);
  EXPECT_TRUE(sector.polar());
  EXPECT_EQ(sector.sector.r1_m, 90e-3);
  EXPECT_EQ(sector.sector.angle0_rad, -0.5);
  EXPECT_FALSE(common_extent(fan, kSquare).polar());
}

TEST(SideBySide, DepthsAndProbes) {
  Grid below = kSquare;
  below.z0_m = 30e-3;
  below.z1_m = 40e-3;
  EXPECT_FALSE(depths_overlap(kSquare, below));
  EXPECT_FALSE(depths_overlap(below, kSquare));
  EXPECT_TRUE(depths_overlap(kSquare, kDeep));
  Acquisition a = *scene_acquisition(), b = a;
  EXPECT_TRUE(same_probe(a, b));
  b.probe.elements.back().x_m += 1e-4;
  EXPECT_FALSE(same_probe(a, b));
  a.probe.elements.pop_back();
  EXPECT_FALSE(same_probe(a, b));
}

Field flat(float level_db) {
  return [level_db](double, double) { return level_db; };
}

// A and B on screen side by side, frozen.
void show(Scene& scene, const Field& a, const Field& b, const Grid& grid_a = kSquare) {
  scene.freeze(100, 50);
  scene.put_past(0, kSquare, b, 100);  // both of one frame
  scene.frames(2);
  scene.press(Key::x);
  scene.put_past(1, grid_a, a, 100);
  scene.frames(2);
  scene.click("compare_look/Side by side");
  ASSERT_EQ(scene.state.cine.compare_look, CompareLook::side_by_side);
  scene.move(0, 0);
}

TEST(SideBySideWindow, EachSideHasItsPixelsAtEverySize) {
  struct Size {
    int width, height;
    double scale;
  };
  for (const Size& size : {Size{1024, 640, 1}, Size{1280, 720, 1}, Size{1600, 900, 1}, Size{3840, 2160, 2}}) {
    ECHO_SCENE(scene, size.width, size.height, size.scale);
    show(scene, flat(-15), flat(-45));
    const RgbImage shot = scene.shot();
    const Rect a = scene.viewer->screen().side_a_layout().image, b = scene.viewer->screen().picture();
    ASSERT_GT(a.width(), 20.0F);
    EXPECT_EQ(a.width(), b.width());
    EXPECT_FALSE(a.overlaps(b));
    EXPECT_EQ(b.y0 > a.y1, size.width <= 1024) << "stacked where the centre is narrow";
    EXPECT_NEAR(gray_at(shot, a.cx(), a.cy()), 191, 2) << size.width;
    EXPECT_NEAR(gray_at(shot, b.cx(), b.cy()), 64, 2) << size.width;
    scene.tap(Key::f5);
    EXPECT_GT(scene.viewer->screen().side_a_layout().image.width(), 20.0F) << "in presentation too";
    EXPECT_EQ(scene.gl_error(), 0);
  }
}

// Of stacked sides the bar of levels is beside both.
TEST(SideBySideWindow, TheCaptionOfAEndsBeforeTheBar) {
  for (const int height : {620, 640, 660, 700, 740, 768}) {
    ECHO_SCENE(scene, 1024, height);
    show(scene, flat(-15), flat(-45));
    const RgbImage shot = scene.shot();
    const Rect a = scene.viewer->screen().side_a_layout().image, bar = scene.viewer->screen().image_layout().color_bar;
    ASSERT_GT(scene.viewer->screen().picture().y0, a.y1);
    for (float y = a.y1 + 10; y < a.y1 + 26; ++y) {
      for (float x = bar.x0 - 7; x < bar.x0 - 1; ++x) ASSERT_LT(gray_at(shot, x, y), 60) << height;
    }
  }
}

TEST(SideBySideWindow, WhereAHasNoPixelsThereIsTheGround) {
  ECHO_SCENE(scene, 1600, 900);
  const Grid shallow{.x0_m = -10e-3, .x1_m = 10e-3, .z0_m = 5e-3, .z1_m = 15e-3, .nx = 101, .nz = 51};
  show(scene, flat(-15), flat(-45), shallow);
  const RgbImage shot = scene.shot();
  const Rect a = scene.viewer->screen().side_a_layout().image;
  EXPECT_NEAR(gray_at(shot, a.cx(), a.y0 + 0.3F * a.height()), 191, 2);
  EXPECT_LT(gray_at(shot, a.cx() + 40, a.y0 + 0.7F * a.height()), 20);
}

TEST(SideBySideWindow, ThePointerIsOnBothSides) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene, flat(-15), flat(-45));
  const Rect a = scene.viewer->screen().side_a_layout().image, b = scene.viewer->screen().picture();
  const RgbImage before = scene.shot();
  const auto changed = [&](const RgbImage& now, const Rect& r, float x, float y) {
    int n = 0;
    for (float dy = -9; dy <= 9; ++dy) {
      for (float dx = -9; dx <= 9; ++dx) {
        n += std::abs(gray_at(now, r.x0 + x + dx, r.y0 + y + dy) - gray_at(before, r.x0 + x + dx, r.y0 + y + dy)) > 10;
      }
    }
    return n;
  };
  const float x = 0.3F * a.width(), y = 0.4F * a.height();
  for (const Rect& r : {a, b}) {
    scene.move(r.x0 + x, r.y0 + y);
    const RgbImage now = scene.shot();
    EXPECT_GT(changed(now, a, x, y), 20);
    EXPECT_GT(changed(now, b, x, y), 20);
    for (const Rect& side : {a, b}) {  // read-outs in the caption lines
      int n = 0;
      for (float at = 20; at < side.width(); at += 10) n += changed(now, side, at, side.height() + 18);
      EXPECT_GT(n, 20);
    }
  }
}

TEST(SideBySideWindow, OneZoomAndPanForBoth) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene, flat(-15), flat(-45));
  const Rect a = scene.viewer->screen().side_a_layout().image;
  InjectedInput wheel;
  wheel.mouse_x = a.cx() + 30;
  wheel.mouse_y = a.cy() - 20;
  scene.inject(wheel);
  wheel.wheel = 3;
  scene.inject(wheel);
  EXPECT_FALSE(scene.state.view.pan_zoom.fitted);
  const Rect after_a = scene.viewer->screen().side_a_layout().image, after_b = scene.viewer->screen().picture();
  EXPECT_GT(after_a.width(), a.width() - 1);
  EXPECT_EQ(after_a.width(), after_b.width());
  EXPECT_EQ(after_a.height(), after_b.height());
}

TEST(SideBySideWindow, ADragThatBeginsOnADrawsAMarkOfBoth) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene, flat(-15), flat(-45));
  scene.state.marks.tool = MarkTool::rectangle;
  const Rect a = scene.viewer->screen().side_a_layout().image;
  const auto to = [&](float x_share, float y_share, bool down) {
    InjectedInput input;
    input.mouse_x = a.x0 + x_share * a.width();
    input.mouse_y = a.y0 + y_share * a.height();
    input.left = down;
    scene.inject(input);
  };
  to(0.25F, 0.25F, false);
  to(0.25F, 0.25F, true);
  to(0.5F, 0.5F, true);
  to(0.75F, 0.5F, true);
  to(0.75F, 0.5F, false);
  ASSERT_EQ(scene.state.marks.list.size(), 1U);
  const Mark& mark = scene.state.marks.list[0];
  EXPECT_NEAR(mark.points.front().x_m, -5e-3, 0.1e-3);
  EXPECT_NEAR(mark.points.back().x_m, 5e-3, 0.1e-3);
  EXPECT_NEAR(mark.points.front().z_m, 10e-3, 0.1e-3);
  EXPECT_NEAR(mark.points.back().z_m, 15e-3, 0.1e-3);
}

bool settled(Scene& scene) {
  for (int i = 0; i < 2000; ++i) {
    scene.frames(1);
    if (!scene.state.measured.values.empty() && !scene.state.measured_a.values.empty()) return true;
  }
  return false;
}

double value_of(const Measured& m, const char* object, const char* quantity) {
  const MeasuredValue* v = m.find(object, quantity);
  return v != nullptr ? v->value : NAN;
}

// In the wipe too, and whichever side the region lies on.
TEST(CompareMeasures, BothSidesHaveTheirNumbers) {
  for (const CompareLook look : {CompareLook::wipe, CompareLook::side_by_side}) {
    ECHO_SCENE(scene, 1600, 900);
    show(scene, flat(-15), [](double x, double) { return x < 0 ? -45.0F : -40.0F; });
    scene.state.cine.compare_look = look;
    scene.state.marks.list = {{.number = 1, .kind = MarkKind::rectangle, .points = {{-8e-3, 8e-3}, {-2e-3, 20e-3}}},
                              {.number = 2, .kind = MarkKind::profile, .points = {{-8e-3, 8e-3}, {-2e-3, 20e-3}}}};
    ASSERT_TRUE(settled(scene));
    EXPECT_NEAR(value_of(scene.state.measured_a, "region 1", "mean amplitude"), -15.0, 1e-4);
    EXPECT_NEAR(value_of(scene.state.measured, "region 1", "mean amplitude"), -45.0, 1e-4);
    EXPECT_EQ(scene.state.measured_a.profiles.size(), 1U);
    scene.tap(Key::x);
    EXPECT_TRUE(scene.state.measured_a.values.empty()) << "nothing is compared any more";
  }
}

TEST(CompareMeasures, AnotherGridHasTheSameRegionInMillimetres) {
  ECHO_SCENE(scene, 1600, 900);
  show(
      scene, [](double x, double) { return x < 1.0 ? -15.0F : -25.0F; }, flat(-45), kDeep);
  scene.state.marks.list = {{.number = 1, .kind = MarkKind::rectangle, .points = {{-8e-3, 8e-3}, {0.5e-3, 20e-3}}}};
  ASSERT_TRUE(settled(scene));
  EXPECT_NEAR(value_of(scene.state.measured_a, "region 1", "mean amplitude"), -15.0, 1e-4);
  EXPECT_NEAR(value_of(scene.state.measured_a, "region 1", "area"), 43 * 61 * 0.2 * 0.2, 1.0);
}

// Without levels nothing is said about depths or missing regions: a dot and its note are all that warns.
TEST(CompareMeasures, OfWeightsThereIsOnlyTheirNote) {
  ECHO_SCENE(scene, 1600, 900);
  show(scene, flat(-15), flat(-45));
  scene.state.marks.list = {{.number = 1, .kind = MarkKind::rectangle, .points = {{-8e-3, 8e-3}, {-2e-3, 20e-3}}}};
  ASSERT_TRUE(settled(scene));
  scene.state.params.formation.adaptive = Adaptive::coherence;
  scene.state.params.formation.adaptive_show = AdaptiveShow::weight;
  scene.put_past(0, kSquare, flat(0.5F), 100);
  ASSERT_TRUE(scene.frames_until([&] { return scene.state.measured.values.empty(); }));
  scene.frames(1);
  ASSERT_FALSE(scene.state.measured_a.values.empty());
  const RgbImage shot = scene.shot();
  constexpr Rgb kWarning{0xE9, 0xB8, 0x5C};
  int warning = 0;
  for (int y = 40; y < 860; ++y) {
    for (int x = 1258; x < 1600; ++x) warning += distance(pixel(shot, x, y), kWarning) < 10;
  }
  EXPECT_GT(warning, 0);
  EXPECT_LT(warning, 40);
}

// Every control of the bar lies within the centre, beside the others, and does something.
TEST(CompareBar, FitsEveryWidth) {
  struct Size {
    int width, height;
    double scale;
  };
  for (const Size& size : {Size{1024, 640, 1}, Size{1280, 720, 1}, Size{1536, 960, 1.5}, Size{1600, 900, 1},
                           Size{2560, 1440, 2}, Size{3840, 2160, 3}}) {
    ECHO_SCENE(scene, size.width, size.height, size.scale);
    show(scene, flat(-15), flat(-45));
    float right = scene.rect("cine_track").x0 - static_cast<float>(20 * size.scale);
    for (const char* id :
         {"compare_look/Wipe", "compare_look/Side by side", "compare/a", "compare/b", "swap", "compare_close"}) {
      const Rect r = scene.rect(id);
      EXPECT_GT(r.width(), 20.0F) << id << " at " << size.width;
      EXPECT_GE(r.x0, right) << id << " at " << size.width;
      right = r.x1;
    }
    EXPECT_LE(right, scene.rect("cine_track").x1 + static_cast<float>(20 * size.scale)) << size.width;
    scene.click("compare_close");
    EXPECT_FALSE(scene.state.cine.compare) << size.width;
    scene.press(Key::x);
    EXPECT_TRUE(scene.state.cine.compare) << size.width;
  }
}

TEST(CompareBar, ARecordingIsChosenByTheDialog) {
  const TemporaryFolder folder;
  std::ofstream(folder / "other.uff") << "x";
  ViewSettings remembered;
  remembered.last_folder = folder.path();
  ASSERT_TRUE(save_view_settings(folder / "settings", remembered));
  ECHO_SCENE(scene, 1600, 900, 1.0, folder / "settings");
  show(scene, flat(-15), flat(-45));
  scene.click("compare/a");
  scene.click("compare/a/1");
  for (int i = 0; i < 1000 && scene.rect("file/0").width() == 0.0F; ++i) {
    scene.viewer->wait_events(0.01);
    scene.frames(1);
  }
  scene.tap(Key::down);
  scene.click("open_file");
  EXPECT_TRUE(scene.opened_file.empty());
  ASSERT_EQ(scene.compared_with.size(), 1U);
  EXPECT_EQ(scene.compared_with[0].first, CompareSide::a);
  EXPECT_EQ(scene.compared_with[0].second.parent_path(), folder.path());
  scene.state.kept.a_recording = {.name = "other.uff", .acquisition = scene.state.source.acquisition};
  scene.frames(1);
  const int before = scene.params_changed;
  scene.click("swap");
  EXPECT_EQ(scene.recordings_swapped, 1);
  EXPECT_EQ(scene.params_changed, before);
  scene.click("compare/a");
  scene.click("compare/a/0");
  ASSERT_EQ(scene.compared_with.size(), 2U);
  EXPECT_TRUE(scene.compared_with[1].second.empty()) << "held settings again";
}

}  // namespace
}  // namespace echoloop::testing::side_by_side_test
