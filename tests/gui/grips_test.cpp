// Direct grips beside the image, docks beside a narrow image, tooltips beside a column, marks at their peaks.
#include <imgui.h>

#include <cmath>

#include "gui/scene.h"
#include "support/picture_pixels.h"

namespace echoloop::testing::grips_test {
namespace {

constexpr Grid kNarrow{.x0_m = -8e-3, .x1_m = 8e-3, .z0_m = 0, .z1_m = 40e-3, .nx = 81, .nz = 201};

float grey(double, double) { return -40.0F; }

void wheel(Scene& scene, const Rect& r, float steps) {
  InjectedInput input;
  input.mouse_x = r.cx();
  input.mouse_y = r.cy();
  scene.inject(input);
  input.wheel = steps;
  scene.inject(input);
}

TEST(Grips, TheWheelOnTheRulerIsTheDepth) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, grey);
  scene.frames(3);
  FormationParams& p = scene.state.params.formation;
  const double before_m = p.depth_max_m;
  wheel(scene, scene.rect("ruler"), 2);
  EXPECT_LT(p.depth_max_m, before_m);
  EXPECT_GT(scene.params_changed, 0);
  EXPECT_TRUE(scene.state.view.pan_zoom.fitted) << "no zoom";
  wheel(scene, scene.rect("ruler"), 100);
  EXPECT_GT(p.depth_max_m, p.depth_min_m);
  wheel(scene, scene.rect("ruler"), -200);
  EXPECT_GT(p.depth_max_m, 0.5 * before_m);
  EXPECT_LT(p.depth_max_m, 10.0 * before_m) << "no deeper than recorded";
}

TEST(Grips, TheTgcIsDraggedBesideTheImageInView) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, grey);
  scene.frames(3);
  EXPECT_EQ(scene.rect("tgc/3").width(), 0.0F) << "Engineer";
  scene.viewer->apply_layout({{"mode", "view"}});
  scene.frames(3);
  const Rect knob = scene.rect("tgc/3");
  ASSERT_GT(knob.width(), 0.0F);
  EXPECT_GT(knob.x0, scene.viewer->screen().picture().x1);
  scene.drag("tgc/3", 0.5F, 0.8F);
  const TgcGains& gains = scene.state.params.display.tgc_db;
  EXPECT_GT(gains[2], 5.0);
  EXPECT_EQ(gains[1], 0.0);
  EXPECT_EQ(gains[3], 0.0);
  EXPECT_GT(scene.params_changed, 0);
  scene.click("tgc/3", true);
  EXPECT_EQ(gains[2], 0.0);
}

TEST(Docks, StandBesideAnImageThatIsMuchHigherThanWide) {
  for (const auto& [width, height] : {std::pair{1600, 900}, {1280, 720}}) {
    for (const bool narrow : {true, false}) {
      ECHO_SCENE(scene, width, height);
      scene.state.view.inspected = PlanePoint{0, 15e-3};
      scene.put_image(narrow ? kNarrow : kSquare, grey);
      scene.frames(2);
      scene.press(Key::m);
      for (std::uint64_t frame = 10; frame < 20; ++frame) {
        scene.put_image(narrow ? kNarrow : kSquare, grey, frame);
        scene.frames(1);
      }
      const Rect image = scene.viewer->screen().picture(), strip = scene.viewer->screen().strips().m_mode;
      ASSERT_TRUE(image.width() > 0 && strip.width() > 0) << width << narrow;
      if (narrow) {
        EXPECT_GT(strip.x0, image.x1) << width;
        EXPECT_GT(strip.width(), image.width());
        EXPECT_GT(image.height(), 0.5F * static_cast<float>(height)) << "the image keeps its height";
      } else {
        EXPECT_GT(strip.y0, image.y1) << width;
      }
    }
  }
}

// Opens the M-mode of a narrow image.
void open_beside(Scene& scene) {
  scene.state.view.inspected = PlanePoint{0, 15e-3};
  scene.put_image(kNarrow, grey);
  scene.frames(2);
  scene.press(Key::m);
  for (std::uint64_t frame = 10; frame < 14; ++frame) {
    scene.put_image(kNarrow, grey, frame);
    scene.frames(1);
  }
}

