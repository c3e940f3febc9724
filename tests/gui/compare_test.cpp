// The comparison by wipe line: which pixels come from A and which from B, where A lies, what the badges list; and the
// banner of a refused frame.
#include <cmath>

#include "core/param_table.h"
#include "gui/panels/cine_actions.h"
#include "gui/scene.h"
#include "gui/toolkit/layout.h"
#include "gui/view/image_view.h"
#include "gui/workspace/image_area.h"
#include "support/picture_pixels.h"

namespace echoloop::testing::compare_test {
namespace {

constexpr float kA_db = -15.0F;  // with 60 dB: 191 of 255
constexpr float kB_db = -45.0F;  // 64

Field flat(float level_db) {
  return [level_db](double, double) { return level_db; };
}

// Frozen, A and B on screen, no message and no tooltip over them.
void compare(Scene& scene, const Grid& grid_a = kSquare) {
  scene.freeze(100, 50);
  scene.put_past(0, kSquare, flat(kB_db));
  scene.frames(2);
  scene.press(Key::x);
  ASSERT_TRUE(scene.state.cine.compare);
  scene.put_past(1, grid_a, flat(kA_db));
  scene.frames(2);
}

TEST(Compare, TheLineDecidesWhichPixelsAreWhose) {
  ECHO_SCENE(scene, 1600, 900);
  compare(scene);
  const Rect r = scene.viewer->screen().picture();
  const float y = r.y0 + 0.5F * r.height();
  const auto at = [&](float share) { return gray_at(scene.shot(), r.x0 + share * r.width(), y); };
  EXPECT_NEAR(at(0.4F), 191, 2);
  EXPECT_NEAR(at(0.6F), 64, 2);
  EXPECT_NEAR(gray_at(scene.shot(), r.cx() - 8, y), 191, 2);
  EXPECT_NEAR(gray_at(scene.shot(), r.cx() + 8, y), 64, 2);
  scene.drag("wipe", 0.5F, 0.5F + 0.25F * r.width() / scene.rect("wipe").width());
  EXPECT_NEAR(scene.state.cine.wipe, 0.75F, 0.01F);
  EXPECT_NEAR(at(0.6F), 191, 2);
  EXPECT_NEAR(at(0.8F), 64, 2);
  scene.click("wipe", true);
  EXPECT_FLOAT_EQ(scene.state.cine.wipe, 0.5F);
  scene.state.params.display.gain_db = 10;  // the display's parameters act on both sides
  scene.frames(1);
  EXPECT_NEAR(at(0.4F), 233, 2);
  EXPECT_NEAR(at(0.6F), 106, 2);
}

TEST(Compare, LabelsOfANarrowImageHaveTheirValuesBesideIt) {
  static constexpr Grid kNarrow{.x0_m = -4e-3, .x1_m = 4e-3, .z0_m = 5e-3, .z1_m = 25e-3, .nx = 41, .nz = 101};
  ECHO_SCENE(scene, 1600, 900);
  scene.freeze(100, 50);
  scene.put_past(0, kNarrow, flat(kB_db));
  scene.frames(2);
  scene.press(Key::x);
  scene.put_past(1, kNarrow, flat(kA_db));
  const auto with_speed = [&scene](double speed_m_s) {
    scene.state.params.formation.sound_speed_m_s = speed_m_s;
    scene.put_past(0, kNarrow, flat(kB_db));
    scene.frames(2);
    scene.move(0, 0);
    return scene.shot();
  };
  const RgbImage one = with_speed(1600), other = with_speed(1653);
  const Rect r = scene.viewer->screen().picture();
  ASSERT_LT(r.width(), 300.0F);
  int different = 0;
  for (float y = r.y0 - 50; y < r.y0 - 30; ++y) {
    for (float x = r.cx() + 8; x < r.x1 + 100; ++x)
      different += std::abs(gray_at(one, x, y) - gray_at(other, x, y)) > 40 ? 1 : 0;
  }
  EXPECT_GT(different, 5);
}

TEST(Compare, TheReadOutLeavesTheScaleBarVisible) {
  ECHO_SCENE(scene, 1600, 900);
  compare(scene);
  const Rect r = scene.viewer->screen().picture();
  InjectedInput input;
  input.mouse_x = r.x1 - 20;  // away from there, to the left, is the read-out
  input.mouse_y = r.y1 - 20;
  scene.inject(input);
  const ImageLayout& layout = scene.viewer->screen().image_layout();
  const auto bar_px = static_cast<float>(scale_bar_mm(layout) * layout.px_per_mm());
  EXPECT_GT(gray_at(scene.shot(), r.x0 + 16 + 0.5F * bar_px, r.y1 - 17), 200);
}

TEST(Compare, AnotherGridLiesWhereItsMillimetresAre) {
  ECHO_SCENE(scene, 1600, 900);
  const Grid grid_a{-5e-3, 30e-3, 10e-3, 20e-3, 71, 41};  // B: -10 to 10 mm, 5 to 25 mm
  compare(scene, grid_a);
  const Rect r = scene.viewer->screen().picture();
  const RgbImage shot = scene.shot();
  const auto at = [&](double x_mm, double z_mm) {
    return gray_at(shot, r.x0 + static_cast<float>((x_mm + 10) / 20) * r.width(),
                   r.y0 + static_cast<float>((z_mm - 5) / 20) * r.height());
  };
  EXPECT_NEAR(at(-4.8, 15), 191, 2);
  EXPECT_EQ(at(-5.2, 15), 0);  // left of A
  EXPECT_NEAR(at(-3, 10.2), 191, 2);
  EXPECT_EQ(at(-3, 9.8), 0);  // above it
  EXPECT_EQ(at(-3, 20.2), 0);
  EXPECT_NEAR(at(3, 22), 64, 2);
}

TEST(Compare, GoesOnLiveAndEndsWithTheStream) {
  ECHO_SCENE(scene, 1600, 900);
  compare(scene);
  EXPECT_GT(scene.rect("swap").width(), 0.0F);
  scene.state.run = RunState::live;
  scene.put_image(kSquare, flat(-30));  // not shown: both sides are of one kept frame
  scene.frames(2);
  EXPECT_TRUE(scene.state.cine.compare);
  Rect r = scene.viewer->screen().picture();
  EXPECT_NEAR(gray_at(scene.shot(), r.x0 + 0.4F * r.width(), r.cy()), 191, 2);
  EXPECT_NEAR(gray_at(scene.shot(), r.x0 + 0.6F * r.width(), r.cy()), 64, 2);
  scene.tap(Key::x);
  EXPECT_FALSE(scene.state.cine.compare);
  EXPECT_EQ(scene.rect("swap").width(), 0.0F);
  r = scene.viewer->screen().picture();
  EXPECT_NEAR(gray_at(scene.shot(), r.x0 + 0.4F * r.width(), r.cy()), 128, 2);
  scene.press(Key::x);
  EXPECT_TRUE(scene.state.cine.compare) << "live";
  scene.state.run = RunState::fault;
  scene.frames(2);
  EXPECT_FALSE(scene.state.cine.compare);
  scene.freeze(100, 50);  // a new comparison starts without the old one's image
  scene.put_past(0, kSquare, flat(kB_db));
  scene.frames(2);
  scene.click("compare");
  EXPECT_TRUE(scene.state.cine.compare);
  r = scene.viewer->screen().picture();
  EXPECT_NEAR(gray_at(scene.shot(), r.x0 + 0.4F * r.width(), r.cy()), 64, 2);
}

TEST(Compare, AIsWhatThePanelsSaidAndSwapExchanges) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.params.formation.f_number = 1.25;
  compare(scene);
  EXPECT_EQ(scene.state.cine.a, scene.state.params);
  scene.state.params.formation.f_number = 2.5;
  scene.state.params.display.dynamic_range_db = 70;
  scene.frames(1);
  const int told = scene.params_changed;
  const int cine_told = scene.cine_changed;
  scene.click("swap");
  EXPECT_DOUBLE_EQ(scene.state.params.formation.f_number, 1.25);
  EXPECT_DOUBLE_EQ(scene.state.cine.a.formation.f_number, 2.5);
  EXPECT_DOUBLE_EQ(scene.state.params.display.dynamic_range_db, 70);  // of the display: stays
  EXPECT_EQ(scene.params_changed, told + 1);
  EXPECT_EQ(scene.cine_changed, cine_told + 1);
}

// Levels beside weights: one scale cannot be that of both.
TEST(Compare, EachSideHasItsScaleWhereOneShowsWeights) {
  ECHO_SCENE(scene, 1600, 900);
  compare(scene);
  EXPECT_EQ(scene.viewer->screen().image_layout().a_bar.width(), 0.0F);
  scene.state.params.formation.adaptive = Adaptive::coherence;
  scene.state.params.formation.adaptive_show = AdaptiveShow::weight;
  scene.put_past(0, kSquare, flat(0.5F));
  for (const CompareLook look : {CompareLook::wipe, CompareLook::side_by_side}) {
    scene.state.cine.compare_look = look;
    scene.frames(2);
    const ImageLayout& l = scene.viewer->screen().image_layout();
    EXPECT_GT(l.a_bar.x0, l.color_bar.x1);
    EXPECT_GT(l.color_bar.x0, l.image.x1);
    EXPECT_TRUE(scene.rect("color_bar_a").contains(l.a_bar.cx(), l.a_bar.cy())) << "the scale in dB is A's";
  }
  const Rect of_a = scene.rect("color_bar_a");
  scene.drag({of_a.cx(), of_a.cy()}, {of_a.cx(), 500});
  EXPECT_NE(scene.state.cine.a.display.gain_db, scene.state.defaults.display.gain_db);
}

// A preset acts on B; what is set by hand, on both as far as they agree.
TEST(Compare, APresetChangesTheDisplayOfBAlone) {
  ECHO_SCENE(scene, 1600, 900);
  compare(scene);
  DisplayParams& b = scene.state.params.display;
  const DisplayParams& a = scene.state.cine.a.display;
  const double before_db = a.dynamic_range_db;
  b.dynamic_range_db = before_db + 30;
  ++scene.state.presets.loads;
  scene.frames(2);
  EXPECT_EQ(a.dynamic_range_db, before_db);
  const Rect r = scene.viewer->screen().picture();
  const float y = r.y0 + 0.5F * r.height();
  EXPECT_NEAR(gray_at(scene.shot(), r.x0 + 0.4F * r.width(), y), 191, 2) << "drawn with its own range";
  EXPECT_NEAR(gray_at(scene.shot(), r.x0 + 0.6F * r.width(), y), 128, 2);
  EXPECT_GT(scene.viewer->screen().image_layout().a_bar.width(), 0.0F) << "each has a scale";
  b.gain_db = 6;
  b.dynamic_range_db = before_db + 20;
  scene.frames(1);
  EXPECT_EQ(a.gain_db, 6) << "they agreed";
  EXPECT_EQ(a.dynamic_range_db, before_db) << "they did not";
}

TEST(Compare, ListsWhatDiffers) {
  const ImagingParams a = default_params(*scene_acquisition());
  ImagingParams b = a;
  EXPECT_TRUE(differing_params(a, b).empty());
  b.display.gain_db += 6;
  b.display.color_map = ColorMap::hot;
  EXPECT_TRUE(differing_params(a, b).empty());
  b.formation.band_low_hz = a.formation.band_low_hz + 1e-3;
  EXPECT_TRUE(differing_params(a, b).empty()) << "rounding";
  b.formation.band_low_hz = a.formation.band_low_hz;
  b.formation.sound_speed_m_s = a.formation.sound_speed_m_s - 60;
  b.formation.apodization = Apodization::hann;
  b.formation.f_number = a.formation.f_number + 0.001;
  b.formation.depth_max_m = a.formation.depth_max_m + 5e-3;
  const std::vector<ParamDifference> list = differing_params(a, b);
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[0].label, "Speed of sound");
  EXPECT_EQ(list[0].a, "1\u202F540");
  EXPECT_EQ(list[0].b, "1\u202F480");
  EXPECT_EQ(list[0].unit, "m/s");
  EXPECT_NE(list[1].a, list[1].b);  // as many decimals as it takes
  EXPECT_EQ(list[2].label, find_param("depth_max_m")->label);
  EXPECT_EQ(list[2].unit, "mm");
  EXPECT_EQ(list[3].a, "Boxcar");
  EXPECT_EQ(list[3].b, "Hann");
}

