// Flow in the window: colours of the overlay and where it is, the colour bar, and that over a kept frame lies its own.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/results/analysis_images.h"
#include "gui/overlay/flow_overlay.h"
#include "gui/overlay/image_scales.h"
#include "gui/overlay/transfer_function.h"
#include "gui/scene.h"
#include "gui/view/analysis_layers.h"
#include "support/picture_pixels.h"

namespace echoloop::testing::flow_test {
namespace {

Rgb pixel_mm(Scene& scene, const RgbImage& shot, double x_mm, double z_mm) {
  const ImageLayout& l = scene.viewer->screen().image_layout();
  return pixel(shot, l.x_px(x_mm * 1e-3), l.z_px(z_mm * 1e-3));
}

float half_bright(double, double) { return -30.0F; }

constexpr Grid kCoarse{.x0_m = -10e-3, .x1_m = 10e-3, .z0_m = 5e-3, .z1_m = 25e-3, .nx = 41, .nz = 51};
const Grid kFan =
    polar_grid({.apex_z_m = -5e-3, .angle0_rad = -0.5, .angle1_rad = 0.5, .r0_m = 8e-3, .r1_m = 35e-3}, 81, 121);

TEST(Flow, VelocityHasTheColoursOfItsMap) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.params.color_flow.mode = FlowMode::velocity;
  scene.put_image(kSquare, half_bright);
  // From away to towards, left to right, almost to the limit; on another grid than the image's, and a wider one.
  scene.put_flow(
      {.x0_m = -15e-3, .x1_m = 15e-3, .z0_m = 5e-3, .z1_m = 28e-3, .nx = 61, .nz = 51},
      [](double, double) { return -20.0F; },
      [](double x, double) { return static_cast<float>(std::clamp(x, -10.0, 10.0) * 9e-3); });
  scene.frames(2);
  const RgbImage shot = scene.shot();
  for (double x = -9.4; x < 9.5; x += 0.85) {
    EXPECT_LE(distance(pixel_mm(scene, shot, x, 12.0), flow_velocity_color(x * 9e-2)), 8) << x;
  }
  const Rgb towards = pixel_mm(scene, shot, 6.0, 12.0), away = pixel_mm(scene, shot, -6.0, 12.0);
  EXPECT_GT(towards.r, towards.b + 100);
  EXPECT_GT(away.b, away.r + 100);
  const float beside = scene.viewer->screen().picture().x1 + 6;  // before the colour bar
  EXPECT_TRUE(is_gray(pixel(shot, beside, scene.viewer->screen().image_layout().z_px(12e-3)))) << "beyond the picture";
  const Rect& bar = scene.viewer->screen().image_layout().flow_bar;
  for (const double t : {-0.9, -0.3, 0.3, 0.9}) {
    const float y = bar.y0 + static_cast<float>(0.5 - 0.5 * t) * bar.height();
    EXPECT_LE(distance(pixel(shot, bar.cx(), y), flow_velocity_color(t)), 12) << t;
  }
  scene.tap(Key::f5);
  EXPECT_GT(scene.rect("flow_bar").x0, scene.viewer->screen().picture().x1);
  EXPECT_EQ(scene.gl_error(), 0);
}

TEST(Flow, ThroughTheAliasingLimitItDoesNotFade) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.params.color_flow.mode = FlowMode::velocity;
  scene.put_image(kSquare, half_bright);
  // Left of the middle just below the limit, right of it wrapped.
  scene.put_flow(
      kCoarse, [](double, double) { return -20.0F; }, [](double x, double) { return x < 0.1 ? 0.097F : -0.097F; });
  scene.frames(2);
  const RgbImage shot = scene.shot();
  const ImageLayout& l = scene.viewer->screen().image_layout();
  for (float x = l.x_px(-1e-3); x < l.x_px(1.5e-3); x += 1.0F) {
    const Rgb c = pixel(shot, x, l.z_px(12e-3));
    EXPECT_GT(std::max(c.r, c.b), 150) << x;  // the colours of slow flow are dark
  }
}