TEST(Docks, BesideAnImageHaveASplitter) {
  for (const auto& [width, height, scale] :
       {std::tuple{1024, 640, 1.0}, {1280, 720, 1.0}, {1600, 900, 1.0}, {3840, 2160, 2.0}}) {
    SCOPED_TRACE(::testing::Message() << width);
    ECHO_SCENE(scene, width, height, scale);
    scene.viewer->apply_layout({{"mode", "view"}});
    open_beside(scene);
    const auto edge = [&] { return scene.rect("splitter_dock").cx(); };
    const auto s = static_cast<float>(scale);
    const float before = edge(), y = scene.rect("splitter_dock").cy();
    ASSERT_GT(before, 0.0F);
    scene.drag({before, y}, {before + 30 * s, y});
    EXPECT_NEAR(edge(), before + 30 * s, 2 * s);
    EXPECT_NEAR(scene.viewer->settings().widths.dock, (scene.viewer->screen().strips().m_mode.x1 - edge()) / s, 30.0F);
    scene.click("splitter_dock", true);
    EXPECT_NEAR(edge(), before, 1.0F) << "right click";
    scene.drag({before, y}, {before - 40 * s, y});
    EXPECT_NEAR(edge(), before - 40 * s, 2 * s);
    for (int i = 0; i < 2; ++i) scene.click("splitter_dock");
    scene.frames(2);
    EXPECT_NEAR(edge(), before, 1.0F) << "double click";
    scene.drag({before, y}, {static_cast<float>(width), y});
    const Rect strip = scene.viewer->screen().strips().m_mode;
    EXPECT_GT(strip.width(), 240 * s);
    scene.drag({edge(), y}, {0, y});
    EXPECT_GE(scene.viewer->screen().picture().width(), 60 * s);
    EXPECT_LE(scene.viewer->screen().picture().x1, scene.viewer->screen().strips().m_mode.x0);
    scene.viewer->apply_layout({{"mode", "view"}, {"dock", "m_mode"}, {"dock_width", "360"}});
    scene.frames(2);
    EXPECT_NEAR(scene.viewer->screen().strips().m_mode.x1 - edge(), 350 * s, 12 * s);
    EXPECT_EQ(layout_text(scene.viewer->settings()).at("dock_width"), "360");
    EXPECT_EQ(scene.gl_error(), 0);
  }
}

TEST(Docks, InAWindowTooNarrowForBothOneIsChosen) {
  ECHO_SCENE(scene, 1024, 640);
  open_beside(scene);
  ASSERT_GT(scene.rect("dock_or_image/Image").width(), 0.0F);
  const Rect strip = scene.viewer->screen().strips().m_mode;
  EXPECT_GT(strip.width(), 340.0F);
  EXPECT_EQ(scene.viewer->screen().picture().width(), 0.0F);
  const auto choose = [&](const std::string& name) {
    scene.click("dock_or_image/" + name);
    scene.frames(2);
  };
  choose("Image");
  EXPECT_EQ(scene.viewer->screen().strips().m_mode.width(), 0.0F);
  EXPECT_GT(scene.viewer->screen().picture().height(), 200.0F);
  EXPECT_EQ(scene.viewer->settings().dock, Dock::m_mode) << "still open";
  choose("M-mode");
  EXPECT_EQ(scene.viewer->screen().strips().m_mode, strip);
  choose("Image");
  scene.press(Key::n);
  scene.frames(2);
  EXPECT_EQ(scene.viewer->screen().picture().width(), 0.0F) << "another dock is shown when it opens";
  scene.press(Key::n);
  scene.frames(2);
  EXPECT_GT(scene.viewer->screen().picture().height(), 200.0F);
  EXPECT_EQ(scene.gl_error(), 0);
}

bool is_hover(const RgbImage& p, float x, float y) { return distance(pixel(p, x, y), {0x2A, 0x30, 0x36}) == 0; }

