// The Doppler gate under the mouse, and its spectrogram below the image.
#include <cmath>
#include <limits>

#include "core/units.h"
#include "gui/figure/figure_strip.h"
#include "gui/overlay/m_mode_columns.h"
#include "gui/scene.h"

namespace echoloop::testing::spectrogram_test {
namespace {

float dim(double, double) { return -45.0F; }

int gray_at(const RgbImage& p, float x, float y) {
  const auto column = static_cast<std::size_t>(x), row = static_cast<std::size_t>(y);
  return p.rgb[(row * static_cast<std::size_t>(p.width) + column) * 3];
}

// From point to point of the image with the left button held.
void drag_mm(Scene& scene, PlanePoint from, PlanePoint to) {
  const ImageLayout& l = scene.viewer->screen().image_layout();
  scene.drag({l.x_px(from.x_m * 1e-3), l.z_px(from.z_m * 1e-3)}, {l.x_px(to.x_m * 1e-3), l.z_px(to.z_m * 1e-3)});
}

// A recording shorter than a window of frames: the strip says so, instead of staying black without a word.
TEST(SpectrogramStrip, OfGapsAloneSaysWhy) {
  for (const bool gaps : {true, false}) {
    ECHO_SCENE(scene, 1024, 640);
    scene.state.params.doppler.gate = Gate::on;
    scene.put_image(kSquare, [](double, double) { return -30.0F; });
    scene.frames(2);
    scene.put_spectrogram(300, [gaps](double, double velocity_m_s) {
      return gaps ? std::numeric_limits<float>::quiet_NaN() : velocity_m_s > 0.3 ? -10.0F : -300.0F;
    });
    scene.move(5, 635);
    scene.frames(4);
    const Rect strip = scene.viewer->screen().strips().spectrogram;
    ASSERT_GT(strip.width(), 0.0F);
    const RgbImage shot = scene.shot();
    int light = 0;
    const int middle = static_cast<int>(strip.cy());
    for (int y = middle + 6; y < middle + 30; ++y) {
      for (int x = static_cast<int>(strip.x0) + 4; x < static_cast<int>(strip.x1) - 4; ++x) {
        light += shot.rgb[static_cast<std::size_t>(y * shot.width + x) * 3] > 80 ? 1 : 0;
      }
    }
    EXPECT_EQ(light > 40, gaps) << light;
  }
}

TEST(GateOnThePicture, IsPlacedMovedAndStretched) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, dim);
  scene.frames(2);
  EXPECT_EQ(scene.state.params.doppler.gate, Gate::off);
  scene.click("tool/gate");
  drag_mm(scene, {3.0, 12.0}, {3.0, 12.0});
  ImagingParams& p = scene.state.params;
  EXPECT_EQ(p.doppler.gate, Gate::on);
  EXPECT_NEAR(p.doppler.x_m, 3e-3, 0.1e-3);
  EXPECT_NEAR(p.doppler.z_m, 12e-3, 0.1e-3);
  EXPECT_EQ(scene.viewer->settings().dock, Dock::spectrogram) << "its sonogram opens";
  EXPECT_GE(scene.params_changed, 1);
  scene.frames(2);  // the image has made room
  drag_mm(scene, {3.0, 12.0}, {-4.0, 15.0});
  EXPECT_NEAR(p.doppler.x_m, -4e-3, 0.2e-3);
  EXPECT_NEAR(p.doppler.z_m, 15e-3, 0.2e-3);
  EXPECT_NEAR(p.doppler.length_m, 2e-3, 1e-9);
  drag_mm(scene, {-4.0, 16.0}, {-4.0, 18.0});
  EXPECT_NEAR(p.doppler.length_m, 6e-3, 0.4e-3);
  EXPECT_NEAR(p.doppler.z_m, 15e-3, 0.2e-3) << "the middle stays";
  // With the pointer as well; beside the gate it does what it always does.
  scene.click("tool/pointer");
  drag_mm(scene, {-4.0, 15.0}, {0.0, 15.0});
  EXPECT_NEAR(p.doppler.x_m, 0.0, 0.3e-3);
  drag_mm(scene, {8.0, 20.0}, {8.0, 10.0});
  EXPECT_NEAR(p.doppler.x_m, 0.0, 0.3e-3);
  EXPECT_TRUE(scene.state.marks.list.empty());
  scene.click("close_dock");
  EXPECT_EQ(p.doppler.gate, Gate::off) << "nothing is computed that nobody sees";
  EXPECT_EQ(scene.gl_error(), 0);
}

