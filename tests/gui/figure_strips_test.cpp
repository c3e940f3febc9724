// M-mode and spectral Doppler of the window in figures: true to time, depth and velocity, only while they are on
// screen.
#include <cmath>

#include "gui/figure/figure_strip.h"
#include "gui/scene.h"

namespace echoloop::testing::figure_strips_test {
namespace {

constexpr double kRate_hz = 50.0;

// On the strip's own axis, of the brightest level at a time; NaN: there is none.
double brightest(const FigureStrip& strip, double time_s) {
  const auto n = static_cast<std::size_t>(strip.columns);
  const auto column = static_cast<std::size_t>(strip.x.share(time_s) * static_cast<double>(strip.columns));
  double best = std::nan("");
  float level = -100.0F;
  for (int row = 0; row < strip.rows; ++row) {
    const float here = strip.levels_db.at(static_cast<std::size_t>(row) * n + column);
    if (!(here > level)) continue;
    level = here;
    best = strip.y.first + (strip.y.last - strip.y.first) * row / (strip.rows - 1);
  }
  return best;
}

TEST(FigureStrips, NoneWhileNoneIsOnScreen) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, [](double, double) { return -20.0F; });
  scene.frames(2);
  EXPECT_TRUE(scene.viewer->strips_on_screen(scene.state).empty());
  scene.tap(Key::m);
  EXPECT_TRUE(scene.viewer->strips_on_screen(scene.state).empty()) << "no line, no columns";
}

TEST(FigureStrips, MModeIsTrueToTimeAndDepth) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.view.inspected = PlanePoint{2e-3, 15e-3};
  scene.press(Key::m);
  const auto depth_mm = [](double t) { return 15.0 + 5.0 * std::sin(2.0 * 3.14159265 * t / 1.6); };
  constexpr int kFrames = 150;
  for (int k = 0; k < kFrames; ++k) {
    const double layer = depth_mm(k / kRate_hz);
    scene.put_image(
        kSquare, [layer](double, double z) { return -10.0F * static_cast<float>(std::abs(z - layer)); },
        static_cast<std::uint64_t>(k));
    scene.frames(1);
  }
  scene.state.view.m_mode.calipers.push_back({});
  const auto strips = scene.viewer->strips_on_screen(scene.state);
  ASSERT_EQ(strips.size(), 1U);
  const FigureStrip& strip = strips[0];
  EXPECT_EQ(strip.title, "M-mode");
  EXPECT_NEAR(strip.y.first, 5.0, 1e-9);
  EXPECT_NEAR(strip.y.last, 25.0, 1e-9);
  EXPECT_NEAR(strip.x.last - strip.x.first, 4.0, 1e-9);
  EXPECT_EQ(strip.calipers.size(), 1U);
  EXPECT_TRUE(strip.m_mode_line.has_value());
  for (double ago = 0.03; ago < 2.9; ago += 0.1) {  // a frame stands for 20 ms, in which the layer moves 0.4 mm at most
    EXPECT_NEAR(brightest(strip, -ago), depth_mm((kFrames - 1) / kRate_hz - ago), 0.6) << ago << " s ago";
  }
  EXPECT_TRUE(std::isnan(brightest(strip, -3.5))) << "before the first frame";
}

TEST(FigureStrips, DopplerIsTrueToTimeAndVelocity) {
  ECHO_SCENE(scene, 1600, 900);
  ImagingParams& p = scene.state.params;
  p.doppler.gate = Gate::on;
  p.doppler.z_m = 15e-3;
  scene.put_image(kSquare, [](double, double) { return -30.0F; });
  scene.frames(3);
  // Towards the probe in the newest second, away before; the limit is 50 cm/s.
  const auto at = [](double ago_s) { return ago_s < 1.0 ? 0.3 : -0.2; };
  scene.put_spectrogram(500, [&](double ago_s, double v) { return std::abs(v - at(ago_s)) < 0.01 ? -20.0F : -90.0F; });
  for (const double baseline : {0.0, 0.5, -0.6}) {
    p.doppler.baseline = baseline;
    scene.frames(3);
    const auto strips = scene.viewer->strips_on_screen(scene.state);
    ASSERT_EQ(strips.size(), 1U);
    const FigureStrip& strip = strips[0];
    EXPECT_NEAR(strip.y.first, 50.0 * (1.0 + baseline), 1e-9);
    EXPECT_NEAR(strip.y.last, -50.0 * (1.0 - baseline), 1e-9);
    const auto seen = [&](double cm_s) {  // beyond a limit it appears at the other one
      return cm_s > strip.y.first ? cm_s - 100.0 : cm_s < strip.y.last ? cm_s + 100.0 : cm_s;
    };
    EXPECT_NEAR(brightest(strip, -0.5), seen(30.0), 1.6) << baseline;
    EXPECT_NEAR(brightest(strip, -2.0), seen(-20.0), 1.6) << baseline;
    EXPECT_GE(strip.lines.size(), 1U);
  }
}

TEST(FigureStrips, ThePresentationHasBoth) {
  ECHO_SCENE(scene, 1920, 1080);
  scene.state.view.inspected = PlanePoint{2e-3, 15e-3};
  scene.press(Key::m);
  for (std::uint64_t k = 0; k < 20; ++k) {
    scene.put_image(
        kSquare, [](double, double) { return -20.0F; }, k);
    scene.frames(1);
  }
  scene.state.params.doppler.gate = Gate::on;
  scene.frames(2);
  scene.put_spectrogram(500, [](double, double v) { return v > 0.1 ? -20.0F : -90.0F; });
  scene.viewer->screen().present();
  scene.frames(3);
  EXPECT_EQ(scene.viewer->strips_on_screen(scene.state).size(), 2U);
}

}  // namespace
}  // namespace echoloop::testing::figure_strips_test
