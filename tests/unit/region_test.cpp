// Which pixels lie in a region, and how much tissue they stand for.
#include "measure/region.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/units.h"
#include "measure/levels.h"
#include "support/level_images.h"

namespace echoloop::region_test {
namespace {

using namespace testing;

bool holds(const Region& region, PlanePoint p) {
  const Grid one_pixel{.x0_m = p.x_m, .x1_m = p.x_m, .z0_m = p.z_m, .z1_m = p.z_m, .nx = 1, .nz = 1};
  return pixels_in(region, one_pixel).index.size() == 1;
}

TEST(Region, RectangleTakesThePixelsOnItsEdges) {
  // 1.0 x 0.5 mm of pixels 0.1 x 0.05 mm, centres on the edges: 11 x 11.
  const RegionPixels pixels = pixels_in({RegionShape::rectangle, {{1e-3, 20.5e-3}, {0.0, 20e-3}}}, kFlat);
  ASSERT_EQ(pixels.index.size(), 121U);
  EXPECT_TRUE(pixels.weight.empty());
  EXPECT_NEAR(pixels.area_m2, 121 * 0.1e-3 * 0.05e-3, 1e-15);
  EXPECT_EQ(pixels.index.front(), 200U * 101U + 50U);
  EXPECT_EQ(pixels.index.back(), 210U * 101U + 60U);
}

TEST(Region, CircleOfThreePixelsRadius) {
  const Grid g{.x0_m = -5e-3, .x1_m = 5e-3, .z0_m = 0, .z1_m = 10e-3, .nx = 11, .nz = 11};
  // Lattice points within 3 of the origin, the rim included: 29 (Gauss).
  EXPECT_EQ(pixels_in({RegionShape::circle, {{0, 5e-3}, {3e-3, 5e-3}}}, g).index.size(), 29U);
}

TEST(Region, TiltedEllipseHoldsItsAxesAndNothingBeyond) {
  const double c = std::cos(0.6), s = std::sin(0.6);
  const auto at = [&](double along, double across) {
    return PlanePoint{1e-3 + (along * c - across * s) * 1e-3, 20e-3 + (along * s + across * c) * 1e-3};
  };
  const Region ellipse{RegionShape::ellipse, {at(-3, 0), at(3, 0), at(0.5, 1.5)}};
  EXPECT_TRUE(holds(ellipse, at(2.99, 0)));
  EXPECT_FALSE(holds(ellipse, at(3.01, 0)));
  EXPECT_TRUE(holds(ellipse, at(0, -1.49)));
  EXPECT_FALSE(holds(ellipse, at(0, -1.51)));
  EXPECT_FALSE(holds(ellipse, at(2.5, 1.0)));
  EXPECT_NEAR(pixels_in(ellipse, kFlat).area_m2, kPi * 4.5e-6, 0.05e-6);
}

TEST(Region, OutlineWithADentLeavesTheDentOut) {
  const Region dented{RegionShape::outline, {{-2e-3, 12e-3}, {2e-3, 12e-3}, {2e-3, 16e-3}, {0, 13e-3}, {-2e-3, 16e-3}}};
  EXPECT_TRUE(holds(dented, {-1.5e-3, 14e-3}));
  EXPECT_FALSE(holds(dented, {0, 14e-3}));
  // 4 x 4 mm less a triangle of base 4 and height 3.
  EXPECT_NEAR(pixels_in(dented, kFlat).area_m2, 10e-6, 0.1e-6);
}

TEST(Region, BeyondThePictureThereAreNoPixels) {
  EXPECT_TRUE(pixels_in({RegionShape::rectangle, {{6e-3, 12e-3}, {9e-3, 14e-3}}}, kFlat).index.empty());
  EXPECT_TRUE(pixels_in({RegionShape::rectangle, {{-9e-3, 2e-3}, {9e-3, 9e-3}}}, kFlat).index.empty());
  EXPECT_EQ(pixels_in({RegionShape::rectangle, {{-9e-3, 0}, {9e-3, 90e-3}}}, kFlat).index.size(), kFlat.pixels());
  EXPECT_TRUE(pixels_in({RegionShape::circle, {{0, 20e-3}}}, kFlat).index.empty());
  EXPECT_TRUE(pixels_in({RegionShape::outline, {{0, 20e-3}, {1e-3, 20e-3}}}, kFlat).index.empty());
}

// Everywhere in the fan, however large its pixels are there.
TEST(Region, AreaOnAPolarGridIsThatOfTheDrawing) {
  for (const PlanePoint centre : {PlanePoint{0, 16e-3}, {10e-3, 30e-3}, {-14e-3, 50e-3}}) {
    const Region disk{RegionShape::circle, {centre, {centre.x_m + 3e-3, centre.z_m}}};
    const RegionPixels pixels = pixels_in(disk, fan());
    ASSERT_EQ(pixels.weight.size(), pixels.index.size());
    EXPECT_NEAR(pixels.area_m2 / (kPi * 9e-6), 1.0, 0.02) << centre.z_m;
    std::size_t expected = 0;
    const Grid g = fan();
    for (int iz = 0; iz < g.nz; ++iz) {
      for (int ix = 0; ix < g.nx; ++ix) {
        const PlanePoint p = g.point(ix, iz);
        expected += std::hypot(p.x_m - centre.x_m, p.z_m - centre.z_m) <= 3e-3 + 1e-9 ? 1U : 0U;
      }
    }
    EXPECT_EQ(pixels.index.size(), expected);
  }
}

// Lengths, angles and areas against numbers from paper.

TEST(PlaneGeometry, DistanceIsPythagoras) { EXPECT_DOUBLE_EQ(distance_m({1e-3, 2e-3}, {4e-3, 6e-3}), 5e-3); }

TEST(PlaneGeometry, AnglesBetweenLegsHaveNoSense) {
  EXPECT_NEAR(angle_rad({1, 0}, {0, 0}, {0, 1}), 0.5 * kPi, 1e-12);
  EXPECT_NEAR(angle_rad({0, 1}, {0, 0}, {1, 0}), 0.5 * kPi, 1e-12);
  EXPECT_NEAR(angle_rad({2, 1}, {1, 1}, {0, 1}), kPi, 1e-12);
  EXPECT_NEAR(angle_rad({1, 0}, {0, 0}, {1, 1}) / kRadiansPerDegree, 45.0, 1e-9);
}

TEST(PlaneGeometry, EllipseReachesOutToItsThirdPoint) {
  const EllipseAxes e = ellipse_axes({-3e-3, 10e-3}, {3e-3, 10e-3}, {1e-3, 12e-3});
  EXPECT_DOUBLE_EQ(e.half_a_m, 3e-3);
  EXPECT_DOUBLE_EQ(e.half_b_m, 2e-3);
  EXPECT_NEAR(ellipse_area_m2(e), kPi * 6e-6, 1e-15);
  const EllipseAxes upright = ellipse_axes({0, 5e-3}, {0, 15e-3}, {-4e-3, 7e-3});
  EXPECT_NEAR(upright.half_b_m, 4e-3, 1e-15);
  EXPECT_NEAR(upright.tilt_rad, 0.5 * kPi, 1e-12);
}

TEST(PlaneGeometry, OutlineAreaIsTheSameEitherWayRound) {
  const std::vector<PlanePoint> there = {{0, 0}, {4e-3, 0}, {4e-3, 2e-3}, {0, 2e-3}};
  const std::vector<PlanePoint> back(there.rbegin(), there.rend());
  EXPECT_NEAR(outline_area_m2(there), 8e-6, 1e-18);
  EXPECT_NEAR(outline_area_m2(back), 8e-6, 1e-18);
}

// Levels between pixels and along lines.

TEST(LevelAt, IsBilinearInTheAmplitude) {
  const Grid g{.x0_m = 0, .x1_m = 1e-3, .z0_m = 0, .z1_m = 1e-3, .nx = 2, .nz = 2};
  const std::vector<float> db = {0.0F, -20.0F, -40.0F, -20.0F};  // 1, 0.1; 0.01, 0.1
  const LevelImage picture{.db = db, .grid = g};
  EXPECT_NEAR(level_at(picture, {0.0, 0.0}), 0.0, 1e-9);
  EXPECT_NEAR(level_at(picture, {1e-3, 1e-3}), -20.0, 1e-6);
  EXPECT_NEAR(level_at(picture, {0.5e-3, 0.0}), 20 * std::log10(0.55), 1e-6);
  EXPECT_NEAR(level_at(picture, {0.25e-3, 0.5e-3}), 20 * std::log10(0.5 * (0.775 + 0.0325)), 1e-6);
  EXPECT_TRUE(std::isnan(level_at(picture, {-0.1e-3, 0.0})));
  EXPECT_TRUE(std::isnan(level_at({}, {0.0, 0.0})));
}

TEST(LevelAt, OnAPolarGridThePixelsAreInAngleAndDistance) {
  const MadeImage picture = make_picture(fan(), [](PlanePoint p) { return -p.z_m * 1e3 - 0.3 * p.x_m * 1e3; });
  for (const PlanePoint p : {PlanePoint{0, 20e-3}, {7.7e-3, 33.3e-3}, {-15e-3, 45e-3}}) {
    EXPECT_NEAR(level_at(picture.view(), p), -p.z_m * 1e3 - 0.3 * p.x_m * 1e3, 0.01);
  }
  EXPECT_TRUE(std::isnan(level_at(picture.view(), {30e-3, 20e-3})));
}

TEST(LineProfile, RunsFromEndToEndTwicePerPixel) {
  const MadeImage picture = make_picture(kFlat, [](PlanePoint p) { return -1e3 * p.z_m; });
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
}  // namespace echoloop::region_test