TEST(GateOnThePicture, ADrawingToolStillDraws) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.params.doppler.gate = Gate::on;
  scene.state.params.doppler.x_m = 0.0;
  scene.state.params.doppler.z_m = 15e-3;
  scene.put_image(kSquare, dim);
  scene.frames(3);
  scene.click("tool/distance");
  drag_mm(scene, {0.0, 15.0}, {5.0, 15.0});
  EXPECT_EQ(scene.state.marks.list.size(), 1U);
  EXPECT_EQ(scene.state.params.doppler.x_m, 0.0);
}

// Flow towards the probe in the last second, a gap before it, away from it before that.
float two_ways(double ago_s, double v_m_s) {
  if (ago_s > 1.0 && ago_s < 1.5) return std::nanf("");
  const double at = ago_s <= 1.0 ? 0.3 : -0.2;
  return std::abs(v_m_s - at) < 0.05 ? -20.0F : -90.0F;
}

float y_of(const Rect& box, double v_m_s, double baseline = 0.0) {
  return box.y0 + 0.5F * static_cast<float>(1.0 + baseline - v_m_s / 0.5) * box.height();
}
float x_of(const Rect& box, double ago_s) { return box.x1 - box.width() * static_cast<float>(ago_s / 4.0); }

TEST(SpectrogramStrip, PowerIsBrightTowardsTheProbeIsUpAndGapsAreBlack) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.params.doppler.gate = Gate::on;
  scene.put_image(kSquare, dim);
  scene.put_spectrogram(500, two_ways);
  scene.frames(3);
  const Rect box = scene.viewer->screen().strips().spectrogram;
  ASSERT_GT(box.width(), 300.0F);
  RgbImage shot = scene.shot();
  EXPECT_GT(gray_at(shot, x_of(box, 0.5), y_of(box, 0.3)), 220);
  EXPECT_LT(gray_at(shot, x_of(box, 0.5), y_of(box, -0.2)), 12);
  EXPECT_GT(gray_at(shot, x_of(box, 2.0), y_of(box, -0.2)), 220);
  EXPECT_LT(gray_at(shot, x_of(box, 2.0), y_of(box, 0.3)), 12);
  for (const double v : {0.3, -0.2, 0.1}) EXPECT_LT(gray_at(shot, x_of(box, 1.25), y_of(box, v)), 12) << v;
  EXPECT_LT(gray_at(shot, x_of(box, 3.2), y_of(box, -0.2)), 12) << "before the first column";
  // The baseline moved down: what was at the top goes on from the bottom.
  scene.state.params.doppler.baseline = -0.6;
  scene.frames(3);
  shot = scene.shot();
  EXPECT_GT(gray_at(shot, x_of(box, 2.0), y_of(box, -0.2, -0.6)), 220);
  EXPECT_GT(gray_at(shot, x_of(box, 0.5), y_of(box, 0.3 - 1.0, -0.6)), 220) << "beyond the limit it is the alias";
  // Less range, the same white.
  scene.state.params.doppler.gain_db = -60.0;
  scene.frames(3);
  EXPECT_LT(gray_at(scene.shot(), x_of(box, 2.0), y_of(box, -0.2, -0.6)), 12);
  EXPECT_EQ(scene.gl_error(), 0);
}

// Eight columns across the strip: the newest one reaches its right edge.
TEST(SpectrogramStrip, TheNewestColumnIsWhole) {
  ECHO_SCENE(scene, 1600, 900);
  Acquisition fast = *scene.state.source.acquisition;
  fast.frame_rate_hz = 5000;
  scene.state.source.acquisition = std::make_shared<const Acquisition>(fast);
  scene.state.source.rate_hz = 50;
  scene.state.params.doppler.gate = Gate::on;
  scene.put_image(kSquare, dim);
  scene.put_spectrogram(40, [](double, double) { return -20.0F; });
  scene.frames(3);
  const Rect box = scene.viewer->screen().strips().spectrogram;
  ASSERT_GT(box.width(), 300.0F);
  EXPECT_GT(gray_at(scene.shot(), box.x1 - 0.02F * box.width(), y_of(box, 0.3)), 220);
}

TEST(SpectrogramStrip, TheBaselineFollowsTheMouse) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.params.doppler.gate = Gate::on;
  scene.put_image(kSquare, dim);
  scene.put_spectrogram(500, two_ways);
  scene.frames(3);
  const Rect box = scene.viewer->screen().strips().spectrogram, axis = scene.rect("sonogram_axis");
  ASSERT_GT(axis.width(), 8.0F);
  scene.drag({axis.cx(), axis.cy()}, {axis.cx(), axis.cy() + 0.2F * box.height()});
  EXPECT_NEAR(scene.state.params.doppler.baseline, 0.4, 0.03);
  EXPECT_GE(scene.params_changed, 1);
  scene.click("sonogram_axis", true);
  EXPECT_EQ(scene.state.params.doppler.baseline, 0.0);
}