TEST(Compare, TheLabelsStandAboveTheImage) {
  for (const CompareLook look : {CompareLook::wipe, CompareLook::side_by_side}) {
    for (const auto& [width, height] : {std::pair{1600, 900}, {1024, 640}, {700, 900}}) {
      ECHO_SCENE(scene, width, height);
      scene.put_image(kSquare, [](double, double) { return -20.0F; });
      scene.freeze(20, 50);
      scene.state.cine.compare = true;
      scene.state.cine.compare_look = look;
      scene.state.cine.a = scene.state.params;
      scene.put_past(0, kSquare, [](double, double) { return -20.0F; });
      scene.put_past(1, kSquare, [](double, double) { return -30.0F; });
      scene.frames(3);
      const Rect a = scene.rect("label/A"), b = scene.rect("label/B");
      const Rect image = scene.viewer->screen().picture();
      const Rect first = look == CompareLook::wipe ? image : scene.viewer->screen().side_a_layout().image;
      ASSERT_TRUE(a.width() > 0 && b.width() > 0 && first.width() > 0) << width;
      EXPECT_LT(a.y1, first.y0);
      EXPECT_LT(b.y1, image.y0);
      EXPECT_GE(a.y0, scene.rect("compare_look").y1) << "below the bar of the comparison";
      EXPECT_FALSE(a.overlaps(b));
      EXPECT_FALSE(b.overlaps(first));
    }
  }
}

