// TGC, transmits and the filters of the picture in the panels: what a mouse does to them, and when they say no.
#include <gtest/gtest.h>

#include "gui/scene.h"
#include "support/acquisitions.h"

namespace echoloop::testing::controls_test {
namespace {

constexpr int kTall = 1800;  // all rows without scrolling

TEST(TgcRows, OpenSetAndGoFlat) {
  ECHO_SCENE(scene, 1600, kTall);
  scene.frames(2);
  EXPECT_EQ(scene.viewer->control_rect("tgc_1_db").width(), 0.0F);
  scene.click("tgc");
  scene.frames(1);
  ASSERT_GT(scene.viewer->control_rect("tgc_8_db").y0, scene.viewer->control_rect("tgc_1_db").y0);
  EXPECT_EQ(scene.viewer->control_rect("tgc_flat").width(), 0.0F) << "it is flat";
  scene.drag("tgc_3_db", 0.5F, 0.7F);
  EXPECT_GT(scene.state.params.display.tgc_db[2], 5.0);
  EXPECT_EQ(scene.state.params.display.tgc_db[1], 0.0);
  EXPECT_GT(scene.params_changed, 0);
  scene.frames(1);
  scene.click("tgc_flat");
  EXPECT_TRUE(is_flat(scene.state.params.display.tgc_db));
  scene.frames(1);
  scene.click("tgc");  // as it was
}

TEST(TransmitRows, SelectARangeAndSayNoToScanLines) {
  ECHO_SCENE(scene, 1600, kTall);
  scene.state.source.acquisition = share(linear_acquisition(16, 256, {-10, -5, 0, 5, 10}));
  scene.frames(2);
  if (scene.viewer->control_rect("transmits").width() == 0.0F) scene.click("more_formation");
  scene.frames(1);
  ASSERT_GT(scene.viewer->control_rect("transmits").width(), 0.0F);
  scene.drag("transmits", 0.0F, 0.5F);
  EXPECT_EQ(scene.state.params.transmits.first, 3);
  EXPECT_EQ(scene.state.params.transmits.last, 0) << "the last one, of any recording";
  const int changed = scene.params_changed;
  scene.state.source.acquisition = share(scan_line_acquisition());
  scene.frames(1);
  scene.drag("transmits", 1.0F, 0.5F);
  EXPECT_EQ(scene.params_changed, changed);
}

TEST(RefineRows, SetWhatTheySay) {
  ECHO_SCENE(scene, 1600, kTall);
  scene.frames(2);
  if (scene.viewer->control_rect("median").width() == 0.0F) scene.click("more_formation");
  scene.frames(1);
  scene.drag("persistence_s", 0.0F, 0.5F);
  EXPECT_NEAR(scene.state.params.refine.persistence_s, 1.0, 0.1);
  scene.drag("smooth_axial_m", 0.0F, 0.5F);
  EXPECT_NEAR(scene.state.params.refine.smooth_axial_m, 1e-3, 0.1e-3);
  scene.state.params.refine.persistence_s = 0.0;
  scene.freeze(20, 50.0);
  scene.frames(2);
  scene.drag("persistence_s", 0.0F, 0.5F);
  EXPECT_EQ(scene.state.params.refine.persistence_s, 0.0) << "a frozen frame stands alone";
}

}  // namespace
}  // namespace echoloop::testing::controls_test
