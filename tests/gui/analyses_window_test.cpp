// Flow in the program itself: it comes over the live image, goes while a frame is frozen that has no ensemble in the
// history, and comes back.
#include "gui/program_window.h"

namespace echoloop::testing::analyses_window_test {
namespace {

// Share of the image's pixels that are blue: flow away from the probe.
double blue_share(const ProgramWindow& window) {
  const std::vector<std::uint8_t> rgb = window.picture({.x0 = 0.1F, .y0 = 0.2F, .x1 = 0.9F, .y1 = 0.7F});
  std::size_t blue = 0;
  for (std::size_t i = 0; i + 2 < rgb.size(); i += 3) blue += rgb[i + 2] > rgb[i] + 60 ? 1 : 0;
  return rgb.empty() ? 0.0 : 3.0 * static_cast<double>(blue) / static_cast<double>(rgb.size());
}

TEST(FlowWindow, LiesOverTheLivePictureOnly) {
  if (const std::string why = why_no_program_window(); !why.empty()) GTEST_SKIP() << why;
  ECHO_SCENE(scene, ProgramWindow::kWidth, ProgramWindow::kHeight);
  scene.state.params.color_flow.mode = FlowMode::velocity;  // room for its colour bar
  scene.put_image({.x0_m = -9.6e-3, .x1_m = 9.6e-3, .z0_m = 2e-3, .z1_m = 37.8e-3, .nx = 188, .nz = 350},
                  [](double, double) { return -20.0F; });
  scene.frames(2);
  ProgramWindow window({"sim:flow,rate_hz=500,peak_mm_s=60,pulsation=0,angle_deg=30", "--set", "flow=velocity", "--set",
                        "flow_frames=16", "--history-mb", "1", "--backend", "cpu", "--duration", "240"},
                       scene);
  ASSERT_TRUE(eventually([&] { return blue_share(window) > 0.1; }));
  window.key("space");
  EXPECT_TRUE(eventually([&] { return blue_share(window) == 0.0; }));
  window.key("space");
  EXPECT_TRUE(eventually([&] { return blue_share(window) > 0.1; }));
  EXPECT_EQ(window.close(), 0);
}

// Objects in the program itself: they come over the live image and are found again in the frozen one.

// Pixels of the accent's colour where the image is.
std::size_t accents(const ProgramWindow& window) {
  const std::vector<std::uint8_t> rgb = window.picture({.x0 = 0.05F, .y0 = 0.25F, .x1 = 0.6F, .y1 = 0.7F});
  std::size_t n = 0;
  for (std::size_t i = 0; i + 2 < rgb.size(); i += 3) n += rgb[i + 2] > rgb[i] + 80 && rgb[i + 1] > rgb[i] + 60 ? 1 : 0;
  return n;
}

TEST(ObjectsWindow, OutlinesTheCystLiveAndFrozen) {
  if (const std::string why = why_no_program_window(); !why.empty()) GTEST_SKIP() << why;
  ECHO_SCENE(scene, ProgramWindow::kWidth, ProgramWindow::kHeight);
  look_like_the_program(scene, "cyst");
  ProgramWindow window({"sim:cyst", "--set", "structure=dark", "--backend", "cpu", "--duration", "240"}, scene);
  window.rest();
  ASSERT_TRUE(eventually([&] { return accents(window) > 150; }));
  window.key("space");
  EXPECT_TRUE(eventually([&] { return accents(window) > 150; }));
  EXPECT_EQ(window.close(), 0);
}

}  // namespace
}  // namespace echoloop::testing::analyses_window_test