TEST(SpectrogramStrip, FrozenItStandsStill) {
  ECHO_SCENE(scene, 1600, 900);
  scene.state.params.doppler.gate = Gate::on;
  scene.put_image(kSquare, dim);
  scene.put_spectrogram(500, two_ways);
  scene.frames(3);
  scene.freeze(50, 50.0);
  scene.put_past(0, kSquare, dim, 1);
  scene.put_spectrogram(500, [](double, double v) { return v > 0.0 ? -20.0F : -90.0F; });
  scene.frames(3);
  const Rect box = scene.viewer->screen().strips().spectrogram;
  ASSERT_GT(box.width(), 300.0F);
  EXPECT_GT(gray_at(scene.shot(), x_of(box, 2.0), y_of(box, -0.2)), 220) << "what was there when it froze";
  scene.state.run = RunState::live;
  scene.frames(3);
  EXPECT_LT(gray_at(scene.shot(), x_of(box, 2.0), y_of(box, -0.2)), 12);
}

// 1000 frames a second, a window of 20 ms: its middle is the time of a column, 5 ms apart.
Spectrogram four_columns() {
  Acquisition acquisition = *scene_acquisition();
  acquisition.frame_rate_hz = 1000;
  Spectrogram s;
  s.acquisition = std::make_shared<const Acquisition>(acquisition);
  s.stamp.sequence = 100;
  s.frames = 20;
  s.prf_hz = 1000;
  s.hop = 5;
  s.n_bins = 1;
  s.aliasing_m_s = 0.2;
  s.end = 4;
  s.power_db.assign(Spectrogram::kColumns, -30.0F);
  s.envelope_m_s.assign(Spectrogram::kColumns, 0.1F);
  s.mean_m_s.assign(Spectrogram::kColumns, 0.0F);
  for (std::size_t k = 0; k < 4; ++k) s.mean_m_s[k] = 0.01F * static_cast<float>(k);
  return s;
}

TEST(Spectrogram, TheFrameOnScreenHasItsPlaceAndItsMean) {
  const Spectrogram s = four_columns();
  const auto place_of = [&s](std::uint64_t sequence) {
    Image image;
    image.stamp.sequence = sequence;
    return frame_place_s(s, image, 0.05);
  };
  ASSERT_TRUE(place_of(78).has_value());
  EXPECT_NEAR(*place_of(78), -12e-3, 1e-9);
  EXPECT_NEAR(mean_m_s(s, *place_of(78)), 0.01, 1e-6);  // columns 3: 0 to -5 ms, 2: to -10, 1: to -15
  EXPECT_EQ(place_of(100), 0.0);
  EXPECT_NEAR(mean_m_s(s, 0.0), 0.03, 1e-6);
  EXPECT_FALSE(place_of(101).has_value());
  EXPECT_FALSE(place_of(30).has_value()) << "before what is shown";
  EXPECT_TRUE(std::isnan(mean_m_s(s, -30e-3)));
}

// A scanner's numbers count modulo 2^64.
TEST(Spectrogram, TheFrameOnScreenHasItsPlaceAcrossTheWrap) {
  Spectrogram s = four_columns();
  s.stamp.sequence = 4;
  Image image;
  image.stamp.sequence = s.stamp.sequence - 22;
  ASSERT_TRUE(frame_place_s(s, image, 0.05).has_value());
  EXPECT_NEAR(*frame_place_s(s, image, 0.05), -12e-3, 1e-9);
  image.stamp.sequence = 5;
  EXPECT_FALSE(frame_place_s(s, image, 0.05).has_value());
}

TEST(Spectrogram, AFigureMarksTheFrameAndNamesTheAngleOfTheSpectra) {
  Spectrogram s = four_columns();
  s.params.color_flow.angle_rad = 30 * kRadiansPerDegree;
  const FigureStrip plain = figure_doppler(s, ImagingParams(), 0.05, DopplerCurves::none);
  const FigureStrip marked = figure_doppler(s, ImagingParams(), 0.05, DopplerCurves::none, -12e-3);
  EXPECT_EQ(marked.lines.size(), plain.lines.size() + 1);
  EXPECT_EQ(plain.facts[2], "angle 30°");
}

// 72 beats a minute between 10 and 40 cm/s, away from the probe.
float beating(double ago_s) { return static_cast<float>(-0.25 - 0.15 * std::cos(2.0 * kPi * 1.2 * ago_s)); }

