// M-mode: a target that moves draws its path, true to the frames' own time, and a pause stays a gap.
#include "gui/view/m_mode.h"

#include <cmath>
#include <memory>
#include <optional>

#include "gui/docks/docks.h"
#include "gui/scene.h"

namespace echoloop::testing::m_mode_test {
namespace {

constexpr double kRate_hz = 50.0;

// Images 20 ms apart with a bright layer at depth_mm(t); the frame after `pause` comes 1 s late.
class Stream {
 public:
  explicit Stream(Scene& scene) : scene_(scene) {
    scene.state.view.inspected = PlanePoint{2e-3, 15e-3};
    scene.press(Key::m);
  }
  template <class Depth>
  void play(int n, const Depth& depth_mm) {
    for (int k = 0; k < n; ++k, ++frame_) {
      const double layer = depth_mm(static_cast<double>(frame_) / kRate_hz);
      scene_.put_image(
          kSquare, [layer](double, double z) { return std::abs(z - layer) < 0.31 ? 0.0F : -200.0F; },
          static_cast<std::uint64_t>(frame_));
      scene_.frames(1);
    }
  }
  void pause(double s) { frame_ += static_cast<int>(s * kRate_hz); }

 private:
  Scene& scene_;
  int frame_ = 100;
};

// Depth of the bright layer, seconds before the newest image; nothing where it is dark.
std::optional<double> depth_mm(const RgbImage& p, const Rect& box, double ago_s, double span_s = 4.0) {
  const auto x = static_cast<std::size_t>(box.x1 - 1.0F - box.width() * static_cast<float>(ago_s / span_s));
  double sum = 0, moment = 0;
  for (float y = box.y0 + 1; y < box.y1 - 1; y += 1) {
    const double v = p.rgb[(static_cast<std::size_t>(y) * static_cast<std::size_t>(p.width) + x) * 3];
    if (v < 40) continue;
    sum += v;
    moment += v * static_cast<double>((y + 0.5F - box.y0) / box.height());
  }
  if (sum <= 0) return std::nullopt;
  return 5.0 + 20.0 * moment / sum;
}

TEST(MMode, AMovingLayerDrawsItsPathTrueToTime) {
  ECHO_SCENE(scene, 1024, 640);
  Stream stream(scene);
  const auto path = [](double t) { return 15.0 + 5.0 * std::sin(2.0 * 3.14159265 * t / 1.6); };
  stream.play(150, path);  // 2.0 s .. 4.98 s
  const Rect box = scene.viewer->screen().strips().m_mode;
  ASSERT_GT(box.width(), 300.0F);
  const RgbImage shot = scene.shot();
  for (double ago = 0.05; ago < 2.9; ago += 0.1) {
    const auto found = depth_mm(shot, box, ago);
    ASSERT_TRUE(found.has_value()) << ago << " s ago";
    // An image stands 20 ms, in which the layer moves 0.4 mm at most.
    EXPECT_NEAR(*found, path(4.98 - ago), 0.7) << ago << " s ago";
  }
  EXPECT_FALSE(depth_mm(shot, box, 3.3).has_value()) << "before the first picture";
  EXPECT_EQ(scene.gl_error(), 0);
}

TEST(MMode, SlowMotionShortensTheSpan) {
  WindowState state;
  Acquisition a;
  a.frame_rate_hz = 10e3;
  state.source.acquisition = std::make_shared<const Acquisition>(a);
  state.source.rate_hz = 50.0;
  EXPECT_DOUBLE_EQ(fitted_span_s(state, state, 4.0), 0.04);
  state.stream.rate_hz = 4e3;
  EXPECT_DOUBLE_EQ(fitted_span_s(state, state, 0.08), 8.0);
  state.stream.rate_hz = kRateMax;
  EXPECT_DOUBLE_EQ(fitted_span_s(state, state, 2.0), 2.0);
  state.numbers.pace = {.slower = true, .speed = 0.02};
  EXPECT_DOUBLE_EQ(fitted_span_s(state, state, 2.0), 0.2);
  state.run = RunState::frozen;
  EXPECT_DOUBLE_EQ(fitted_span_s(state, state, 2.0), 2.0);
}

TEST(MMode, SpansArePlainNumbers) {
  const std::pair<double, const char*> spans[] = {{8.0, "8 s"}, {0.2, "0.2 s"}, {0.04, "40 ms"}, {8e-4, "0.8 ms"}};
  for (const auto& [span_s, text] : spans) EXPECT_EQ(strip_span_text(span_s), text);
}

TEST(MMode, APauseStaysAGapAndFrozenItStands) {
  ECHO_SCENE(scene, 1024, 640);
  Stream stream(scene);
  stream.play(50, [](double) { return 10.0; });
  stream.pause(1.0);
  stream.play(50, [](double) { return 20.0; });
  const Rect box = scene.viewer->screen().strips().m_mode;
  const RgbImage shot = scene.shot();
  EXPECT_NEAR(depth_mm(shot, box, 0.5).value_or(0), 20.0, 0.3);
  EXPECT_FALSE(depth_mm(shot, box, 1.5).has_value()) << "the pause";
  EXPECT_NEAR(depth_mm(shot, box, 2.5).value_or(0), 10.0, 0.3);
  scene.freeze(50, kRate_hz);
  scene.put_past(
      0, kSquare, [](double, double) { return 0.0F; }, 120);
  scene.frames(3);
  const RgbImage frozen = scene.shot();
  EXPECT_NEAR(depth_mm(frozen, scene.viewer->screen().strips().m_mode, 0.5).value_or(0), 20.0, 0.3);
}

TEST(MMode, LongerThanTheRingAndAnotherLine) {
  ECHO_SCENE(scene, 1024, 640);
  Stream stream(scene);
  stream.play(450, [](double t) { return 8.0 + t; });  // 9 s: the ring went round
  const RgbImage shot = scene.shot();
  for (double ago = 0.1; ago < 3.9; ago += 0.4) {
    EXPECT_NEAR(depth_mm(shot, scene.viewer->screen().strips().m_mode, ago).value_or(0), 8.0 + 10.98 - ago, 0.3) << ago;
  }
  scene.state.view.inspected = PlanePoint{-5e-3, 15e-3};
  stream.play(2, [](double) { return 12.0; });
  EXPECT_FALSE(depth_mm(scene.shot(), scene.viewer->screen().strips().m_mode, 1.0).has_value())
      << "another line, from now on";
}

// A low window has no room for the strip: one line says so, and can be closed.
TEST(MMode, ALowWindowSaysThatItHasNoRoom) {
  ECHO_SCENE(scene, 1024, 640, 1.5);
  scene.state.cine.compare = true;
  Stream stream(scene);
  stream.play(3, [](double) { return 10.0; });
  EXPECT_EQ(scene.viewer->settings().dock, Dock::m_mode);
  EXPECT_EQ(scene.viewer->screen().strips().m_mode.width(), 0.0F);
  EXPECT_GT(scene.rect("dock_hidden").width(), 100.0F);
  scene.click("close_dock");
  scene.frames(2);
  EXPECT_EQ(scene.viewer->settings().dock, Dock::none);
  EXPECT_EQ(scene.rect("dock_hidden").width(), 0.0F);
}

TEST(MMode, ClosedItHasNoPlaceAndForgets) {
  ECHO_SCENE(scene, 1024, 640);
  Stream stream(scene);
  stream.play(50, [](double) { return 10.0; });
  scene.press(Key::m);
  stream.play(50, [](double) { return 10.0; });
  EXPECT_EQ(scene.viewer->screen().strips().m_mode.width(), 0.0F);
  scene.press(Key::m);
  stream.play(10, [](double) { return 10.0; });
  EXPECT_FALSE(depth_mm(scene.shot(), scene.viewer->screen().strips().m_mode, 1.0).has_value());
}

TEST(MModeCalipers, ADragMeasuresDepthAndTimeAndMovesWithTheStrip) {
  ECHO_SCENE(scene, 1600, 900);
  Stream stream(scene);
  stream.play(150, [](double) { return 15.0; });
  const Rect box = scene.viewer->screen().strips().m_mode;
  ASSERT_GT(box.width(), 300.0F);
  // 4 s across, 20 mm down: from 5 mm, 2 s ago to 15 mm, 1 s ago.
  const auto x_of = [&](double ago_s) { return box.x1 - box.width() * static_cast<float>(ago_s / 4.0); };
  scene.drag({x_of(2.0), box.y0 + 0.25F * box.height()}, {x_of(1.0), box.y0 + 0.75F * box.height()});
  ASSERT_EQ(scene.state.view.m_mode.calipers.size(), 1U);
  const MModeCaliper m = scene.state.view.m_mode.calipers[0];
  EXPECT_NEAR(m.depth0_m, 10e-3, 0.2e-3);
  EXPECT_NEAR(m.depth1_m, 20e-3, 0.2e-3);
  EXPECT_NEAR(m.time1_s - m.time0_s, 1.0, 0.021) << "the moments of frames";
  const double frames = (m.time1_s - m.time0_s) * kRate_hz;
  EXPECT_NEAR(frames, std::round(frames), 1e-6);
  stream.play(25, [](double) { return 15.0; });
  EXPECT_EQ(scene.state.view.m_mode.calipers[0], m) << "on the strip's own clock";
  // Its end is 0.5 s further left now.
  const float y = box.y0 + 0.75F * box.height();
  scene.drag({x_of(1.5), y}, {x_of(1.5), y - 0.25F * box.height()});
  ASSERT_EQ(scene.state.view.m_mode.calipers.size(), 1U) << "taken hold of, no new one";
  EXPECT_NEAR(scene.state.view.m_mode.calipers[0].depth1_m, 15e-3, 0.3e-3);
  scene.drag({x_of(3.0), y}, {x_of(3.0) + 2, y});
  EXPECT_EQ(scene.state.view.m_mode.calipers.size(), 1U) << "a click is no caliper";
  scene.state.view.inspected = PlanePoint{-5e-3, 15e-3};
  stream.play(2, [](double) { return 12.0; });
  EXPECT_TRUE(scene.state.view.m_mode.calipers.empty()) << "they belong to the line";
}

TEST(MModeCalipers, SayVelocityAndRate) {
  const CaliperText text = caliper_text({.time0_s = 1.0, .depth0_m = 10e-3, .time1_s = 1.5, .depth1_m = 14e-3});
  EXPECT_EQ(text.lengths, "4.00 mm   500 ms");
  EXPECT_EQ(text.rates, "8.0 mm/s   2.00 Hz, 120 /min");
  EXPECT_EQ(caliper_text({.time0_s = 1.0, .depth0_m = 10e-3, .time1_s = 1.0, .depth1_m = 14e-3}).rates, "");
}

// A line that is placed while frozen has no columns until kept frames were beamformed again.
TEST(MMode, KeptFramesFillTheStripAndTheProgressCanBeCancelled) {
  ECHO_SCENE(scene, 1600, 900);
  Stream stream(scene);
  stream.play(5, [](double) { return 10.0; });
  scene.freeze(50, kRate_hz);
  scene.state.view.inspected = PlanePoint{-6e-3, 15e-3};
  scene.frames(2);
  EXPECT_EQ(scene.viewer->screen().strips().m_mode.width(), 0.0F) << "another line, nothing of it yet";
  for (std::uint64_t frame = 180; frame > 100; --frame) {  // newest first
    scene.put_past(
        0, kSquare, [](double, double z) { return std::abs(z - 20.0) < 0.31 ? 0.0F : -200.0F; }, frame);
    scene.frames(1);
  }
  scene.state.image.m_mode.progress = {.done = 80, .all = 200, .under_way = true};
  scene.frames(2);
  const Rect box = scene.viewer->screen().strips().m_mode;
  ASSERT_GT(box.width(), 300.0F);
  const RgbImage shot = scene.shot();
  for (double ago = 0.1; ago < 1.5; ago += 0.2) EXPECT_NEAR(depth_mm(shot, box, ago).value_or(0), 20.0, 0.3) << ago;
  EXPECT_FALSE(depth_mm(shot, box, 2.0).has_value());
  EXPECT_FALSE(scene.state.view.m_mode.cancelled);
  scene.click("m_mode_cancel");
  EXPECT_TRUE(scene.state.view.m_mode.cancelled);
  scene.state.image.m_mode.progress.under_way = false;
  scene.frames(2);
  scene.click("m_mode_cancel");
  EXPECT_FALSE(scene.state.view.m_mode.cancelled) << "resumed";
  EXPECT_EQ(scene.gl_error(), 0);
}

}  // namespace
}  // namespace echoloop::testing::m_mode_test