TEST(Flow, ThresholdAndPriorityDecideWhereItIs) {
  ECHO_SCENE(scene, 1600, 900);
  ImagingParams& p = scene.state.params;
  p.color_flow.mode = FlowMode::power;
  p.color_flow.threshold_db = -35.0;
  p.color_flow.priority_db = -25.0;
  const auto picture_db = [](double, double z) { return static_cast<float>(-1.5 * z - 3.0); };  // brighter above
  const auto power_db = [](double x, double) { return static_cast<float>(-35.0 + 2.0 * x); };   // stronger at the right
  scene.put_image(kSquare, picture_db);
  scene.put_flow(kCoarse, power_db, [](double, double) { return 0.0F; });
  scene.frames(2);
  RgbImage shot = scene.shot();
  int shown = 0;
  for (double x = -9.3; x < 9.5; x += 1.3) {
    for (double z = 9.0; z < 22.0; z += 1.3) {  // clear of the scale bar
      const float opacity = flow_opacity(power_db(x, z), picture_db(x, z), p);
      const Rgb c = pixel_mm(scene, shot, x, z);
      if (opacity > 0.99F) {
        ++shown;
        const double t = (static_cast<double>(power_db(x, z)) + 35.0) / kFlowPowerRange_db;
        EXPECT_LE(distance(c, flow_power_color(t)), 8) << x << ", " << z;
      } else if (opacity < 0.01F) {
        EXPECT_TRUE(is_gray(c)) << x << ", " << z;
      }
    }
  }
  EXPECT_GT(shown, 20);
  p.color_flow.threshold_db = 10.0;  // above everything
  scene.frames(2);
  shot = scene.shot();
  EXPECT_TRUE(is_gray(pixel_mm(scene, shot, 9.0, 20.0)));
}

TEST(Flow, LiesInPlaceOverASectorAndWhenZoomed) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.params.color_flow.mode = FlowMode::velocity;
  const auto inside = [](double x, double z) { return std::hypot(x - 3.0, z - 18.0) < 4.0; };
  for (const bool zoomed : {false, true}) {
    if (zoomed) scene.state.view.pan_zoom = {.fitted = false, .centre = {2e-3, 18e-3}, .logical_px_per_m = 50e3};
    scene.put_image(kFan, half_bright);
    scene.put_flow(
        kFan, [&](double x, double z) { return inside(x, z) ? -10.0F : -90.0F; }, [](double, double) { return 0.05F; });
    scene.frames(2);
    const RgbImage shot = scene.shot();
    for (double angle = 0.0; angle < 6.2; angle += 0.5) {
      const auto at = [&](double r) {
        return pixel_mm(scene, shot, 3.0 + r * std::cos(angle), 18.0 + r * std::sin(angle));
      };
      EXPECT_LE(distance(at(3.2), flow_velocity_color(0.5)), 6) << angle;
      EXPECT_TRUE(is_gray(at(4.8))) << angle;
    }
  }
}

TEST(Flow, LowRankTakesThePicturesPlace) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.params.color_flow.mode = FlowMode::low_rank;
  scene.put_image(kSquare, half_bright);
  scene.put_flow(
      kCoarse, [](double x, double) { return static_cast<float>(-30.0 + 2.0 * x); },
      [](double, double) { return 0.0F; });
  scene.frames(2);
  const RgbImage shot = scene.shot();
  for (const double x : {-8.0, -3.0, 2.0, 8.0}) {
    const Rgb wanted = map_color(ColorMap::gray, transfer(-30.0 + 2.0 * x, scene.state.params.display));
    EXPECT_LE(distance(pixel_mm(scene, shot, x, 12.0), wanted), 3) << x;
  }
  EXPECT_EQ(scene.rect("flow_bar").width(), 0.0F);
}

