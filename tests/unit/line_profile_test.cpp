// Levels between pixels and along lines.
#include "measure/line_profile.h"

#include <gtest/gtest.h>

#include "support/level_pictures.h"

namespace echoloop::line_profile_test {
namespace {

using namespace testing;

TEST(LevelAt, IsBilinearInTheAmplitude) {
  const Grid g{.x0_m = 0, .x1_m = 1e-3, .z0_m = 0, .z1_m = 1e-3, .nx = 2, .nz = 2};
  const std::vector<float> db = {0.0F, -20.0F, -40.0F, -20.0F};  // 1, 0.1; 0.01, 0.1
  const LevelPicture picture{.db = db, .grid = g};
  EXPECT_NEAR(level_at(picture, {0.0, 0.0}), 0.0, 1e-9);
  EXPECT_NEAR(level_at(picture, {1e-3, 1e-3}), -20.0, 1e-6);
  EXPECT_NEAR(level_at(picture, {0.5e-3, 0.0}), 20 * std::log10(0.55), 1e-6);
  EXPECT_NEAR(level_at(picture, {0.25e-3, 0.5e-3}), 20 * std::log10(0.5 * (0.775 + 0.0325)), 1e-6);
  EXPECT_TRUE(std::isnan(level_at(picture, {-0.1e-3, 0.0})));
  EXPECT_TRUE(std::isnan(level_at({}, {0.0, 0.0})));
}

TEST(LevelAt, OnAPolarGridThePixelsAreInAngleAndDistance) {
  const MadePicture picture = make_picture(fan(), [](PlanePoint p) { return -p.z_m * 1e3 - 0.3 * p.x_m * 1e3; });
  for (const PlanePoint p : {PlanePoint{0, 20e-3}, {7.7e-3, 33.3e-3}, {-15e-3, 45e-3}}) {
    EXPECT_NEAR(level_at(picture.view(), p), -p.z_m * 1e3 - 0.3 * p.x_m * 1e3, 0.01);
  }
  EXPECT_TRUE(std::isnan(level_at(picture.view(), {30e-3, 20e-3})));
}

TEST(LineProfile, RunsFromEndToEndTwicePerPixel) {
  const MadePicture picture = make_picture(kFlat, [](PlanePoint p) { return -1e3 * p.z_m; });
  const LineProfile profile = line_profile(picture.view(), {-3e-3, 12e-3}, {3e-3, 20e-3});
  ASSERT_EQ(profile.at_m.size(), 401U);  // 10 mm in halves of 0.05 mm
  EXPECT_EQ(profile.at_m.front(), 0.0);
  EXPECT_NEAR(profile.at_m.back(), 10e-3, 1e-12);
  for (std::size_t i = 0; i < profile.at_m.size(); i += 50) {
    EXPECT_NEAR(profile.level_db[i], -12.0 - 0.8e3 * profile.at_m[i], 0.01);
  }
  EXPECT_TRUE(std::isnan(line_profile(picture.view(), {0, 25e-3}, {0, 35e-3}).level_db.back()));
  EXPECT_EQ(line_profile(picture.view(), {0, 20e-3}, {0, 20e-3}).at_m.size(), 2U);
  EXPECT_LE(line_profile(picture.view(), {-5, 10e-3}, {5, 30e-3}).at_m.size(), 2048U);
}

}  // namespace
}  // namespace echoloop::line_profile_test