TEST(Banner, OfARefusedFrameOffersWhatCanBeDone) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, flat(-20));
  scene.state.run = RunState::fault;
  RingRefusal refusal;
  refusal.sequence = 24689;
  refusal.slot = 2;
  refusal.copying = true;
  refusal.holds = 24681;
  scene.state.notices.fault = FaultNotice{.title = "Stopped", .detail = "", .can_restart = true};
  scene.state.notices.fault->refusal = refusal;
  scene.frames(2);
  EXPECT_GT(scene.rect("cure/Restart with Drop oldest").width(), 0.0F);
  EXPECT_GT(scene.rect("cure/Restart").width(), 0.0F);
  const float tall = scene.viewer->screen().picture().y0;
  scene.click("close_banner");
  EXPECT_LT(scene.viewer->screen().picture().y0, tall);
  scene.state.notices.fault =
      FaultNotice{.title = "The device failed", .detail = "Facts.", .can_restart = false, .can_use_cpu = true};
  scene.frames(2);
  EXPECT_EQ(scene.rect("cure/Restart").width(), 0.0F);
  EXPECT_EQ(scene.rect("cure/Restart with Drop oldest").width(), 0.0F);
  EXPECT_GT(scene.rect("cure/Continue on the CPU").width(), 0.0F);
}

TEST(Keys, HaveNoEffectWhereSomebodyTypes) {
  ECHO_SCENE(scene, 1600, 900);
  scene.freeze(100, 50);
  scene.frames(2);
  scene.click("sound_speed_m_s", false, true);
  scene.press(Key::left);
  scene.press(Key::x);
  EXPECT_EQ(scene.state.cine.index, 99u);
  EXPECT_FALSE(scene.state.cine.compare);
}

}  // namespace
}  // namespace echoloop::testing::compare_test