TEST(Tooltips, StandBesideTheColumnAndNotSoonAfterADrag) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, grey);
  scene.frames(3);
  const Rect slider = scene.rect("gain_db"), edge = scene.rect("splitter_left");
  scene.move(slider.cx(), slider.cy());
  const auto shown = [&] {
    scene.frames(1);
    return is_hover(scene.shot(), edge.x1 + 16, slider.y0 + 6);
  };
  ASSERT_TRUE(scene.frames_until(shown)) << "right of the column";
  EXPECT_FALSE(is_hover(scene.shot(), slider.x0 + 30, slider.y1 + 20)) << "the next control stays free";
  scene.drag("gain_db", 0.5F, 0.6F);
  const double released_s = ImGui::GetTime();
  ASSERT_TRUE(scene.frames_until(shown));
  EXPECT_GT(ImGui::GetTime() - released_s, 0.9);
}

TEST(Marks, APointIsDrawnAtItsMeasuredPeak) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, [](double x, double z) {
    const double dx = x - 0.6, dz = z - 15.0;
    return static_cast<float>(std::max(-10.0 - 12.0 * (dx * dx + dz * dz), -60.0));
  });
  scene.state.marks.list = {{.number = 1, .kind = MarkKind::point, .points = {{0.0, 15e-3}}}};
  ASSERT_TRUE(scene.frames_until(
      [&] { return !scene.state.measured.points.empty() && scene.state.measured.points[0].spread.has_value(); }));
  scene.frames(2);
  const PlanePoint peak{scene.state.measured.points[0].spread->peak.x_m,
                        scene.state.measured.points[0].spread->peak.z_m};
  EXPECT_NEAR(peak.x_m, 0.6e-3, 0.1e-3);
  const ImageLayout& l = scene.viewer->screen().image_layout();
  const RgbImage shot = scene.shot();
  const auto is_accent = [&](double x_m) {  // the lower arm of the cross
    const Rgb c = pixel(shot, std::lround(l.x_px(x_m) - 0.5F), std::lround(l.z_px(peak.z_m) + 4));
    return c.b > c.r + 60;
  };
  EXPECT_TRUE(is_accent(peak.x_m));
  EXPECT_FALSE(is_accent(0.0));
}

TEST(Marks, OfAComparisonAreDrawnAtThePeakOfEachSide) {
  for (const CompareLook look : {CompareLook::side_by_side, CompareLook::wipe}) {
    ECHO_SCENE(scene, 1600, 900);
    const auto echo_at = [](double at) {
      return [at](double x, double z) {
        const double dx = x - at, dz = z - 10.0;
        return static_cast<float>(std::max(-10.0 - 12.0 * (dx * dx + dz * dz), -60.0));
      };
    };
    scene.freeze(100, 50);
    scene.put_past(0, kSquare, echo_at(0.6), 100);  // both of one frame
    scene.frames(2);
    scene.press(Key::x);
    scene.put_past(1, kSquare, echo_at(-0.6), 100);
    scene.state.cine.compare_look = look;
    scene.state.marks.list = {{.number = 1, .kind = MarkKind::point, .points = {{0.0, 10e-3}}}};
    const auto measured = [](const Measured& m) { return !m.points.empty() && m.points[0].spread.has_value(); };
    ASSERT_TRUE(scene.frames_until([&] { return measured(scene.state.measured) && measured(scene.state.measured_a); }));
    scene.move(0, 0);
    scene.frames(2);
    const bool beside = look == CompareLook::side_by_side;
    const ImageLayout& b = scene.viewer->screen().image_layout();
    const ImageLayout& a = beside ? scene.viewer->screen().side_a_layout() : b;
    const RgbImage shot = scene.shot();
    const auto is_accent = [&](const ImageLayout& l, double x_m) {  // the lower arm of the cross
      const Rgb c = pixel(shot, std::lround(l.x_px(x_m) - 0.5F), std::lround(l.z_px(10e-3) + 4));
      return c.b > c.r + 60;
    };
    EXPECT_TRUE(is_accent(a, -0.6e-3));
    EXPECT_TRUE(is_accent(b, 0.6e-3));
    EXPECT_EQ(is_accent(a, 0.6e-3), !beside) << "one image, of A left of the line";
    EXPECT_EQ(is_accent(b, -0.6e-3), !beside);
    EXPECT_EQ(scene.gl_error(), 0);
  }
}

}  // namespace
}  // namespace echoloop::testing::grips_test
