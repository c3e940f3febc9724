// M-mode: a target that moves draws its path, true to the frames' own time, and a pause stays a gap.
#include "gui/m_mode.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "gui/scene.h"
#include "gui/tone.h"

namespace echoloop::testing {
namespace {

constexpr double kRate_hz = 50.0;

// Pictures 20 ms apart with a bright layer at depth_mm(t); the frame after `pause` comes 1 s late.
class Stream {
 public:
  explicit Stream(Scene& scene) : scene_(scene) {
    scene.state.inspected = PlanePoint{2e-3, 15e-3};
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

// Depth of the bright layer, seconds before the newest picture; nothing where it is dark.
std::optional<double> depth_mm(const RgbPicture& p, const Rect& box, double ago_s, double span_s = 4.0) {
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
  const Rect box = scene.viewer->m_mode_rect();
  ASSERT_GT(box.width(), 300.0F);
  const RgbPicture shot = scene.shot();
  for (double ago = 0.05; ago < 2.9; ago += 0.1) {
    const auto found = depth_mm(shot, box, ago);
    ASSERT_TRUE(found.has_value()) << ago << " s ago";
    // A picture stands 20 ms, in which the layer moves 0.4 mm at most.
    EXPECT_NEAR(*found, path(4.98 - ago), 0.7) << ago << " s ago";
  }
  EXPECT_FALSE(depth_mm(shot, box, 3.3).has_value()) << "before the first picture";
  EXPECT_EQ(scene.gl_error(), 0);
}

TEST(MMode, APauseStaysAGapAndFrozenItStands) {
  ECHO_SCENE(scene, 1024, 640);
  Stream stream(scene);
  stream.play(50, [](double) { return 10.0; });
  stream.pause(1.0);
  stream.play(50, [](double) { return 20.0; });
  const Rect box = scene.viewer->m_mode_rect();
  const RgbPicture shot = scene.shot();
  EXPECT_NEAR(depth_mm(shot, box, 0.5).value_or(0), 20.0, 0.3);
  EXPECT_FALSE(depth_mm(shot, box, 1.5).has_value()) << "the pause";
  EXPECT_NEAR(depth_mm(shot, box, 2.5).value_or(0), 10.0, 0.3);
  scene.freeze(50, kRate_hz);
  scene.put_past(
      0, kSquare, [](double, double) { return 0.0F; }, 120);
  scene.frames(3);
  const RgbPicture frozen = scene.shot();
  EXPECT_NEAR(depth_mm(frozen, scene.viewer->m_mode_rect(), 0.5).value_or(0), 20.0, 0.3);
}

TEST(MMode, LongerThanTheRingAndAnotherLine) {
  ECHO_SCENE(scene, 1024, 640);
  Stream stream(scene);
  stream.play(450, [](double t) { return 8.0 + t; });  // 9 s: the ring went round
  const RgbPicture shot = scene.shot();
  for (double ago = 0.1; ago < 3.9; ago += 0.4) {
    EXPECT_NEAR(depth_mm(shot, scene.viewer->m_mode_rect(), ago).value_or(0), 8.0 + 10.98 - ago, 0.3) << ago;
  }
  scene.state.inspected = PlanePoint{-5e-3, 15e-3};
  stream.play(2, [](double) { return 12.0; });
  EXPECT_FALSE(depth_mm(scene.shot(), scene.viewer->m_mode_rect(), 1.0).has_value()) << "another line, from now on";
}

TEST(MMode, ClosedItHasNoPlaceAndForgets) {
  ECHO_SCENE(scene, 1024, 640);
  Stream stream(scene);
  stream.play(50, [](double) { return 10.0; });
  scene.press(Key::m);
  stream.play(50, [](double) { return 10.0; });
  EXPECT_EQ(scene.viewer->m_mode_rect().width(), 0.0F);
  scene.press(Key::m);
  stream.play(10, [](double) { return 10.0; });
  EXPECT_FALSE(depth_mm(scene.shot(), scene.viewer->m_mode_rect(), 1.0).has_value());
}

}  // namespace
}  // namespace echoloop::testing
