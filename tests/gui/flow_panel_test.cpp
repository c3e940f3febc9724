// The Flow panel: the ends of the kept components under the mouse, their spectra, one alone, and the modes.
#include "core/results/analysis_images.h"
#include "gui/scene.h"
#include "support/picture_pixels.h"

namespace echoloop::testing::flow_panel_test {
namespace {

float half_bright(double, double) { return -30.0F; }

// Opens the panel, wherever the column has it.
void open_panel(Scene& scene) {
  scene.frames(2);
  scene.click("panel_source");  // makes room
  scene.click("panel_formation");
  scene.click("panel_display");
  scene.click("panel_flow");
}

constexpr Grid kCoarse{.x0_m = -10e-3, .x1_m = 10e-3, .z0_m = 5e-3, .z1_m = 25e-3, .nx = 41, .nz = 51};

TEST(FlowPanel, EndsOfTheKeptComponentsAreDragged) {
  ECHO_SCENE(scene, 1600, 900);
  ImagingParams& p = scene.state.params;
  p.color_flow.mode = FlowMode::power;
  scene.put_image(kSquare, half_bright);
  scene.put_flow(
      kCoarse, [](double, double) { return -10.0F; }, [](double, double) { return 0.0F; });
  open_panel(scene);
  // 64 components across: 9 and 40 are kept.
  const auto share = [](int component) { return (static_cast<float>(component) - 1.0F) / 63.0F; };
  int changes = scene.params_changed;
  scene.drag("singular_values", share(9), share(17));
  EXPECT_NEAR(p.color_flow.svd_low, 17, 1);
  EXPECT_EQ(p.color_flow.svd_high, 0);
  EXPECT_GT(scene.params_changed, changes);
  scene.drag("singular_values", share(40), share(52));
  EXPECT_NEAR(p.color_flow.svd_high, 52, 1);
  scene.drag("singular_values", share(p.color_flow.svd_low), share(60));  // not past the other end
  EXPECT_EQ(p.color_flow.svd_low, p.color_flow.svd_high);
  changes = scene.params_changed;
  scene.click("singular_values", true);
  EXPECT_EQ(p.color_flow.svd_low, 0);
  EXPECT_EQ(p.color_flow.svd_high, 0);
  EXPECT_GT(scene.params_changed, changes);
}

TEST(FlowPanel, TheSpectrumOfAChosenComponentIsPlotted) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.params.color_flow.mode = FlowMode::power;
  scene.put_image(kSquare, half_bright);
  scene.put_flow(
      kCoarse, [](double, double) { return -10.0F; }, [](double, double) { return 0.0F; });
  open_panel(scene);
  scene.frames(2);
  const auto brightest = [&] {  // of the curve's columns: where it is highest
    const RgbImage shot = scene.shot();
    const Rect box = scene.rect("component_spectrum");
    for (float y = box.y0 + 1; y < box.y1; y += 1) {
      float sum = 0, n = 0;
      for (float x = box.x0 + 2; x < box.x1 - 2; x += 1) {
        const Rgb c = pixel(shot, x, y);
        if (c.r < 150 || c.g < 150) continue;
        sum += x;
        n += 1;
      }
      if (n > 0) return (sum / n - box.x0) / box.width();
    }
    return -1.0F;
  };
  ASSERT_GT(scene.rect("component_spectrum").width(), 100.0F);
  EXPECT_NEAR(brightest(), 0.5F + 0.5F * 8.0F / 64.0F, 0.03F) << "the first that is kept, component 9";
  const int changes = scene.params_changed;
  scene.drag("component", 0.1F, 0.5F);
  scene.move(5, 5);
  scene.frames(2);
  EXPECT_NEAR(brightest(), 0.5F + 0.5F * 0.5F, 0.06F);
  EXPECT_EQ(scene.params_changed, changes) << "nothing in the picture changes";
  scene.click("component", true);
  scene.move(5, 5);  // its tooltip lies over the plot
  scene.frames(2);
  EXPECT_NEAR(brightest(), 0.5F + 0.5F * 8.0F / 64.0F, 0.03F);
}

TEST(FlowPanel, AComponentAloneIsItsMapAndAfterwardsAllIsAsBefore) {
  ECHO_SCENE(scene, 1600, 900);
  ImagingParams& p = scene.state.params;
  p.color_flow.mode = FlowMode::power;
  p.color_flow.svd_low = 3;
  p.color_flow.svd_high = 0;
  scene.put_image(kSquare, half_bright);
  scene.put_flow(
      kCoarse, [](double, double) { return -10.0F; }, [](double, double) { return 0.0F; });
  open_panel(scene);
  scene.frames(2);
  const int changes = scene.params_changed;
  scene.click("component_alone");
  EXPECT_EQ(p.color_flow.svd_low, 3);
  EXPECT_EQ(p.color_flow.svd_high, 3);
  EXPECT_GT(scene.params_changed, changes);
  scene.click("component_alone");
  EXPECT_EQ(p.color_flow.svd_low, 3);
  EXPECT_EQ(p.color_flow.svd_high, 0);
}

TEST(FlowPanel, PanelChoosesTheModeAndSaysWhyNot) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, half_bright);
  open_panel(scene);
  EXPECT_EQ(scene.rect("flow_threshold_db").width(), 0.0F);  // off: nothing to set
  scene.click("flow/Velocity");
  EXPECT_EQ(scene.state.params.color_flow.mode, FlowMode::velocity);
  EXPECT_GT(scene.params_changed, 0);
  EXPECT_EQ(scene.rect("singular_values").width(), 0.0F);  // none came yet
  for (const char* id : {"flow_frames", "flow_step", "flow_angle_rad", "flow_prf_hz", "wall_cutoff"}) {
    EXPECT_GT(scene.rect(id).width(), 0.0F) << id;
  }
  EXPECT_EQ(scene.rect("flow_too_short").width(), 0.0F);
  scene.state.source.frame_count = 63;  // an ensemble has 64
  scene.frames(2);
  EXPECT_GT(scene.rect("flow_too_short").width(), 0.0F);
  scene.state.source.frame_count = 0;
  scene.frames(2);
  scene.drag("flow_frames", 0.3F, 0.8F);
  EXPECT_GT(scene.state.params.color_flow.frames, 100);
  scene.freeze(20, 50.0);
  scene.frames(2);
  const int step = scene.state.params.color_flow.step;
  scene.drag("flow_step", 0.8F, 0.3F);  // kept frames have a flow image each
  EXPECT_EQ(scene.state.params.color_flow.step, step);
  scene.drag("flow_frames", 0.8F, 0.3F);
  EXPECT_LT(scene.state.params.color_flow.frames, 80);
  EXPECT_EQ(scene.rect("flow_no_ensemble").width(), 0.0F);
  scene.state.kept.why_no_flow = "Only 20 history frames up to the displayed frame; an ensemble needs 64.";
  scene.frames(2);
  EXPECT_GT(scene.rect("flow_no_ensemble").width(), 0.0F);
  scene.click("flow/Off");
  EXPECT_EQ(scene.state.params.color_flow.mode, FlowMode::off);
}

// Weights leave flow the linear pixels; other methods replace them.
TEST(FlowPanel, SaysThatPixelsOfAMethodAreNotLinear) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.params.color_flow.mode = FlowMode::velocity;
  scene.put_image(kSquare, half_bright);
  open_panel(scene);
  for (const auto method : {Adaptive::p_das, Adaptive::coherence, Adaptive::minimum_variance, Adaptive::off}) {
    scene.state.params.formation.adaptive = method;
    scene.frames(2);
    const bool replaces = method != Adaptive::off && !is_weight(method);
    EXPECT_EQ(scene.rect("flow_of_method").width() > 0.0F, replaces) << static_cast<int>(method);
  }
}

}  // namespace
}  // namespace echoloop::testing::flow_panel_test