TEST(Flow, TheLiveOneIsNotShownOverKeptFramesNorAnyWhenOff) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.params.color_flow.mode = FlowMode::velocity;
  scene.put_image(kSquare, half_bright);
  const auto strong = [](double, double) { return -10.0F; };
  const auto fast = [](double, double) { return 0.05F; };
  scene.put_flow(kCoarse, strong, fast);
  scene.frames(2);
  ASSERT_FALSE(is_gray(pixel_mm(scene, scene.shot(), 0.0, 15.0)));
  EXPECT_GT(scene.rect("flow_bar").width(), 0.0F);
  scene.freeze(20, 50.0);
  scene.put_past(0, kSquare, half_bright);
  scene.frames(2);
  EXPECT_TRUE(is_gray(pixel_mm(scene, scene.shot(), 0.0, 15.0)));
  EXPECT_EQ(scene.state.analyses.of<FlowView>().image, nullptr);
  scene.state.run = RunState::live;  // the one from before is old; another one is not
  scene.put_image(kSquare, half_bright);
  scene.frames(2);
  EXPECT_TRUE(is_gray(pixel_mm(scene, scene.shot(), 0.0, 15.0)));
  scene.put_flow(kCoarse, strong, fast);
  scene.frames(2);
  EXPECT_FALSE(is_gray(pixel_mm(scene, scene.shot(), 0.0, 15.0)));
  scene.state.params.color_flow.mode = FlowMode::off;
  scene.frames(2);
  EXPECT_TRUE(is_gray(pixel_mm(scene, scene.shot(), 0.0, 15.0)));
  EXPECT_EQ(scene.rect("flow_bar").width(), 0.0F);
}

TEST(Flow, WhileNoImageComesItGrowsNoOlder) {
  ECHO_SCENE(scene, 1600, 900);
  WindowState& state = scene.state;
  state.params.color_flow.mode = FlowMode::velocity;
  scene.put_image(kSquare, half_bright);
  scene.put_flow(
      kCoarse, [](double, double) { return -10.0F; }, [](double, double) { return 0.05F; });
  scene.frames(2);
  ASSERT_NE(state.analyses.of<FlowView>().image, nullptr);
  const double live_s = state.analyses.of<FlowView>().age_s;
  scene.frames(1);
  EXPECT_GT(state.analyses.of<FlowView>().age_s, live_s);
  state.numbers.idle = true;
  scene.frames(1);
  const double rests_s = state.analyses.of<FlowView>().age_s;
  scene.frames(2);
  EXPECT_EQ(state.analyses.of<FlowView>().age_s, rests_s);
}

TEST(Flow, OverAKeptFrameLiesTheFlowOfTheEnsembleThatEndsWithIt) {
  ECHO_SCENE(scene, 1600, 900);
  WindowState& state = scene.state;
  state.params.color_flow.mode = FlowMode::velocity;
  const auto strong = [](double, double) { return -10.0F; };
  const auto fast = [](double, double) { return 0.05F; };
  const auto shown = [&] {
    scene.frames(2);
    const RgbImage shot = scene.shot();
    const bool right = !is_gray(pixel_mm(scene, shot, 6.0, 15.0));
    EXPECT_EQ(right, !is_gray(pixel_mm(scene, shot, -6.0, 15.0)));
    EXPECT_EQ(right, state.analyses.of<FlowView>().image != nullptr);
    return right;
  };
  scene.freeze(100, 50.0);
  scene.put_past(0, kSquare, half_bright, 70);
  EXPECT_FALSE(shown());  // in work
  scene.put_past_flow(kCoarse, strong, fast, 69);
  EXPECT_FALSE(shown()) << "of the frame before";
  state.cine.playing = true;
  EXPECT_TRUE(shown()) << "the loop does not wait for it";
  state.cine.playing = false;
  EXPECT_FALSE(shown());
  scene.put_past_flow(kCoarse, strong, fast, 70);
  EXPECT_TRUE(shown());
  EXPECT_EQ(state.analyses.of<FlowView>().age_s, 0.0);
  EXPECT_GT(scene.rect("flow_bar").width(), 0.0F);
  state.kept.why_no_flow = "Frames are missing.";  // another ensemble was asked for
  EXPECT_FALSE(shown());
  state.kept.why_no_flow.clear();
  EXPECT_TRUE(shown());
  scene.put_past(0, kSquare, half_bright, 71);
  EXPECT_FALSE(shown());
  scene.put_past_flow(kCoarse, strong, fast, 71);
  EXPECT_TRUE(shown());
  state.run = RunState::live;
  scene.put_image(kSquare, half_bright, 72);
  EXPECT_FALSE(shown()) << "live again";
  state.run = RunState::frozen;
  EXPECT_FALSE(shown()) << "the one from before was asked for with other parameters";
}