TEST(SpectrogramStrip, BelowItStandTheValuesOfTheBeatsWhereThereIsRoom) {
  for (const auto& [width, height, mode, shown] : {std::tuple{1280, 720, "engineer", true},
                                                   {1280, 720, "view", true},
                                                   {1024, 640, "view", true},
                                                   {1600, 900, "engineer", true}}) {
    ECHO_SCENE(scene, width, height);
    scene.viewer->apply_layout({{"mode", mode}, {"dock", "sonogram"}});
    scene.state.params.doppler.gate = Gate::on;
    scene.put_image({.x0_m = -8e-3, .x1_m = 8e-3, .z0_m = 0, .z1_m = 40e-3, .nx = 81, .nz = 201}, dim);
    scene.put_spectrogram(800, two_ways, 0.5, beating);
    scene.frames(3);
    const float without = scene.viewer->screen().strips().spectrogram.y1;
    ASSERT_GT(without, 0.0F) << width << mode;
    scene.state.params.color_flow.angle_rad = 1.0;
    scene.put_spectrogram(800, two_ways, 0.5, beating);
    scene.frames(3);
    const Rect strip = scene.viewer->screen().strips().spectrogram;
    EXPECT_GT(strip.y1, without + 8) << "no line about the angle";
    const RgbImage shot = scene.shot();
    int text = 0;
    for (int x = static_cast<int>(strip.x0) - 20; x < static_cast<int>(strip.x1); ++x) {
      for (int y = static_cast<int>(strip.y1) + 46; y < static_cast<int>(strip.y1) + 66; ++y) {
        text += gray_at(shot, static_cast<float>(x), static_cast<float>(y)) > 180 ? 1 : 0;
      }
    }
    EXPECT_GT(text, 60) << width << mode;
    EXPECT_EQ(scene.gl_error(), 0);
  }
}

TEST(Spectrogram, ValuesOfTheBeatsAreTextsAndDashes) {
  Spectrogram s = four_columns();
  s.frames = 64;
  s.aliasing_m_s = 0.6;
  s.end = 800;
  for (std::size_t k = 0; k < 800; ++k) s.envelope_m_s[k] = beating((800.0 - static_cast<double>(k)) * 5e-3);
  const auto values = [&s](double span_s) {
    std::string text;
    for (const CaptionItem& item : pulse_items(s, span_s)) text += item.value + " " + item.unit + "|";
    return text;
  };
  EXPECT_EQ(values(4.0), "— cm/s|— cm/s|0.75 |72 /min|") << "without an angle";
  s.params.color_flow.angle_rad = 1.0;
  EXPECT_EQ(values(4.0), "−40 cm/s|−10 cm/s|0.75 |72 /min|");
  EXPECT_EQ(values(1.0), "— cm/s|— cm/s|— |— /min|") << "one beat";
  s.aliasing_m_s = 0.41;
  EXPECT_EQ(values(4.0), "— cm/s|— cm/s|— |— /min|") << "at the limit";
  const FigureStrip figure = figure_doppler(s, ImagingParams(), 4.0, DopplerCurves::none);
  s.aliasing_m_s = 0.6;
  EXPECT_EQ(figure_doppler(s, ImagingParams(), 4.0, DopplerCurves::none).facts.size(), figure.facts.size() + 4);
}

TEST(SpectrogramStrip, WithoutAnythingToShowItSaysWhatToDo) {
  ECHO_SCENE(scene, 1600, 900);
  scene.put_image(kSquare, dim);
  scene.frames(2);
  scene.click("dock/sonogram");
  EXPECT_EQ(scene.state.params.doppler.gate, Gate::on);
  EXPECT_EQ(scene.state.marks.tool, MarkTool::gate);
  EXPECT_EQ(scene.viewer->screen().strips().spectrogram.width(), 0.0F) << "no spectrum has come";
  scene.click("dock/sonogram");
  EXPECT_EQ(scene.state.params.doppler.gate, Gate::off);
  EXPECT_EQ(scene.viewer->settings().dock, Dock::none);
  scene.press(Key::d);
  EXPECT_EQ(scene.state.params.doppler.gate, Gate::on);
  EXPECT_EQ(scene.viewer->settings().dock, Dock::spectrogram);
  scene.frames(1);
  scene.click("close_dock");
  EXPECT_EQ(scene.state.params.doppler.gate, Gate::off);
  EXPECT_EQ(scene.viewer->settings().dock, Dock::none);
  EXPECT_EQ(scene.state.marks.tool, MarkTool::pointer);
}

}  // namespace
}  // namespace echoloop::testing::spectrogram_test