TEST(Flow, SavedPicturesHaveTheFlowThatIsOnScreen) {
  ECHO_SCENE(scene, 1600, 900);
  ImagingParams& p = scene.state.params;
  p.color_flow.threshold_db = -35.0;
  p.color_flow.priority_db = -25.0;
  const auto picture_db = [](double, double z) { return static_cast<float>(-1.5 * z - 3.0); };
  const auto power_db = [](double x, double z) { return static_cast<float>(-35.0 + 3.0 * x + 0.2 * z); };
  const auto velocity = [](double x, double z) { return static_cast<float>(0.1 * std::sin(0.5 * x + 0.3 * z)); };
  for (const Grid& grid : {kCoarse, kFan}) {
    for (const FlowMode mode : {FlowMode::power, FlowMode::velocity}) {
      p.color_flow.mode = mode;
      scene.put_image(grid == kFan ? kFan : kSquare, picture_db);
      scene.put_flow(grid, power_db, velocity);
      scene.frames(2);
      const RgbImage shot = scene.shot();
      ASSERT_NE(scene.state.analyses.of<FlowView>().image, nullptr);
      const FlowOverlay overlay(*scene.state.analyses.of<FlowView>().image, p);
      const TissueLevels tissue(scene.viewer->shown_image());
      int flow = 0, off = 0;
      for (double x = -9.3; x < 9.5; x += 0.41) {
        for (double z = 10.0; z < 22.0; z += 0.53) {
          const Rgb on_screen = pixel_mm(scene, shot, x, z);
          const PlanePoint at{x * 1e-3, z * 1e-3};
          std::uint8_t saved[3] = {0, 0, 0};
          const float opacity = overlay.blend(saved, at, tissue.at(at));
          if (opacity > 0.0F && opacity < 1.0F) continue;  // the grey below shines through
          if (opacity > 0.0F) ++flow;
          const bool same =
              opacity > 0.0F ? distance({saved[0], saved[1], saved[2]}, on_screen) <= 24 : is_gray(on_screen);
          if (!same) ++off;
        }
      }
      EXPECT_GT(flow, 200);
      EXPECT_LE(off, 12) << "at edges: the screen's pixels lie beside the points";
    }
  }
}

TEST(Flow, OfAComparisonItBelongsToTheRightSide) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.params.color_flow.mode = FlowMode::velocity;
  scene.freeze(100, 50.0);
  scene.state.cine.compare = true;
  scene.state.cine.wipe = 0.5F;
  scene.put_past(0, kSquare, half_bright, 70);
  scene.put_past(1, kSquare, half_bright, 70);
  scene.put_past_flow(
      kCoarse, [](double, double) { return -10.0F; }, [](double, double) { return 0.05F; }, 70);
  scene.frames(3);
  const RgbImage shot = scene.shot();
  EXPECT_TRUE(is_gray(pixel_mm(scene, shot, -6.0, 15.0)));
  EXPECT_LE(distance(pixel_mm(scene, shot, 6.0, 15.0), flow_velocity_color(0.5)), 8);
}

TEST(Flow, TextsHaveSignsAndTheUnitOfTheLimit) {
  EXPECT_EQ(velocity_text(0.0421, 0.1), "+4.2 cm/s");
  EXPECT_EQ(velocity_text(-0.0421, 0.1), "\u22124.2 cm/s");
  EXPECT_EQ(velocity_text(-1.234, 2.0), "\u22121.2 m/s");
  EXPECT_EQ(flow_age_text(0.049), "0.05");
  FlowImage flow;
  flow.grid = kCoarse;
  flow.aliasing_m_s = 0.1;
  flow.power_db.assign(kCoarse.pixels(), -20.0F);
  flow.velocity_m_s.assign(kCoarse.pixels(), -0.03F);
  ImagingParams p;
  p.color_flow.mode = FlowMode::velocity;
  EXPECT_EQ(flow_at(flow, p, {0.0, 12e-3}, -10.0), "\u22123.0 cm/s");
  EXPECT_EQ(flow_at(flow, p, {0.0, 12e-3}, 3.0), "");    // tissue wins
  EXPECT_EQ(flow_at(flow, p, {0.0, 40e-3}, -10.0), "");  // outside
  p.color_flow.mode = FlowMode::power;
  EXPECT_EQ(flow_at(flow, p, {0.0, 12e-3}, -10.0), "flow \u221220.0 dB");
}

}  // namespace
}  // namespace echoloop::testing::flow_test
